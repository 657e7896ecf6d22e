/*-------------------------------------------------------------------------
 *
 * zz_cursor_btree.c
 *	  Cursor over the entries of a btree that share their leading columns.
 *
 * The cursor works on a private copy of one leaf page (zz_btree_page.c).  On
 * the copy it knows the range of items that it still has to hand out, all of
 * them within the bound leading columns, so that no item needs to be tested.
 * It decodes them lazily: a batch begins with few entries after a jump and
 * doubles while the reading goes on without one.  A posting list is decoded as
 * a block.
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
 * In a backward scan everything is mirrored: items are taken from the end of
 * the page, images are complemented, so that keys still ascend.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/nbtree.h"
#include "access/stratnum.h"
#include "access/tupmacs.h"
#include "pgstat.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "zz_btree_key.h"
#include "zz_btree_page.h"
#include "zz_compat.h"
#include "zz_cursor_btree.h"

/* Entries of the first batch after a jump. */
#define FIRST_BATCH		32

typedef struct BtreeCursor
{
	ZigzagCursor base;
	Relation	index;
	bool		backward;
	int			nfixed;
	int			nsuffix;
	uint64		tid_flip;		/* xor that turns a TID into its image */
	uint64		image_flip;		/* the same for the first suffix column */
	uint64		null_image;
	ZigzagImageKind image_kind;
	int			int8_offset;	/* of the first suffix column in an item
								 * without NULLs, if it is a 64-bit integer at
								 * a fixed place; else 0 */
	BTScanInsert key;			/* all key columns; set up anew for each use */

	/* items of the copy not yet handed out, in scan order */
	OffsetNumber item;			/* the first of them */
	int			nitems;			/* how many they are */
	int			posting_done;	/* entries of its posting list that are done */
	bool		more_pages;		/* may the range go on behind the copy? */
	bool		started;		/* false until a page has been read */
	bool		step_first;		/* did the last long seek end on the sibling? */
	int			batch_target;	/* entries the next batch should have */

	/* the batch */
	uint64		tids[ZIGZAG_MAX_BATCH];
	uint64		images[ZIGZAG_MAX_BATCH];
	OffsetNumber items[ZIGZAG_MAX_BATCH];

	int			suffix_pos;		/* entry the suffix below belongs to, or -1 */
	Datum	   *values;
	bool	   *nulls;
	Datum	   *item_values;	/* the same for an item that is not decoded */
	bool	   *item_nulls;

	ZigzagBtreePage page;
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
	uint64		packed = target->tid ^ cur->tid_flip;

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
								  zz_btree_page_copy(&cur->page), offset);

	return (cmp > 0) - (cmp < 0);
}

/* ----------------------------------------------------------------
 *		Items of the copy
 * ----------------------------------------------------------------
 */

static inline uint64
pack_tid(const ItemPointerData *tid)
{
	return ((uint64) tid->ip_blkid.bi_hi << 32) |
		((uint64) tid->ip_blkid.bi_lo << 16) |
		(uint64) tid->ip_posid;
}

/* The n-th item after the current one, in scan order. */
static inline OffsetNumber
nth_item(BtreeCursor *cur, int n)
{
	return cur->backward ? cur->item - n : cur->item + n;
}

/* Pass n items over. */
static inline void
next_item(BtreeCursor *cur, int n)
{
	cur->item = nth_item(cur, n);
	cur->nitems -= n;
	cur->posting_done = 0;
}

static pg_attribute_always_inline uint64
item_image(BtreeCursor *cur, IndexTuple itup)
{
	bool		isnull;
	Datum		value;

	/* The common case, for every entry: one load. */
	if (cur->int8_offset > 0 && !IndexTupleHasNulls(itup))
	{
		int64		number = *(int64 *) ((char *) itup + cur->int8_offset);

		return zz_btree_image(ZIGZAG_IMAGE_INT8, Int64GetDatum(number)) ^
			cur->image_flip;
	}

	value = index_getattr(itup, cur->nfixed + 1,
						  RelationGetDescr(cur->index), &isnull);
	if (isnull)
		return cur->null_image;
	return zz_btree_image(cur->image_kind, value) ^ cur->image_flip;
}

static void
item_suffix(BtreeCursor *cur, IndexTuple itup, Datum *values, bool *nulls)
{
	for (int i = 0; i < cur->nsuffix; i++)
		values[i] = index_getattr(itup, cur->nfixed + i + 1,
								  RelationGetDescr(cur->index), &nulls[i]);
}

