/*-------------------------------------------------------------------------
 *
 * zz_btree_items.c
 *	  Searching and decoding the items of a copied leaf page.
 *
 * All items looked at here are in the cursor's range (zz_cursor_btree.c), so
 * none is tested against the bound columns.  They are decoded lazily, a batch at
 * a time.  A batch is loaded in one of two ways:
 *
 *	run		plain items of one length, mostly different: only the images are
 *			taken out.  TIDs stay in the copy until one is asked for, which is
 *			where images are equal and for the rows of the result.
 *	mixed	whatever there is: posting lists, a block at a time, NULLs, dead
 *			items, repeated keys.
 *
 * In a backward scan everything is mirrored: items are taken from the end of
 * the page, images are complemented, so that keys still ascend.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/nbtree.h"
#include "access/tupmacs.h"
#include "utils/rel.h"

#include "zz_btree_items.h"
#include "zz_compat.h"

/* Items of a run that are tested together. */
#define RUN_BLOCK		32

static inline uint64
pack_tid(const ItemPointerData *tid)
{
	return ((uint64) tid->ip_blkid.bi_hi << 32) |
		((uint64) tid->ip_blkid.bi_lo << 16) |
		(uint64) tid->ip_posid;
}

/* The n-th item after the current one, in scan order. */
static inline OffsetNumber
nth_item(ZigzagBtreeItems *items, int n)
{
	return items->backward ? items->item - n : items->item + n;
}

/* Pass n items over. */
static inline void
next_item(ZigzagBtreeItems *items, int n)
{
	items->item = nth_item(items, n);
	items->nitems -= n;
	items->posting_done = 0;
}

/* Bytes that the image of a value is made of. */
static inline int
image_length(ZigzagImageKind kind)
{
	switch (kind)
	{
		case ZIGZAG_IMAGE_BOOL:
			return sizeof(bool);
		case ZIGZAG_IMAGE_INT2:
			return sizeof(int16);
		case ZIGZAG_IMAGE_INT4:
		case ZIGZAG_IMAGE_OID:
			return sizeof(int32);
		default:
			return sizeof(int64);
	}
}

/* The image of the value at place, in the index's own direction. */
static pg_attribute_always_inline uint64
image_at(const char *place, ZigzagImageKind kind)
{
	if (kind == ZIGZAG_IMAGE_UUID)
		return zz_btree_image(kind, PointerGetDatum(place));
	return zz_btree_image(kind, fetch_att(place, true, image_length(kind)));
}

static pg_attribute_always_inline uint64
item_image(ZigzagBtreeItems *items, IndexTuple itup)
{
	bool		isnull;
	Datum		value;

	if (items->image_offset > 0 && !IndexTupleHasNulls(itup))
		return image_at((const char *) itup + items->image_offset,
						items->image_kind) ^ items->image_flip;

	value = index_getattr(itup, items->nfixed + 1,
						  RelationGetDescr(items->index), &isnull);
	if (isnull)
		return items->null_image;
	return zz_btree_image(items->image_kind, value) ^ items->image_flip;
}

static void
item_suffix(ZigzagBtreeItems *items, IndexTuple itup, Datum *values, bool *nulls)
{
	for (int i = 0; i < items->nsuffix; i++)
		values[i] = index_getattr(itup, items->nfixed + i + 1,
								  RelationGetDescr(items->index), &nulls[i]);
}

/*
 * Does the last entry of an item lie before target?
 */
static bool
item_precedes(ZigzagBtreeItems *items, OffsetNumber offset, const ZigzagKey *target)
{
	IndexTuple	itup = zz_btree_page_item(&items->page, offset);
	ZigzagKey	last;

	last.image = 0;
	if (items->nsuffix > 0)
	{
		last.image = item_image(items, itup);
		if (last.image != target->image)
			return last.image < target->image;
		if (!zz_image_is_exact(items->space, last.image))
			item_suffix(items, itup, items->item_values, items->item_nulls);
	}
	last.values = items->item_values;
	last.nulls = items->item_nulls;
	last.tid = items->tid_flip ^
		pack_tid(items->backward ? BTreeTupleGetHeapTID(itup) :
				 BTreeTupleGetMaxHeapTID(itup));

	return zz_key_compare(items->space, &last, target) < 0;
}

/*
 * Find the first remaining item that does not precede target, by galloping:
 * its distance from the current one, or nitems if all of them precede it.
 */
