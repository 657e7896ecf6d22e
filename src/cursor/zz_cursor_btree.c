/*-------------------------------------------------------------------------
 *
 * zz_cursor_btree.c
 *	  Cursor over the entries of a btree that share their leading columns.
 *
 * The cursor works on a private copy of one leaf page (zz_btree_page.c).  On
 * the copy it knows the range of items that it still has to hand out, all of
 * them within the bound leading columns (zz_btree_items.c).  A batch begins with
 * few entries after a jump and doubles while the reading goes on without one.
 *
 * A seek tries what is cheap before what is far:
 *
 *	1. gallop over the items of the copy, without decoding them;
 *	2. the right (in a backward scan: left) sibling, if jumps have been short;
 *	3. a descent from the root.
 *
 * A sibling costs about as much as a descent, so the step is a bet: it is made
 * as long as it wins, and a forward step looks at the sibling's high key before
 * it copies the page.  Either way a seek reads at most one page more than the
 * best choice, which is what keeps the scan's regret bounded.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/nbtree.h"
#include "access/stratnum.h"
#include "pgstat.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "zz_btree_items.h"
#include "zz_compat.h"
#include "zz_cursor_btree.h"

typedef struct BtreeCursor
{
	ZigzagCursor base;
	Relation	index;
	bool		backward;
	int			nfixed;
	int			nsuffix;
	BTScanInsert key;			/* all key columns; set up anew for each use */

	bool		more_pages;		/* may the range go on behind the copy? */
	bool		started;		/* false until a page has been read */
	bool		stepping;		/* has it been reached from its sibling? */
	bool		step_first;		/* did the last long seek end on the sibling? */
	int			batch_target;	/* entries the next batch should have */

	ZigzagBtreeItems items;		/* the copy of the page, and what is left of
								 * it */
} BtreeCursor;

/*
 * May this index be a side?  Indexes brought along by pg_upgrade from before 12
 * keep a format that does not order duplicates by TID, until REINDEX.
 */
bool
zz_btree_orders_tids(Relation index)
{
	bool		heapkeyspace;
	bool		allequalimage;

	_bt_metaversion(index, &heapkeyspace, &allequalimage);
	return heapkeyspace;
}

/* ----------------------------------------------------------------
 *		Keys for nbtree
 * ----------------------------------------------------------------
 */

/*
 * The insertion key for the bound columns alone.
 */
static BTScanInsert
fixed_key(BtreeCursor *cur, bool nextkey)
{
	cur->key->keysz = cur->nfixed;
	cur->key->scantid = NULL;
	cur->key->nextkey = nextkey;
	return cur->key;
}

/*
 * The insertion key for target: bound columns, suffix, TID.  *tid is its TID in
 * the form nbtree wants it, and must live as long as the key is used.
 */
static BTScanInsert
target_key(BtreeCursor *cur, const ZigzagKey *target, ItemPointer tid)
{
	uint64		packed = target->tid ^ cur->items.tid_flip;

	for (int i = 0; i < cur->nsuffix; i++)
	{
		ScanKey		skey = &cur->key->scankeys[cur->nfixed + i];

		skey->sk_argument = target->values[i];
		if (target->nulls[i])
			skey->sk_flags |= SK_ISNULL;
		else
			skey->sk_flags &= ~SK_ISNULL;
	}

	ItemPointerSet(tid, (BlockNumber) (packed >> 16),
				   (OffsetNumber) (packed & 0xFFFF));
	cur->key->keysz = cur->nfixed + cur->nsuffix;
	cur->key->scantid = tid;
	cur->key->nextkey = false;
	return cur->key;
}

/*
 * Compare the bound columns with those of an item of the copy: -1, they sort
 * before it; 0, the item is in the range; 1, they sort after it.
 */
static int
compare_fixed(BtreeCursor *cur, OffsetNumber offset)
{
	int			cmp = _bt_compare(cur->index, fixed_key(cur, false),
								  zz_btree_page_copy(&cur->items.page), offset);

	return (cmp > 0) - (cmp < 0);
}

/*
 * First offset in [from, to] whose item compares with the bound columns at
 * least as high as wanted: 0, the first item of the range or after it; 1, the
 * first item after the range.  to + 1 if there is none.
 */
