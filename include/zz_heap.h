/*-------------------------------------------------------------------------
 *
 * zz_heap.h
 *	  The rows that the matches of a leapfrog stand for, from the heap.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_HEAP_H
#define ZZ_HEAP_H

#include "executor/tuptable.h"
#include "utils/relcache.h"
#include "utils/snapshot.h"

#include "zz_leapfrog.h"

typedef struct ZigzagHeap ZigzagHeap;

extern ZigzagHeap *zz_heap_create(Relation rel, Snapshot snapshot,
								  Relation index, uint64 tid_flip);
extern bool zz_heap_next(ZigzagHeap *heap, ZigzagLeapfrog *lf,
						 TupleTableSlot *slot);
extern bool zz_heap_fetch(ZigzagHeap *heap, ItemPointer tid,
						  TupleTableSlot *slot);
extern void zz_heap_reset(ZigzagHeap *heap);
extern void zz_heap_end(ZigzagHeap *heap);

/* The TID whose image, in a scan with that tid_flip, is given. */
static inline void
zz_heap_unpack_tid(uint64 image, uint64 tid_flip, ItemPointer tid)
{
	uint64		packed = image ^ tid_flip;

	ItemPointerSet(tid, (BlockNumber) (packed >> 16),
				   (OffsetNumber) (packed & 0xFFFF));
}

#endif							/* ZZ_HEAP_H */