int
zz_btree_items_search(ZigzagBtreeItems *items, const ZigzagKey *target)
{
	int			step = 1;
	int			low = 0;
	int			high = 0;

	while (high < items->nitems &&
		   item_precedes(items, nth_item(items, high), target))
	{
		low = high + 1;
		high = low + step;
		step *= 2;
	}
	high = Min(high, items->nitems);

	while (low < high)
	{
		int			mid = low + (high - low) / 2;

		if (item_precedes(items, nth_item(items, mid), target))
			low = mid + 1;
		else
			high = mid;
	}

	return low;
}

/*
 * Does the current item, which does not precede target, have its suffix?
 */
static bool
item_has_suffix(ZigzagBtreeItems *items, IndexTuple itup, const ZigzagKey *target)
{
	const ZigzagKeySpace *space = items->space;

	if (items->nsuffix == 0)
		return true;
	if (item_image(items, itup) != target->image)
		return false;
	if (zz_image_is_exact(space, target->image))
		return true;

	item_suffix(items, itup, items->item_values, items->item_nulls);
	return space->compare(space->compare_arg,
						  items->item_values, items->item_nulls,
						  target->values, target->nulls) == 0;
}

/*
 * Pass over the entries of the current item that lie before target, if it is a
 * posting list: how many.  A batch may hold a part of the list only, and that
 * has to be the part the target is in.
 */
static int
skip_in_posting(ZigzagBtreeItems *items, const ZigzagKey *target)
{
	IndexTuple	itup = zz_btree_page_item(&items->page, items->item);
	const ItemPointerData *posting;
	int			last;
	int			low = items->posting_done;
	int			high;

	if (!BTreeTupleIsPosting(itup) || !item_has_suffix(items, itup, target))
		return 0;

	posting = BTreeTupleGetPosting(itup);
	last = BTreeTupleGetNPosting(itup) - 1;
	high = last;				/* the last entry does not precede target */
	while (low < high)
	{
		int			mid = low + (high - low) / 2;
		const ItemPointerData *tid = &posting[items->backward ? last - mid : mid];

		if ((pack_tid(tid) ^ items->tid_flip) < target->tid)
			low = mid + 1;
		else
			high = mid;
	}

	high = low - items->posting_done;
	items->posting_done = low;
	return high;
}

/*
 * Append entries of a posting list to the batch, at most so many.  True: the
 * list is done.
 */
static bool
load_posting(ZigzagBtreeItems *items, IndexTuple itup, OffsetNumber offset, int limit)
{
	const ItemPointerData *posting = BTreeTupleGetPosting(itup);
	int			nposting = BTreeTupleGetNPosting(itup);
	int			n = items->nentries;
	int			count = Min(nposting - items->posting_done, limit);
	uint64	   *tids = items->tids + n;

	if (items->backward)
	{
		posting += nposting - 1 - items->posting_done;
		for (int i = 0; i < count; i++)
			tids[i] = pack_tid(posting - i) ^ ZIGZAG_TID_MASK;
	}
	else
	{
		posting += items->posting_done;
		for (int i = 0; i < count; i++)
			tids[i] = pack_tid(posting + i);
	}

	for (int i = 0; i < count; i++)
		items->offsets[n + i] = offset;
	if (items->nsuffix > 0)
	{
		uint64		image = item_image(items, itup);

		for (int i = 0; i < count; i++)
			items->images[n + i] = image;
	}

	items->nentries += count;
	items->posting_done += count;
	return items->posting_done == nposting;
}

/*
 * Append entries of plain items to the batch, up to target in all; stop at a
 * posting list.  What every entry goes through is kept in registers.
 */
static void
load_plain(ZigzagBtreeItems *items, int target)
{
	Page		copy = zz_btree_page_copy(&items->page);
	OffsetNumber offset = items->item;
	int			direction = items->backward ? -1 : 1;
	int			left = items->nitems;
	int			n = items->nentries;
	uint64		flip = items->tid_flip;
	bool		ignore_dead = items->page.ignore_dead;
	bool		has_suffix = items->nsuffix > 0;

	for (; left > 0 && n < target; left--, offset += direction)
	{
		ItemId		itemid = PageGetItemId(copy, offset);
		IndexTuple	itup = (IndexTuple) PageGetItem(copy, itemid);

		if (ignore_dead && ItemIdIsDead(itemid))
			continue;
		if (BTreeTupleIsPosting(itup))
			break;

		items->tids[n] = pack_tid(&itup->t_tid) ^ flip;
		items->offsets[n] = offset;
		if (has_suffix)
			items->images[n] = item_image(items, itup);
		n++;
	}

	items->nentries = n;
	if (left < items->nitems)
		next_item(items, items->nitems - left);
}

