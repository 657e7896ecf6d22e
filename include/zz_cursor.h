/*-------------------------------------------------------------------------
 *
 * zz_cursor.h
 *	  The abstract cursor: a sorted, seekable list of entries.
 *
 * A cursor hands out its entries in batches, ascending in scan order, each
 * entry with its two images (zz_key.h).  Consumers work on whole batches and
 * call the methods only to leave one.  A btree range is a cursor, an array is
 * one, a union of cursors is one.
 *
 * Life: create, rescan (the cursor stands before its first entry), any number
 * of next_batch and seek, close.  Seeks go forward in scan order only.
 *
 * Invariants:
 * 1. Keys ascend strictly, within a batch and from each batch to the next.
 * 2. pos is in [0, nentries]; entries before pos have been consumed.
 * 3. The batch and what suffix() returned stay valid until the cursor is moved
 *	  by a method.
 * 4. Once at_end is set the batch is empty, until rescan.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_CURSOR_H
#define ZZ_CURSOR_H

#include "zz_key.h"

/* Most entries of one batch: as many TIDs as fit on a page. */
#define ZIGZAG_MAX_BATCH	(BLCKSZ / 6)

typedef struct ZigzagCursor ZigzagCursor;

typedef struct ZigzagCursorMethods
{
	/* Stand before the first entry, with new parameters where there are any. */
	void		(*rescan) (ZigzagCursor *cursor);

	/* Load the entries that follow the batch.  False, and at_end: no more. */
	bool		(*next_batch) (ZigzagCursor *cursor);

	/*
	 * Load a batch that holds the first entry at or after target, itself past
	 * the present batch; entries before it may stand in front of it in the
	 * batch.  False, and at_end: there is no such entry.
	 */
	bool		(*seek) (ZigzagCursor *cursor, const ZigzagKey *target);

	/* The TID of the entry at pos, where the batch has no array of them. */
	uint64		(*tid) (ZigzagCursor *cursor, int pos);

	/* The suffix of the entry at pos; arrays are the cursor's. */
	void		(*suffix) (ZigzagCursor *cursor, int pos,
						   const Datum **values, const bool **nulls);

	/*
	 * The row of the entry at pos is dead to every transaction: later scans
	 * may be spared the entry.  Called in the order of pos, at most once for
	 * each.  NULL: nothing can be done about it.
	 */
	void		(*note_dead) (ZigzagCursor *cursor, int pos);

	/* Release what the cursor holds; it may be rescanned afterwards. */
	void		(*close) (ZigzagCursor *cursor);
} ZigzagCursorMethods;

/* Work done, since the cursor was created: exact, whatever the clock says. */
typedef struct ZigzagCounters
{
	uint64		descents;		/* searches from the root */
	uint64		pages;			/* leaf pages read */
	uint64		entries;		/* entries loaded into batches */
} ZigzagCounters;

struct ZigzagCursor
{
	const ZigzagCursorMethods *methods;
	const ZigzagKeySpace *space;
	int			nentries;		/* entries of the batch */
	int			pos;			/* first entry not yet consumed */
	bool		at_end;
	const uint64 *images;		/* NULL where the space has no suffix */
	const uint64 *tids;			/* NULL: the cursor makes each when asked,
								 * since the images will mostly decide */
	ZigzagCounters counters;
};

extern bool zz_cursor_seek(ZigzagCursor *cursor, const ZigzagKey *target);
extern int	zz_cursor_search(ZigzagCursor *cursor, int from, int to,
							 const ZigzagKey *target);
extern int	zz_cursor_compare_slow(ZigzagCursor *cursor, int pos,
								   const ZigzagKey *target);
extern void zz_cursor_key(ZigzagCursor *cursor, int pos, ZigzagKey *key);

static inline uint64
zz_cursor_tid(ZigzagCursor *cursor, int pos)
{
	if (cursor->tids != NULL)
		return cursor->tids[pos];
	return cursor->methods->tid(cursor, pos);
}

/*
 * Three-way comparison of the entry at pos with target; -1, 0 or 1.
 */
static inline int
zz_cursor_compare(ZigzagCursor *cursor, int pos, const ZigzagKey *target)
{
	uint64		tid;

	if (cursor->space->nsuffix > 0)
	{
		uint64		image = cursor->images[pos];

		if (image != target->image)
			return image < target->image ? -1 : 1;
		if (!zz_image_is_exact(cursor->space, image))
			return zz_cursor_compare_slow(cursor, pos, target);
	}

	tid = zz_cursor_tid(cursor, pos);
	if (tid != target->tid)
		return tid < target->tid ? -1 : 1;
	return 0;
}

static inline void
zz_cursor_rescan(ZigzagCursor *cursor)
{
	cursor->methods->rescan(cursor);
}

static inline void
zz_cursor_close(ZigzagCursor *cursor)
{
	cursor->methods->close(cursor);
}

#endif							/* ZZ_CURSOR_H */