static OffsetNumber
bound_of_range(BtreeCursor *cur, OffsetNumber from, OffsetNumber to, int wanted)
{
	OffsetNumber low = from;
	OffsetNumber high = to + 1;

	while (low < high)
	{
		OffsetNumber mid = low + (high - low) / 2;

		if (-compare_fixed(cur, mid) < wanted)
			low = mid + 1;
		else
			high = mid;
	}

	return low;
}

/*
 * A page has been copied: find the items of it that are in the range, and
 * whether the range goes on behind it.
 *
 * Within a long range all of them are.  For a page that a forward scan has
 * stepped to, that is seen from its high key alone: what precedes the range is
 * on pages before it.  Otherwise the first and the last item are tested.
 */
static void
find_range(BtreeCursor *cur, bool stepped)
{
	OffsetNumber first = zz_btree_page_first(&cur->items.page);
	OffsetNumber last = zz_btree_page_last(&cur->items.page);
	BTPageOpaque opaque = BTPageGetOpaque(zz_btree_page_copy(&cur->items.page));
	OffsetNumber range_first = first;
	OffsetNumber range_last = last;
	int			high = -1;		/* of the bound columns over the high key */

	if (!cur->backward && !P_RIGHTMOST(opaque))
		high = compare_fixed(cur, P_HIKEY);

	if (first <= last && !(stepped && high == 0))
	{
		if (compare_fixed(cur, first) != 0)
			range_first = bound_of_range(cur, first, last, 0);
		if (range_first > last)
			range_last = last;	/* all items sort before the range */
		else if (compare_fixed(cur, last) != 0)
			range_last = bound_of_range(cur, range_first, last, 1) - 1;
	}

	zz_btree_items_set(&cur->items, cur->backward ? range_last : range_first,
					   range_last + 1 - range_first);
	cur->started = true;

	/*
	 * The range goes on behind the copy unless an item of the copy, or in a
	 * forward scan the high key, lies past it.
	 */
	if (cur->backward)
		cur->more_pages = !P_LEFTMOST(opaque) && range_first == first;
	else
		cur->more_pages = high >= 0 && range_last == last;
}

/* ----------------------------------------------------------------
 *		Moving
 * ----------------------------------------------------------------
 */

/*
 * No entries are left, or none were bound to begin with.
 */
static bool
finish(BtreeCursor *cur)
{
	cur->base.nentries = 0;
	cur->base.pos = 0;
	cur->base.at_end = true;
	cur->more_pages = false;
	zz_btree_items_set(&cur->items, InvalidOffsetNumber, 0);
	zz_btree_page_release(&cur->items.page);
	return false;
}

/*
 * Descend to the page where the scan begins, or where target belongs.  False if
 * the index is empty.
 *
 * A backward scan is after the last entry at or before the target.  That is on
 * the page a search for the target leads to, or on the one to the left of it.
 */
static bool
descend(BtreeCursor *cur, const ZigzagKey *target)
{
	ItemPointerData tid;
	BTScanInsert key;

	if (target != NULL)
		key = target_key(cur, target, &tid);
	else
		key = fixed_key(cur, cur->backward);

	cur->stepping = false;
	if (!zz_btree_page_descend(&cur->items.page, key))
		return false;

	find_range(cur, false);
	return true;
}

/*
 * Go to the next page in scan order.  With target, only if it may be there (a
 * backward scan cannot tell).  False, with everything as it was, if not, or if
 * there is no such page.
 */
static bool
step(BtreeCursor *cur, const ZigzagKey *target)
{
	ItemPointerData tid;
	bool		moved;

	if (cur->backward)
		moved = zz_btree_page_left(&cur->items.page);
	else
		moved = zz_btree_page_right(&cur->items.page,
									target == NULL ? NULL :
									target_key(cur, target, &tid));
	if (moved)
	{
		find_range(cur, true);
		if (cur->stepping && cur->more_pages)
			zz_btree_page_look_ahead(&cur->items.page, cur->backward);
		cur->stepping = true;
	}
	return moved;
}

/*
 * Load the next batch that is not empty, going from page to page.
 */