/*
 * Append entries from the remaining items of the copy, whatever they are.
 */
static void
load_mixed_batch(ZigzagBtreeItems *items, int target)
{
	items->is_run = false;

	while (items->nitems > 0 && items->nentries < target)
	{
		IndexTuple	itup;

		load_plain(items, target);
		if (items->nitems == 0 || items->nentries >= target)
			break;

		itup = zz_btree_page_item(&items->page, items->item);
		if (!load_posting(items, itup, items->item, target - items->nentries))
			break;
		next_item(items, 1);
	}
}

/*
 * Are the images of a block mostly different?  A few neighbours tell.
 */
static bool
mostly_different(const uint64 *images, int block)
{
	int			repeats = 0;

	for (int i = 1; i < block; i += 4)
		repeats += images[i] == images[i - 1];
	return repeats * 16 <= block;
}

/*
 * Do so many line pointers, from the first on, differ in anything but where the
 * item is?
 */
static inline bool
itemids_differ(const ItemIdData *itemids, int count)
{
	const ItemIdData off = {.lp_off = ~0};
	uint32		ignored;
	uint32		first;
	uint32		differ = 0;

	memcpy(&ignored, &off, sizeof(off));
	memcpy(&first, &itemids[0], sizeof(first));
	for (int i = 1; i < count; i++)
	{
		uint32		other;

		memcpy(&other, &itemids[i], sizeof(other));
		differ |= other ^ first;
	}
	return (differ & ~ignored) != 0;
}

/*
 * Load entries from a run: plain, living items of one length without NULLs,
 * whose images are mostly different, up to target.  Returns their number; 0 if
 * the next items are no run.
 *
 * This is what a long scan of unique keys goes through, and it is bound by
 * memory: so items are looked at once, without a branch, in blocks of which
 * each is a run or ends the batch before it; TIDs stay where they are until one
 * is asked for.  kind is a constant in every call, for a loop of its own.
 */
static pg_attribute_always_inline int
load_run(ZigzagBtreeItems *items, int target, ZigzagImageKind kind)
{
	const char *copy = (const char *) zz_btree_page_copy(&items->page);
	const ItemIdData *itemid = PageGetItemId(zz_btree_page_copy(&items->page),
											 items->item);
	int			direction = items->backward ? -1 : 1;
	int			offset = items->image_offset;
	uint64		flip = items->image_flip;
	int			left = Min(items->nitems, target);
	int			length = ItemIdGetLength(itemid);
	int			n = 0;

	if (length < offset + image_length(kind))
		return 0;

	while (left > 0)
	{
		int			block = Min(left, RUN_BLOCK);
		uint64	   *image = items->images + n;
		uint16		infos = 0;

		zz_btree_page_warm(&items->page, BLCKSZ / 8);

		if (itemids_differ(items->backward ? itemid - block + 1 : itemid, block) ||
			ItemIdGetLength(itemid) != length || !ItemIdIsNormal(itemid))
			break;

		for (int i = 0; i < block; i++, itemid += direction)
		{
			const char *item = copy + ItemIdGetOffset(itemid);

			infos |= ((IndexTuple) item)->t_info;
			image[i] = image_at(item + offset, kind) ^ flip;
		}
		if ((infos & (INDEX_NULL_MASK | INDEX_ALT_TID_MASK)) != 0 ||
			!mostly_different(image, block))
			break;

		n += block;
		left -= block;
	}

	return n;
}

/*
 * load_run for the type of the first suffix column, if it has an image that is
 * quickly made.
 */
static bool
load_run_batch(ZigzagBtreeItems *items, int target)
{
	int			n = 0;

	if (items->image_offset == 0 || items->nitems == 0)
		return false;

	switch (items->image_kind)
	{
		case ZIGZAG_IMAGE_INT4:
			n = load_run(items, target, ZIGZAG_IMAGE_INT4);
			break;
		case ZIGZAG_IMAGE_INT8:
			n = load_run(items, target, ZIGZAG_IMAGE_INT8);
			break;
		case ZIGZAG_IMAGE_UUID:
			n = load_run(items, target, ZIGZAG_IMAGE_UUID);
			break;
		default:
			break;
	}
	if (n == 0)
		return false;

	items->is_run = true;
	items->run_first = items->item;
	items->nentries = n;
	next_item(items, n);
	return true;
}

