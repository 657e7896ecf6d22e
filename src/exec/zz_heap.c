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
 * Pages further ahead are asked for from disk as effective_io_concurrency allows,
 * few at first, as a bitmap heap scan does it.  While they turn out to be in
 * memory already, it mostly does not ask.
 *
 * Nothing goes beyond what the window knows: a LIMIT may stop the scan at any
 * row, and the next match may be far away.
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
#include "utils/spccache.h"

#include "zz_compat.h"
#include "zz_heap.h"

/*
 * Pages found in shared buffers in a row before prefetching pauses, and for how
 * many pages it does.
 */
#define PREFETCH_HITS		8
#define PREFETCH_PAUSE		64

/* No page of any image. */
#define NO_BLOCK			PG_UINT64_MAX

/* Pages of later matches that have been asked for. */
typedef struct Prefetch
{
	int			max;			/* effective_io_concurrency */
	int			target;			/* pages to be ahead now, up to max */
	int			pages;			/* pages we are ahead */
	int			matches;		/* matches ahead that have been looked at */
	uint64		window;			/* of the leapfrog; the two are about it */
	uint64		block;			/* the last page asked for */
	int			hits;			/* in a row */
	int			pause;			/* pages left to go without prefetching */
} Prefetch;

struct ZigzagHeap
{
	Relation	rel;
	Snapshot	snapshot;
	Relation	index;			/* whose statistics count the rows */
	uint64		tid_flip;
	IndexFetchTableData *fetch;
	uint64		block;			/* the page last fetched from, as in images */
	Prefetch	prefetch;

	/* rows of matches on one page that have been looked up beforehand */
	Buffer		buffer;			/* pinned for them; Invalid: none */
	int			nqueued;
	int			next;			/* the first that is not done with */
	HeapTupleData queue[MaxHeapTuplesPerPage];	/* no t_data: no row is seen */
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
	heap->block = NO_BLOCK;
	heap->prefetch.max =
		get_tablespace_io_concurrency(rel->rd_rel->reltablespace);
	heap->prefetch.block = NO_BLOCK;
	heap->buffer = InvalidBuffer;

	return heap;
}

/*
 * The TID an image stands for.
 */
static inline void
unpack_tid(const ZigzagHeap *heap, uint64 image, ItemPointer tid)
{
	uint64		packed = image ^ heap->tid_flip;

	ItemPointerSet(tid, (BlockNumber) (packed >> 16),
				   (OffsetNumber) (packed & 0xFFFF));
}

/*
 * Fetch the version of the present match's row, at tid, that the snapshot sees
 * into slot; false, with slot as it was, if there is none.
 */