/*
 * Does the last entry of an item lie before target?
 */
static bool
item_precedes(BtreeCursor *cur, OffsetNumber offset, const ZigzagKey *target)
{
	IndexTuple	itup = zz_btree_page_item(&cur->page, offset);
	ZigzagKey	last;

	last.image = 0;
	if (cur->nsuffix > 0)
	{
		last.image = item_image(cur, itup);
		if (last.image != target->image)
			return last.image < target->image;
		if (!zz_image_is_exact(cur->base.space, last.image))
			item_suffix(cur, itup, cur->item_values, cur->item_nulls);
	}
	last.values = cur->item_values;
	last.nulls = cur->item_nulls;
	last.tid = cur->tid_flip ^
		pack_tid(cur->backward ? BTreeTupleGetHeapTID(itup) :
				 BTreeTupleGetMaxHeapTID(itup));

	return zz_key_compare(cur->base.space, &last, target) < 0;
}

/*
 * Find the first remaining item that does not precede target, by galloping:
 * its distance from the current one, or nitems if all of them precede it.
 */
static int
search_items(BtreeCursor *cur, const ZigzagKey *target)
{
	int			step = 1;
	int			low = 0;
	int			high = 0;

	while (high < cur->nitems &&
		   item_precedes(cur, nth_item(cur, high), target))
	{
		low = high + 1;
		high = low + step;
		step *= 2;
	}
	high = Min(high, cur->nitems);

	while (low < high)
	{
		int			mid = low + (high - low) / 2;

		if (item_precedes(cur, nth_item(cur, mid), target))
			low = mid + 1;
		else
			high = mid;
	}

	return low;
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
 * A page has been copied: find the items of it that are in the range.
 *
 * The page's ends are tested first.  Within a long range both are in it.
 */
static void
find_range(BtreeCursor *cur)
{
	OffsetNumber first = zz_btree_page_first(&cur->page);
	OffsetNumber last = zz_btree_page_last(&cur->page);
	BTPageOpaque opaque = BTPageGetOpaque(zz_btree_page_copy(&cur->page));
	OffsetNumber range_first = first;
	OffsetNumber range_last = last;

	cur->started = true;
	cur->suffix_pos = -1;
	cur->nitems = 0;
	cur->posting_done = 0;

	if (first <= last)
	{
		if (compare_fixed(cur, first) != 0)
			range_first = bound_of_range(cur, first, last, 0);
		if (range_first > last)
			range_last = last;	/* all items sort before the range */
		else if (compare_fixed(cur, last) != 0)
			range_last = bound_of_range(cur, range_first, last, 1) - 1;
		cur->nitems = range_last + 1 - range_first;
	}

	/*
	 * The range goes on behind the copy unless an item of the copy, or in a
	 * forward scan the high key, lies past it.
	 */
	if (cur->backward)
	{
		cur->item = range_last;
		cur->more_pages = !P_LEFTMOST(opaque) && range_first == first;
	}
	else
	{
		cur->item = range_first;
		cur->more_pages = !P_RIGHTMOST(opaque) && range_last == last &&
			compare_fixed(cur, P_HIKEY) >= 0;
	}
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
	cur->nitems = 0;
	cur->posting_done = 0;
	cur->more_pages = false;
	zz_btree_page_release(&cur->page);
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

	if (!zz_btree_page_descend(&cur->page, key))
		return false;

	find_range(cur);
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
		moved = zz_btree_page_left(&cur->page);
	else
		moved = zz_btree_page_right(&cur->page,
									target == NULL ? NULL :
									target_key(cur, target, &tid));
	if (moved)
		find_range(cur);
	return moved;
}

/*
 * Append entries of a posting list to the batch, at most so many.  True: the
 * list is done.
 */
static bool
load_posting(BtreeCursor *cur, IndexTuple itup, OffsetNumber offset, int limit)
{
	const ItemPointerData *posting = BTreeTupleGetPosting(itup);
	int			nposting = BTreeTupleGetNPosting(itup);
	int			n = cur->base.nentries;
	int			count = Min(nposting - cur->posting_done, limit);
	uint64	   *tids = cur->tids + n;

	if (cur->backward)
	{
		posting += nposting - 1 - cur->posting_done;
		for (int i = 0; i < count; i++)
			tids[i] = pack_tid(posting - i) ^ ZIGZAG_TID_MASK;
	}
	else
	{
		posting += cur->posting_done;
		for (int i = 0; i < count; i++)
			tids[i] = pack_tid(posting + i);
	}

	for (int i = 0; i < count; i++)
		cur->items[n + i] = offset;
	if (cur->nsuffix > 0)
	{
		uint64		image = item_image(cur, itup);

		for (int i = 0; i < count; i++)
			cur->images[n + i] = image;
	}

	cur->base.nentries += count;
	cur->posting_done += count;
	return cur->posting_done == nposting;
}

/*
 * Fill the batch from the remaining items of the copy.  The batch may stay
 * empty, if all of them are dead.
 */
static void
load_batch(BtreeCursor *cur)
{
	Page		copy = zz_btree_page_copy(&cur->page);
	int			target = cur->batch_target;

	cur->base.nentries = 0;
	cur->base.pos = 0;
	cur->suffix_pos = -1;

	while (cur->nitems > 0 && cur->base.nentries < target)
	{
		OffsetNumber offset = cur->item;
		ItemId		itemid = PageGetItemId(copy, offset);
		IndexTuple	itup = (IndexTuple) PageGetItem(copy, itemid);

		if (cur->page.ignore_dead && ItemIdIsDead(itemid))
			 /* skip it */ ;
		else if (BTreeTupleIsPosting(itup))
		{
			if (!load_posting(cur, itup, offset, target - cur->base.nentries))
				break;
		}
		else
		{
			int			n = cur->base.nentries++;

			cur->tids[n] = pack_tid(&itup->t_tid) ^ cur->tid_flip;
			cur->items[n] = offset;
			if (cur->nsuffix > 0)
				cur->images[n] = item_image(cur, itup);
		}
		next_item(cur, 1);
	}

	cur->base.counters.entries += cur->base.nentries;
	pgstat_count_index_tuples(cur->index, cur->base.nentries);
}

/*
 * Load the next batch that is not empty, going from page to page.
 */
static bool
load_or_step(BtreeCursor *cur)
{
	for (;;)
	{
		load_batch(cur);
		if (cur->base.nentries > 0)
			return true;
		if (cur->nitems > 0)
			continue;
		if (!cur->more_pages || !step(cur, NULL))
			return finish(cur);
	}
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
 * Does the current item, which does not precede target, have its suffix?
 */
static bool
item_has_suffix(BtreeCursor *cur, IndexTuple itup, const ZigzagKey *target)
{
	const ZigzagKeySpace *space = cur->base.space;

	if (cur->nsuffix == 0)
		return true;
	if (item_image(cur, itup) != target->image)
		return false;
	if (zz_image_is_exact(space, target->image))
		return true;

	item_suffix(cur, itup, cur->item_values, cur->item_nulls);
	return space->compare(space->compare_arg,
						  cur->item_values, cur->item_nulls,
						  target->values, target->nulls) == 0;
}

/*
 * Pass over the entries of the current item that lie before target, if it is a
 * posting list: how many.  A batch may hold a part of the list only, and that
 * has to be the part the target is in.
 */
static int
skip_in_posting(BtreeCursor *cur, const ZigzagKey *target)
{
	IndexTuple	itup = zz_btree_page_item(&cur->page, cur->item);
	const ItemPointerData *posting;
	int			last;
	int			low = cur->posting_done;
	int			high;

	if (!BTreeTupleIsPosting(itup) || !item_has_suffix(cur, itup, target))
		return 0;

	posting = BTreeTupleGetPosting(itup);
	last = BTreeTupleGetNPosting(itup) - 1;
	high = last;				/* the last entry does not precede target */
	while (low < high)
	{
		int			mid = low + (high - low) / 2;
		const ItemPointerData *tid = &posting[cur->backward ? last - mid : mid];

		if ((pack_tid(tid) ^ cur->tid_flip) < target->tid)
			low = mid + 1;
		else
			high = mid;
	}

	high = low - cur->posting_done;
	cur->posting_done = low;
	return high;
}

/*
 * Make the copy the page of the first entry at or after target, and the first
 * item that does not precede it the current one.  False: there is none.
 */
static bool
find_target(BtreeCursor *cur, const ZigzagKey *target)
{
	int			distance = search_items(cur, target);
	int			jumped = 0;
	BlockNumber sibling;

	if (distance == cur->nitems && cur->started)
	{
		if (!cur->more_pages)
			return false;
		if (cur->step_first && step(cur, target))
			distance = search_items(cur, target);
	}

	if (distance == cur->nitems)
	{
		if (cur->started && !cur->more_pages)
			return false;

		sibling = cur->backward ? cur->page.left : cur->page.right;
		cur->step_first = !cur->started;
		if (!descend(cur, target))
			return false;
		if (cur->page.blkno == sibling)
			cur->step_first = true;
		cur->batch_target = FIRST_BATCH;

		/*
		 * A descent may end one page early: where all items precede the
		 * target, or in a backward scan all lie past it.
		 */
		while ((distance = search_items(cur, target)) == cur->nitems)
		{
			if (!cur->more_pages || !step(cur, NULL))
				return false;
		}
	}

	if (distance > 0)
		next_item(cur, distance);
	jumped += distance + skip_in_posting(cur, target);

	/* After a long jump inside the page, begin small again, too. */
	if (jumped > cur->batch_target)
		cur->batch_target = FIRST_BATCH;
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

static void
btree_suffix(ZigzagCursor *cursor, int pos, const Datum **values,
			 const bool **nulls)
{
	BtreeCursor *cur = (BtreeCursor *) cursor;

	if (cur->suffix_pos != pos)
	{
		item_suffix(cur, zz_cursor_btree_tuple(cursor, pos),
					cur->values, cur->nulls);
		cur->suffix_pos = pos;
	}
	*values = cur->values;
	*nulls = cur->nulls;
}

static void
btree_rescan(ZigzagCursor *cursor)
{
	BtreeCursor *cur = (BtreeCursor *) cursor;

	zz_btree_page_release(&cur->page);
	cursor->nentries = 0;
	cursor->pos = 0;
	cursor->at_end = false;
	cur->started = false;
	cur->more_pages = false;
	cur->step_first = true;
	cur->nitems = 0;
	cur->posting_done = 0;
	cur->batch_target = FIRST_BATCH;
	cur->suffix_pos = -1;
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
	.suffix = btree_suffix,
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
 * Where in an item without NULLs a column begins; 0 if that varies.
 */
static int
fixed_offset(Relation index, int column)
{
	TupleDesc	desc = RelationGetDescr(index);
	int			offset = 0;

	for (int i = 0; i < column; i++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, i);

		if (att->attlen <= 0)
			return 0;
		offset = att_align_nominal(offset, att->attalign) + att->attlen;
	}
	return MAXALIGN(sizeof(IndexTupleData)) +
		att_align_nominal(offset, TupleDescAttr(desc, column)->attalign);
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
	int			nkeys = IndexRelationGetNumberOfKeyAttributes(index);

	Assert(IsMVCCSnapshot(options->snapshot));
	Assert(nfixed > 0 && nfixed + space->nsuffix == nkeys);

	memset(cur, 0, offsetof(BtreeCursor, tids));
	cur->base.methods = &btree_methods;
	cur->base.space = space;
	cur->base.tids = cur->tids;
	cur->base.images = cur->images;
	cur->index = index;
	cur->backward = ScanDirectionIsBackward(options->direction);
	cur->nfixed = nfixed;
	cur->nsuffix = space->nsuffix;
	cur->tid_flip = cur->backward ? ZIGZAG_TID_MASK : 0;
	cur->values = palloc(nkeys * sizeof(Datum));
	cur->nulls = palloc(nkeys * sizeof(bool));
	cur->item_values = palloc(nkeys * sizeof(Datum));
	cur->item_nulls = palloc(nkeys * sizeof(bool));
	if (space->nsuffix > 0)
	{
		int			option = index->rd_indoption[nfixed];

		cur->image_kind = zz_btree_image_kind(index, nfixed);
		if (cur->image_kind == ZIGZAG_IMAGE_INT8)
			cur->int8_offset = fixed_offset(index, nfixed);
		if (((option & INDOPTION_DESC) != 0) != cur->backward)
			cur->image_flip = PG_UINT64_MAX;
		if (((option & INDOPTION_NULLS_FIRST) != 0) != cur->backward)
			cur->null_image = ZIGZAG_IMAGE_MIN;
		else
			cur->null_image = ZIGZAG_IMAGE_MAX;
	}

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

	zz_btree_page_init(&cur->page, index, options->snapshot, options->keep_pin,
					   &cur->base.counters);

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
	BtreeCursor *cur = (BtreeCursor *) cursor;

	Assert(pos >= 0 && pos < cursor->nentries);
	return zz_btree_page_item(&cur->page, cur->items[pos]);
}