/*
 * Make the next items the batch, up to target entries.  It may stay empty, if
 * they are dead.
 */
void
zz_btree_items_load(ZigzagBtreeItems *items, int target)
{
	items->nentries = 0;
	items->suffix_pos = -1;
	if (!load_run_batch(items, target))
		load_mixed_batch(items, target);
}

/*
 * Pass distance items over, and the entries of the item that follows that lie
 * before target, if it is a posting list.  Returns how many both are.
 */
int
zz_btree_items_skip(ZigzagBtreeItems *items, int distance,
					const ZigzagKey *target)
{
	if (distance > 0)
		next_item(items, distance);
	return distance + skip_in_posting(items, target);
}

/*
 * Where on the page the item of the entry at pos is.
 */
static OffsetNumber
entry_offset(ZigzagBtreeItems *items, int pos)
{
	Assert(pos >= 0 && pos < items->nentries);
	if (!items->is_run)
		return items->offsets[pos];
	if (items->backward)
		return items->run_first - pos;
	return items->run_first + pos;
}

/*
 * The index tuple of the entry at pos, in the copy.  Its t_tid is not the
 * entry's.
 */
IndexTuple
zz_btree_items_tuple(ZigzagBtreeItems *items, int pos)
{
	return zz_btree_page_item(&items->page, entry_offset(items, pos));
}

void
zz_btree_items_note_dead(ZigzagBtreeItems *items, int pos)
{
	zz_btree_page_note_dead(&items->page, entry_offset(items, pos));
}

uint64
zz_btree_items_tid(ZigzagBtreeItems *items, int pos)
{
	if (!items->is_run)
		return items->tids[pos];
	return pack_tid(&zz_btree_items_tuple(items, pos)->t_tid) ^ items->tid_flip;
}

void
zz_btree_items_suffix(ZigzagBtreeItems *items, int pos, const Datum **values,
					  const bool **nulls)
{
	if (items->suffix_pos != pos)
	{
		item_suffix(items, zz_btree_items_tuple(items, pos),
					items->values, items->nulls);
		items->suffix_pos = pos;
	}
	*values = items->values;
	*nulls = items->nulls;
}

/*
 * A page has been copied: nitems of its items are left, from item on.
 */
void
zz_btree_items_set(ZigzagBtreeItems *items, OffsetNumber item, int nitems)
{
	items->item = item;
	items->nitems = nitems;
	items->posting_done = 0;
	items->nentries = 0;
	items->suffix_pos = -1;
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
 * Prepare for an index with nfixed bound columns; no item is left yet.  Memory
 * in the current context.  The page is the caller's to initialize.
 */
void
zz_btree_items_init(ZigzagBtreeItems *items, Relation index,
					const ZigzagKeySpace *space, int nfixed, bool backward)
{
	int			nkeys = nfixed + space->nsuffix;

	items->index = index;
	items->space = space;
	items->backward = backward;
	items->nfixed = nfixed;
	items->nsuffix = space->nsuffix;
	items->tid_flip = backward ? ZIGZAG_TID_MASK : 0;
	items->values = palloc(nkeys * sizeof(Datum));
	items->nulls = palloc(nkeys * sizeof(bool));
	items->item_values = palloc(nkeys * sizeof(Datum));
	items->item_nulls = palloc(nkeys * sizeof(bool));
	if (space->nsuffix > 0)
	{
		int			option = index->rd_indoption[nfixed];

		items->image_kind = zz_btree_image_kind(index, nfixed);
		if (items->image_kind != ZIGZAG_IMAGE_NONE)
			items->image_offset = fixed_offset(index, nfixed);
		if (((option & INDOPTION_DESC) != 0) != backward)
			items->image_flip = PG_UINT64_MAX;
		if (((option & INDOPTION_NULLS_FIRST) != 0) != backward)
			items->null_image = ZIGZAG_IMAGE_MIN;
		else
			items->null_image = ZIGZAG_IMAGE_MAX;
	}
	zz_btree_items_set(items, InvalidOffsetNumber, 0);
}