static bool
load_or_step(BtreeCursor *cur)
{
	for (;;)
	{
		zz_btree_items_load(&cur->items, cur->batch_target);
		cur->base.nentries = cur->items.nentries;
		cur->base.pos = 0;
		cur->base.tids = cur->items.is_run ? NULL : cur->items.tids;
		if (cur->base.nentries > 0)
			break;
		if (cur->items.nitems > 0)
			continue;
		if (!cur->more_pages || !step(cur, NULL))
			return finish(cur);
	}

	cur->base.counters.entries += cur->base.nentries;
	pgstat_count_index_tuples(cur->index, cur->base.nentries);
	return true;
}

/* ----------------------------------------------------------------
 *		Methods
 * ----------------------------------------------------------------
 */

static bool
btree_next_batch(ZigzagCursor *cursor)
{
	BtreeCursor *cur = (BtreeCursor *) cursor;

	if (!cur->started && !descend(cur, NULL))
		return finish(cur);

	if (!load_or_step(cur))
		return false;

	cur->batch_target = Min(cur->batch_target * 2, ZIGZAG_MAX_BATCH);
	return true;
}

/*
 * Make the copy the page of the first entry at or after target, and the first
 * item that does not precede it the current one.  False: there is none.
 */
static bool
find_target(BtreeCursor *cur, const ZigzagKey *target)
{
	int			distance = zz_btree_items_search(&cur->items, target);
	BlockNumber sibling;

	if (distance == cur->items.nitems && cur->started)
	{
		if (!cur->more_pages)
			return false;
		if (cur->step_first && step(cur, target))
			distance = zz_btree_items_search(&cur->items, target);
	}

	if (distance == cur->items.nitems)
	{
		if (cur->started && !cur->more_pages)
			return false;

		sibling = cur->backward ? cur->items.page.left : cur->items.page.right;
		cur->step_first = !cur->started;
		if (!descend(cur, target))
			return false;
		if (cur->items.page.blkno == sibling)
			cur->step_first = true;
		cur->batch_target = ZIGZAG_FIRST_BATCH;

		/*
		 * A descent may end one page early: where all items precede the
		 * target, or in a backward scan all lie past it.
		 */
		while ((distance = zz_btree_items_search(&cur->items, target)) == cur->items.nitems)
		{
			if (!cur->more_pages || !step(cur, NULL))
				return false;
		}
	}

	/* After a long jump inside the page, begin small again, too. */
	if (zz_btree_items_skip(&cur->items, distance, target) > cur->batch_target)
		cur->batch_target = ZIGZAG_FIRST_BATCH;
	return true;
}

static bool
btree_seek(ZigzagCursor *cursor, const ZigzagKey *target)
{
	BtreeCursor *cur = (BtreeCursor *) cursor;

	cur->batch_target = Min(cur->batch_target * 2, ZIGZAG_MAX_BATCH);
	if (!find_target(cur, target))
		return finish(cur);

	return load_or_step(cur);
}

static uint64
btree_tid(ZigzagCursor *cursor, int pos)
{
	return zz_btree_items_tid(&((BtreeCursor *) cursor)->items, pos);
}

static void
btree_suffix(ZigzagCursor *cursor, int pos, const Datum **values,
			 const bool **nulls)
{
	zz_btree_items_suffix(&((BtreeCursor *) cursor)->items, pos, values, nulls);
}

static void
btree_note_dead(ZigzagCursor *cursor, int pos)
{
	zz_btree_items_note_dead(&((BtreeCursor *) cursor)->items, pos);
}

static void
btree_rescan(ZigzagCursor *cursor)
{
	BtreeCursor *cur = (BtreeCursor *) cursor;

	zz_btree_page_release(&cur->items.page);
	cursor->nentries = 0;
	cursor->pos = 0;
	cursor->at_end = false;
	cur->started = false;
	cur->more_pages = false;
	cur->step_first = true;
	cur->batch_target = ZIGZAG_FIRST_BATCH;
	zz_btree_items_set(&cur->items, InvalidOffsetNumber, 0);
}

static void
btree_close(ZigzagCursor *cursor)
{
	finish((BtreeCursor *) cursor);
}

