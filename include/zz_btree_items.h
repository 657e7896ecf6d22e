/*-------------------------------------------------------------------------
 *
 * zz_btree_items.h
 *	  The items of a copied leaf page that are in a cursor's range, and the
 *	  batch of entries made of them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_BTREE_ITEMS_H
#define ZZ_BTREE_ITEMS_H

#include "zz_btree_key.h"
#include "zz_btree_page.h"

/* Entries of the first batch after a jump. */
#define ZIGZAG_FIRST_BATCH	32

typedef struct ZigzagBtreeItems
{
	Relation	index;
	const ZigzagKeySpace *space;
	bool		backward;
	int			nfixed;
	int			nsuffix;
	uint64		tid_flip;		/* xor that turns a TID into its image */
	uint64		image_flip;		/* the same for the first suffix column */
	uint64		null_image;
	ZigzagImageKind image_kind;
	int			image_offset;	/* of the first suffix column in an item
								 * without NULLs, if it is at a fixed place
								 * and has an image; else 0 */

	/* items of the copy not yet handed out, in scan order */
	OffsetNumber item;			/* the first of them */
	int			nitems;			/* how many they are */
	int			posting_done;	/* entries of its posting list that are done */

	/* the batch */
	int			nentries;
	bool		is_run;			/* one entry of each item from run_first on:
								 * tids and offsets are not filled */
	OffsetNumber run_first;
	uint64		images[ZIGZAG_MAX_BATCH];
	uint64		tids[ZIGZAG_MAX_BATCH];
	OffsetNumber offsets[ZIGZAG_MAX_BATCH]; /* of the item of each entry */

	int			suffix_pos;		/* entry whose suffix values hold, or -1 */
	Datum	   *values;
	bool	   *nulls;
	Datum	   *item_values;	/* the same for an item that is not decoded */
	bool	   *item_nulls;

	ZigzagBtreePage page;
} ZigzagBtreeItems;

extern void zz_btree_items_init(ZigzagBtreeItems *items, Relation index,
								const ZigzagKeySpace *space, int nfixed,
								bool backward);

/* The items left are nitems, from item on in scan order; the batch is empty. */
extern void zz_btree_items_set(ZigzagBtreeItems *items, OffsetNumber item,
							   int nitems);

/*
 * Pass over what precedes target.  search: how many items from the current one
 * on do, nothing is changed; skip: pass over so many, and in the posting list
 * that follows over the entries that do.  Returns what was passed over.
 */
extern int	zz_btree_items_search(ZigzagBtreeItems *items,
								  const ZigzagKey *target);
extern int	zz_btree_items_skip(ZigzagBtreeItems *items, int distance,
								const ZigzagKey *target);

/*
 * Make the next items the batch, up to target entries.  It may stay empty where
 * they are known to be dead.
 */
extern void zz_btree_items_load(ZigzagBtreeItems *items, int target);

/* Of an entry of the batch: its index tuple, its TID's image, its suffix. */
extern IndexTuple zz_btree_items_tuple(ZigzagBtreeItems *items, int pos);
extern uint64 zz_btree_items_tid(ZigzagBtreeItems *items, int pos);
extern void zz_btree_items_suffix(ZigzagBtreeItems *items, int pos,
								  const Datum **values, const bool **nulls);

/* The row of an entry of the batch is dead to all. */
extern void zz_btree_items_note_dead(ZigzagBtreeItems *items, int pos);

#endif							/* ZZ_BTREE_ITEMS_H */
