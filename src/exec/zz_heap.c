/*-------------------------------------------------------------------------
 *
 * zz_heap.c
 *	  The rows that the matches of a leapfrog stand for, from the heap.
 *
 * Matches come in windows, and a window knows all its matches at once.  Where
 * rows come in the order of the table, several in a row are on one page, and
 * are fetched in one go:
 *
 *	- The first row of a page goes through the table AM's index-fetch interface,
 *	  which reads the page, prunes it if that is due, and finds the version that
 *	  the snapshot sees.
 *	- The others of the page that the window knows of are looked up under one
 *	  share lock and wait in a queue, with a pin, as a bitmap heap scan's do.
 *	  Their headers are asked for from memory beforehand, all together: most of
 *	  the price of a row is the time its first cache line takes to come.
 *
 * Nothing is read ahead of what the window knows: a LIMIT may stop the scan at
 * any row, and the next match may be far away.
 *
 * A snapshot's answer does not depend on when it is asked, so a row may wait.
 * Only heap tables have ZigzagScans, which is what allows to look into a page
 * here.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/relscan.h"
#include "access/tableam.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

#include "zz_compat.h"
#include "zz_heap.h"

struct ZigzagHeap
{
	Relation	rel;
	Snapshot	snapshot;
	Relation	index;			/* whose statistics count the rows */
	uint64		tid_flip;
	IndexFetchTableData *fetch;

	/* rows of one page that have been looked up and not handed out */
	Buffer		buffer;			/* pinned for them; Invalid: none */
	int			nqueued;
	int			next;
	HeapTupleData queue[MaxHeapTuplesPerPage];
};

/*
 * For rows of rel that snapshot sees; all memory in the current context.  Rows
 * fetched are counted for index, as an index scan counts them for its own.
 */
ZigzagHeap *
zz_heap_create(Relation rel, Snapshot snapshot, Relation index, uint64 tid_flip)
{
	ZigzagHeap *heap = palloc0(sizeof(ZigzagHeap));

	heap->rel = rel;
	heap->snapshot = snapshot;
	heap->index = index;
	heap->tid_flip = tid_flip;
	heap->fetch = zz_table_index_fetch_begin(rel);
	heap->buffer = InvalidBuffer;

	return heap;
}

/*
 * Fetch the version of the row at tid that the snapshot sees into slot; false,
 * with slot as it was, if there is none.
 */
bool
zz_heap_fetch(ZigzagHeap *heap, ItemPointer tid, TupleTableSlot *slot)
{
	bool		call_again = false;

	if (!table_index_fetch_tuple(heap->fetch, tid, heap->snapshot, slot,
								 &call_again, NULL))
		return false;

	/* An MVCC snapshot sees one version of a HOT chain at most. */
	Assert(!call_again);
	pgstat_count_heap_fetch(heap->index);
	return true;
}

/*
 * Forget the queue, and the pin that keeps its rows.
 */
static void
drop_queue(ZigzagHeap *heap)
{
	if (BufferIsValid(heap->buffer))
		ReleaseBuffer(heap->buffer);
	heap->buffer = InvalidBuffer;
	heap->nqueued = 0;
	heap->next = 0;
}

/*
 * slot holds the row of the present match: queue the rows of the matches that
 * follow it on the same page, as far as the window knows them.
 */
static void
queue_rest_of_page(ZigzagHeap *heap, ZigzagLeapfrog *lf, TupleTableSlot *slot)
{
	uint64		block = zz_leapfrog_tid(lf, 0) >> 16;
	int			ahead = Min(zz_leapfrog_ahead(lf), MaxHeapTuplesPerPage);
	ItemPointerData tids[MaxHeapTuplesPerPage];
	int			ntids = 0;
	Page		page;

	while (ntids < ahead)
	{
		uint64		image = zz_leapfrog_tid(lf, ntids + 1);

		if (image >> 16 != block)
			break;
		zz_heap_unpack_tid(image, heap->tid_flip, &tids[ntids++]);
	}
	if (ntids == 0)
		return;

	Assert(TTS_IS_BUFFERTUPLE(slot));
	heap->buffer = ((BufferHeapTupleTableSlot *) slot)->buffer;
	IncrBufferRefCount(heap->buffer);

	LockBuffer(heap->buffer, BUFFER_LOCK_SHARE);
	page = BufferGetPage(heap->buffer);
	for (int i = 0; i < ntids; i++)
	{
		OffsetNumber offset = ItemPointerGetOffsetNumber(&tids[i]);

		if (offset <= PageGetMaxOffsetNumber(page) &&
			ItemIdIsNormal(PageGetItemId(page, offset)))
			zz_prefetch_memory(PageGetItem(page, PageGetItemId(page, offset)));
	}
	for (int i = 0; i < ntids; i++)
	{
		if (heap_hot_search_buffer(&tids[i], heap->rel, heap->buffer,
								   heap->snapshot, &heap->queue[heap->nqueued],
								   NULL, true))
			heap->nqueued++;
	}
	LockBuffer(heap->buffer, BUFFER_LOCK_UNLOCK);

	zz_leapfrog_skip(lf, ntids);
}

/*
 * Fetch the row of the next match of lf that has one into slot; false, with
 * slot as it was, if there is no more.  The leapfrog's cursors may then stand
 * further ahead than the row.
 */
bool
zz_heap_next(ZigzagHeap *heap, ZigzagLeapfrog *lf, TupleTableSlot *slot)
{
	ItemPointerData tid;

	if (heap->next < heap->nqueued)
	{
		ExecStoreBufferHeapTuple(&heap->queue[heap->next++], slot, heap->buffer);
		pgstat_count_heap_fetch(heap->index);
		return true;
	}

	drop_queue(heap);
	while (zz_leapfrog_next(lf))
	{
		CHECK_FOR_INTERRUPTS();

		zz_heap_unpack_tid(zz_leapfrog_tid(lf, 0), heap->tid_flip, &tid);
		if (zz_heap_fetch(heap, &tid, slot))
		{
			queue_rest_of_page(heap, lf, slot);
			return true;
		}
	}

	return false;
}

/*
 * Release every pin; the leapfrog is starting over, or has come to its end.
 */
void
zz_heap_reset(ZigzagHeap *heap)
{
	drop_queue(heap);
	table_index_fetch_reset(heap->fetch);
}

void
zz_heap_end(ZigzagHeap *heap)
{
	drop_queue(heap);
	table_index_fetch_end(heap->fetch);
}