static bool
fetch_row(ZigzagHeap *heap, ZigzagLeapfrog *lf, ItemPointer tid,
		  TupleTableSlot *slot)
{
	bool		call_again = false;
	bool		all_dead = false;

	if (!table_index_fetch_tuple(heap->fetch, tid, heap->snapshot, slot,
								 &call_again, &all_dead))
	{
		if (all_dead)
			zz_leapfrog_note_dead(lf, 0);
		return false;
	}

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
 * slot holds the row of the present match: look up the rows of the matches that
 * follow it on the same page, as far as the window knows them.
 */
static void
queue_rest_of_page(ZigzagHeap *heap, ZigzagLeapfrog *lf, TupleTableSlot *slot)
{
	uint64		block = zz_leapfrog_tid(lf, 0) >> 16;
	int			ahead = Min(zz_leapfrog_ahead(lf), MaxHeapTuplesPerPage);
	ItemPointerData tids[MaxHeapTuplesPerPage];
	int			n = 0;
	Page		page;

	while (n < ahead)
	{
		uint64		image = zz_leapfrog_tid(lf, n + 1);

		if (image >> 16 != block)
			break;
		unpack_tid(heap, image, &tids[n++]);
	}
	if (n == 0)
		return;

	Assert(TTS_IS_BUFFERTUPLE(slot));
	heap->buffer = ((BufferHeapTupleTableSlot *) slot)->buffer;
	IncrBufferRefCount(heap->buffer);

	LockBuffer(heap->buffer, BUFFER_LOCK_SHARE);
	page = BufferGetPage(heap->buffer);
	for (int i = 0; i < n; i++)
	{
		OffsetNumber offset = ItemPointerGetOffsetNumber(&tids[i]);

		if (offset <= PageGetMaxOffsetNumber(page) &&
			ItemIdIsNormal(PageGetItemId(page, offset)))
			zz_prefetch_memory(PageGetItem(page, PageGetItemId(page, offset)));
	}
	for (int i = 0; i < n; i++)
	{
		HeapTuple	tuple = &heap->queue[i];
		bool		all_dead;

		if (heap_hot_search_buffer(&tids[i], heap->rel, heap->buffer,
								   heap->snapshot, tuple, &all_dead, true))
			continue;
		tuple->t_data = NULL;
		if (all_dead)
			zz_leapfrog_note_dead(lf, i + 1);
	}
	LockBuffer(heap->buffer, BUFFER_LOCK_UNLOCK);
	heap->nqueued = n;
}

/*
 * The scan has come to a new page, that of the present match: ask for pages of
 * matches further ahead.
 */
static void
prefetch_pages(ZigzagHeap *heap, ZigzagLeapfrog *lf)
{
	Prefetch   *pf = &heap->prefetch;
	int			ahead = zz_leapfrog_ahead(lf);

	if (pf->window != zz_leapfrog_window(lf))
	{
		pf->window = zz_leapfrog_window(lf);
		pf->matches = 0;
		pf->pages = 0;
	}
	pf->matches = Max(pf->matches, 0);
	if (pf->pages > 0)
		pf->pages--;
	if (pf->pause > 0)
	{
		pf->pause--;
		return;
	}

	while (pf->pages < pf->target && pf->matches < ahead)
	{
		uint64		image = zz_leapfrog_tid(lf, ++pf->matches);
		ItemPointerData tid;
		PrefetchBufferResult result;

		if (image >> 16 == pf->block || image >> 16 == heap->block)
			continue;
		pf->block = image >> 16;
		pf->pages++;
		unpack_tid(heap, image, &tid);
		result = PrefetchBuffer(heap->rel, MAIN_FORKNUM,
								ItemPointerGetBlockNumber(&tid));
		if (!BufferIsValid(result.recent_buffer))
			pf->hits = 0;
		else if (++pf->hits == PREFETCH_HITS)
		{
			pf->hits = PREFETCH_HITS - 1;	/* one more look, after the pause */
			pf->pause = PREFETCH_PAUSE;
			break;
		}
	}

	if (pf->target < pf->max)
		pf->target = Min(Max(pf->target * 2, 1), pf->max);
}

/*
 * Fetch the row of the next match of lf that has one into slot; false, with
 * slot as it was, if there is no more.  The leapfrog's cursors may then stand
 * before the row's entries: those who read them use zz_heap_sees.
 */
bool
zz_heap_next(ZigzagHeap *heap, ZigzagLeapfrog *lf, TupleTableSlot *slot)
{
	Prefetch   *pf = &heap->prefetch;

	while (heap->next < heap->nqueued)
	{
		HeapTuple	tuple = &heap->queue[heap->next++];

		if (tuple->t_data != NULL)
		{
			ExecStoreBufferHeapTuple(tuple, slot, heap->buffer);
			pgstat_count_heap_fetch(heap->index);
			return true;
		}
	}

	drop_queue(heap);
	while (zz_leapfrog_next(lf))
	{
		uint64		image = zz_leapfrog_tid(lf, 0);
		ItemPointerData tid;

		CHECK_FOR_INTERRUPTS();

		pf->matches--;
		if (image >> 16 != heap->block)
		{
			heap->block = image >> 16;
			if (pf->max > 0)
				prefetch_pages(heap, lf);
		}

		unpack_tid(heap, image, &tid);
		if (fetch_row(heap, lf, &tid, slot))
		{
			queue_rest_of_page(heap, lf, slot);
			zz_leapfrog_skip(lf, heap->nqueued);
			pf->matches -= heap->nqueued;
			return true;
		}
	}

	return false;
}

/*
 * Does the snapshot see a row at the present match of lf?  To be asked of every
 * match in turn, as long as they are on one page and in one window.  slot is
 * for heap tuples, and empty before and after; *tid is that of the version seen.
 */
bool
zz_heap_sees(ZigzagHeap *heap, ZigzagLeapfrog *lf, TupleTableSlot *slot,
			 ItemPointer tid)
{
	if (heap->next < heap->nqueued)
	{
		HeapTuple	tuple = &heap->queue[heap->next++];

		if (tuple->t_data == NULL)
			return false;
		*tid = tuple->t_self;
		pgstat_count_heap_fetch(heap->index);
		return true;
	}

	drop_queue(heap);
	unpack_tid(heap, zz_leapfrog_tid(lf, 0), tid);
	if (!fetch_row(heap, lf, tid, slot))
		return false;
	queue_rest_of_page(heap, lf, slot);
	ExecClearTuple(slot);
	return true;
}

/*
 * Release every pin; the leapfrog is starting over, or has come to its end.
 */
void
zz_heap_reset(ZigzagHeap *heap)
{
	drop_queue(heap);
	table_index_fetch_reset(heap->fetch);
	heap->block = NO_BLOCK;
	heap->prefetch.target = 0;
}

void
zz_heap_end(ZigzagHeap *heap)
{
	drop_queue(heap);
	table_index_fetch_end(heap->fetch);
}