static const ZigzagCursorMethods btree_methods = {
	.rescan = btree_rescan,
	.next_batch = btree_next_batch,
	.seek = btree_seek,
	.tid = btree_tid,
	.suffix = btree_suffix,
	.note_dead = btree_note_dead,
	.close = btree_close,
};

/* ----------------------------------------------------------------
 *		Creation
 * ----------------------------------------------------------------
 */

/*
 * Make the insertion key of one bound column compare with values of type, which
 * may be another type of the column's operator family.
 */
static void
init_fixed_column(BtreeCursor *cur, int column, Oid type)
{
	Relation	index = cur->index;
	Oid			opfamily = index->rd_opfamily[column];
	Oid			opcintype = index->rd_opcintype[column];
	RegProcedure proc;

	if (type == opcintype)
		return;					/* as _bt_mkscankey made it */

	proc = get_opfamily_proc(opfamily, opcintype, type, BTORDER_PROC);
	if (!RegProcedureIsValid(proc))
		elog(ERROR, "missing support function %d(%u,%u) in opfamily %u",
			 BTORDER_PROC, opcintype, type, opfamily);

	ScanKeyEntryInitialize(&cur->key->scankeys[column],
						   index->rd_indoption[column] << SK_BT_INDOPTION_SHIFT,
						   (AttrNumber) (column + 1),
						   InvalidStrategy,
						   type,
						   index->rd_indcollation[column],
						   proc,
						   (Datum) 0);
}

/*
 * A cursor over the entries of options->index with the given key space, which
 * zz_btree_key_space made for it or for an index with the same suffix.  Bind
 * and rescan it before use.
 */
ZigzagCursor *
zz_cursor_btree_create(const ZigzagBtreeOptions *options,
					   const ZigzagKeySpace *space)
{
	BtreeCursor *cur = palloc(sizeof(BtreeCursor));
	Relation	index = options->index;
	int			nfixed = options->nfixed;

	Assert(IsMVCCSnapshot(options->snapshot));
	Assert(nfixed > 0 && nfixed + space->nsuffix ==
		   IndexRelationGetNumberOfKeyAttributes(index));

	/* The arrays need not be touched. */
	memset(cur, 0, offsetof(BtreeCursor, items.images));
	cur->base.methods = &btree_methods;
	cur->base.space = space;
	cur->base.images = cur->items.images;
	cur->index = index;
	cur->backward = ScanDirectionIsBackward(options->direction);
	cur->nfixed = nfixed;
	cur->nsuffix = space->nsuffix;
	zz_btree_items_init(&cur->items, index, space, nfixed, cur->backward);
	zz_btree_page_init(&cur->items.page, index, options->snapshot,
					   options->keep_pin, &cur->base.counters);

	/* _bt_mkscankey without a tuple leaves these to its caller. */
	cur->key = _bt_mkscankey(index, NULL);
	_bt_metaversion(index, &cur->key->heapkeyspace, &cur->key->allequalimage);
	if (!cur->key->heapkeyspace)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("index \"%s\" does not order duplicates by row location",
						RelationGetRelationName(index)),
				 errhint("REINDEX brings it to the present format.")));
	for (int i = 0; i < nfixed; i++)
		init_fixed_column(cur, i, options->fixed_types[i]);

	return &cur->base;
}

/*
 * Bind the leading columns; before rescan.  The values stay the caller's.
 */
void
zz_cursor_btree_bind(ZigzagCursor *cursor, const ZigzagFixedValue *fixed)
{
	BtreeCursor *cur = (BtreeCursor *) cursor;

	for (int i = 0; i < cur->nfixed; i++)
	{
		ScanKey		skey = &cur->key->scankeys[i];

		skey->sk_argument = fixed[i].value;
		if (fixed[i].isnull)
			skey->sk_flags |= SK_ISNULL;
		else
			skey->sk_flags &= ~SK_ISNULL;
	}
}

/*
 * The index tuple of the entry at pos, in the cursor's copy of the page: what
 * an index-only answer takes its values from.  Its t_tid is not the entry's.
 */
IndexTuple
zz_cursor_btree_tuple(ZigzagCursor *cursor, int pos)
{
	return zz_btree_items_tuple(&((BtreeCursor *) cursor)->items, pos);
}
