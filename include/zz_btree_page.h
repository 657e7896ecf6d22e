/*-------------------------------------------------------------------------
 *
 * zz_btree_page.h
 *	  Reading the leaf pages of a btree, one private copy at a time.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_BTREE_PAGE_H
#define ZZ_BTREE_PAGE_H

#include "access/nbtree.h"
#include "storage/buf.h"
#include "utils/snapshot.h"

#include "zz_compat.h"
#include "zz_cursor.h"

/* An item of the copy, entries of which have turned out to be dead to all. */
typedef struct ZigzagDeadItem
{
	OffsetNumber offset;
	uint16		nentries;
} ZigzagDeadItem;

typedef struct ZigzagBtreePage
{
	Relation	index;
	Snapshot	snapshot;
	bool		keep_pin;		/* keep the pin while the copy is in use */
	bool		ignore_dead;	/* skip items that are known dead to all */
	bool		mark_dead;		/* mark those that turn out to be */

	BlockNumber blkno;			/* page copied; Invalid: none */
	BlockNumber left;			/* its siblings when it was copied */
	BlockNumber right;
	XLogRecPtr	lsn;			/* of the page when it was copied */
	Buffer		pin;			/* Invalid unless keep_pin */
	Buffer		ahead;			/* where the next page was seen; not pinned */
	BlockNumber ahead_blkno;
	int			warmed;			/* bytes of it that have been hinted at */
	ZigzagCounters *counters;	/* work done, the cursor's */
	int			ndead;			/* items to be looked at when it is left */
	ZigzagDeadItem dead[MaxIndexTuplesPerPage];
	PGAlignedBlock copy;
} ZigzagBtreePage;

extern void zz_btree_page_init(ZigzagBtreePage *page, Relation index,
							   Snapshot snapshot, bool keep_pin,
							   ZigzagCounters *counters);
extern bool zz_btree_page_descend(ZigzagBtreePage *page, BTScanInsert key);
extern bool zz_btree_page_right(ZigzagBtreePage *page, BTScanInsert unless_past);
extern bool zz_btree_page_left(ZigzagBtreePage *page);
extern void zz_btree_page_look_ahead(ZigzagBtreePage *page, bool backward);
extern void zz_btree_page_note_dead(ZigzagBtreePage *page, OffsetNumber offset);
extern void zz_btree_page_release(ZigzagBtreePage *page);

static inline void
zz_btree_page_warm(ZigzagBtreePage *page, int bytes)
{
	if (BufferIsValid(page->ahead) && page->warmed < BLCKSZ)
	{
		const char *data = (const char *) BufferGetBlock(page->ahead) + page->warmed;

		for (int i = 0; i < bytes; i += PG_CACHE_LINE_SIZE / 2)
			zz_prefetch_memory(data + i);
		page->warmed += bytes;
	}
}

static inline Page
zz_btree_page_copy(ZigzagBtreePage *page)
{
	return (Page) page->copy.data;
}

static inline OffsetNumber
zz_btree_page_first(ZigzagBtreePage *page)
{
	return P_FIRSTDATAKEY(BTPageGetOpaque(zz_btree_page_copy(page)));
}

static inline OffsetNumber
zz_btree_page_last(ZigzagBtreePage *page)
{
	return PageGetMaxOffsetNumber(zz_btree_page_copy(page));
}

static inline IndexTuple
zz_btree_page_item(ZigzagBtreePage *page, OffsetNumber offset)
{
	Page		copy = zz_btree_page_copy(page);

	return (IndexTuple) PageGetItem(copy, PageGetItemId(copy, offset));
}

#endif							/* ZZ_BTREE_PAGE_H */
