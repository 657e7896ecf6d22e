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
extern bool zz_heap_sees(ZigzagHeap *heap, ZigzagLeapfrog *lf,
						 TupleTableSlot *slot, ItemPointer tid);
extern void zz_heap_reset(ZigzagHeap *heap);
extern void zz_heap_end(ZigzagHeap *heap);

#endif							/* ZZ_HEAP_H */
