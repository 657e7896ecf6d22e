/*-------------------------------------------------------------------------
 *
 * zz_exec_scan.c
 *	  The ZigzagScan node: rows of one table that several indexes agree on.
 *
 * Each side is an index whose leading columns are bound; its entries, sorted by
 * the rest of the key and the TID, are read by a cursor.  The leapfrog finds
 * the entries that all sides share.  What is done with one of them is what an
 * index scan does with its own:
 *
 *	- The row is fetched from the heap (zz_heap.c).
 *	- Or, if every column the query needs is stored in one of the indexes and
 *	  the page is all-visible, the row is made from the index tuples.  A value
 *	  always comes from an index tuple that stores it: values that are equal to
 *	  an operator may still differ (1.0 and 1.00).
 *
 * Index-only and VACUUM: each cursor keeps a pin on the page its entries were
 * read from until it moves, so VACUUM cannot free a TID while it is looked up.
 * An all-visible bit that was read after the entries is right for them; it is
 * remembered for one window of the leapfrog, since an entry loaded later may be
 * of a row that has been inserted after the bit was read.
 *
 * The conditions the sides answer are not tested again: an MVCC snapshot cannot
 * see a tuple whose index columns differ from the entry that led to it.  Only
 * EvalPlanQual puts another tuple version in place, and tests them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/sysattr.h"
#include "access/tableam.h"
#include "access/visibilitymap.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/instrument.h"
#include "executor/nodeCustom.h"
#include "miscadmin.h"
#include "nodes/extensible.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "storage/bufmgr.h"
#include "storage/predicate.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "zigzag.h"
#include "zz_compat.h"
#include "zz_contract.h"
#include "zz_cursor_btree.h"
#include "zz_exec_scan.h"
#include "zz_explain.h"
#include "zz_heap.h"
#include "zz_leapfrog.h"

typedef struct ZigzagSide
{
	Relation	index;
	int			nfixed;
	Oid		   *types;			/* of the values */
	bool	   *varlena;		/* may a value be toasted? */
	ExprState **exprs;			/* that give them; NULL for IS NULL */
	ZigzagFixedValue *fixed;
} ZigzagSide;

/* Where a column of the scan tuple comes from in an index-only scan. */
typedef struct ZigzagColumn
{
	ZigzagCursor *cursor;
	TupleDesc	desc;			/* of the index */
	AttrNumber	column;			/* of the index */
	int			target;			/* column of the scan tuple, 0-based */
	bool		is_name;		/* stored as a cstring */
} ZigzagColumn;

typedef struct ZigzagScanState
{
	CustomScanState css;
	ZigzagScanInfo *info;
	int			nsides;
	ZigzagSide	sides[ZIGZAG_MAX_SIDES];
	ZigzagCursor *cursors[ZIGZAG_MAX_SIDES];	/* NULL until the scan starts */
	ZigzagLeapfrog *leapfrog;
	ZigzagHeap *heap;
	uint64		tid_flip;
	bool		started;		/* do the cursors stand where the scan is? */
	bool		done;			/* no row is left; nothing is pinned */

	/* values that bind the sides */
	ExprContext *value_context; /* reset when they are evaluated anew */
	bool		values_ready;
	bool		nothing;		/* one of them is NULL: nothing can match */
	ExprState  *recheck;		/* all clauses of all sides */

	/* index-only */
	int			ncolumns;
	ZigzagColumn *columns;
	TupleTableSlot *heap_slot;
	Buffer		vmbuffer;
	BlockNumber vm_block;		/* page whose bit is remembered ... */
	bool		vm_all_visible; /* ... and what it said ... */
	uint64		vm_window;		/* ... in this window of the leapfrog */
} ZigzagScanState;

/* ----------------------------------------------------------------
 *		Starting the scan
 * ----------------------------------------------------------------
 */

/*
 * Evaluate the values that bind the sides.  They live until the next call.
 */
static void
evaluate_values(ZigzagScanState *zss)
{
	ExprContext *econtext = zss->value_context;

	ResetExprContext(econtext);
	zss->nothing = false;

	for (int s = 0; s < zss->nsides; s++)
	{
		ZigzagSide *side = &zss->sides[s];

		for (int i = 0; i < side->nfixed; i++)
		{
			ZigzagFixedValue *fixed = &side->fixed[i];

			fixed->type = side->types[i];
			if (side->exprs[i] == NULL)
			{
				fixed->value = (Datum) 0;
				fixed->isnull = true;	/* IS NULL */
				continue;
			}

			fixed->value = ExecEvalExprSwitchContext(side->exprs[i], econtext,
													 &fixed->isnull);
			if (fixed->isnull)
			{
				zss->nothing = true;	/* = NULL */
				return;
			}
			if (side->varlena[i])
			{
				MemoryContext old = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);

				fixed->value = PointerGetDatum(PG_DETOAST_DATUM(fixed->value));
				MemoryContextSwitchTo(old);
			}
		}
	}
}

/*
 * Make the cursors, at the first row asked for.
 */
static void
create_cursors(ZigzagScanState *zss)
{
	EState	   *estate = zss->css.ss.ps.state;
	Snapshot	snapshot = estate->es_snapshot;
	MemoryContext old = MemoryContextSwitchTo(estate->es_query_cxt);
	const ZigzagKeySpace *space;

	if (!IsMVCCSnapshot(snapshot))
		elog(ERROR, "ZigzagScan needs an MVCC snapshot");

	space = zz_btree_key_space(zss->sides[0].index, zss->sides[0].nfixed,
							   zss->info->direction);
	for (int s = 0; s < zss->nsides; s++)
	{
		ZigzagBtreeOptions options = {
			.index = zss->sides[s].index,
			.snapshot = snapshot,
			.direction = zss->info->direction,
			.nfixed = zss->sides[s].nfixed,
			.fixed_types = zss->sides[s].types,
			.keep_pin = zss->info->index_only
		};

		zss->cursors[s] = zz_cursor_btree_create(&options, space);
	}
	zss->leapfrog = zz_leapfrog_create(zss->nsides, zss->cursors);
	zss->heap = zz_heap_create(zss->css.ss.ss_currentRelation, snapshot,
							   zss->sides[0].index, zss->tid_flip);
	for (int i = 0; i < zss->ncolumns; i++)
	{
		ZigzagColumn *column = &zss->columns[i];
		int			side = list_nth_int(zss->info->value_sides, column->target);

		column->cursor = zss->cursors[side];
	}

	MemoryContextSwitchTo(old);
}

/*
 * Bind the values and put every cursor before its first entry.
 */
static void
start_scan(ZigzagScanState *zss)
{
	if (!zss->values_ready)
		evaluate_values(zss);
	zss->values_ready = true;
	zss->started = true;
	zss->done = zss->nothing;
	if (zss->done)
		return;

	if (zss->leapfrog == NULL)
		create_cursors(zss);
	for (int s = 0; s < zss->nsides; s++)
	{
		zz_cursor_btree_bind(zss->cursors[s], zss->sides[s].fixed);
		zz_cursor_rescan(zss->cursors[s]);
	}
	zz_leapfrog_reset(zss->leapfrog);
}

/*
 * Let go of every page but the visibility map's, which nobody waits for.
 */
static void
release_pages(ZigzagScanState *zss)
{
	if (zss->leapfrog == NULL)
		return;

	for (int s = 0; s < zss->nsides; s++)
		zz_cursor_close(zss->cursors[s]);
	zz_heap_reset(zss->heap);
}

/* ----------------------------------------------------------------
 *		Rows
 * ----------------------------------------------------------------
 */

/*
 * Is every tuple on the block visible to all, as far as entries of the present
 * window go?  Then nobody else takes the predicate lock of the row.
 */
static inline bool
is_all_visible(ZigzagScanState *zss, BlockNumber block)
{
	uint64		window = zz_leapfrog_window(zss->leapfrog);

	if (zss->vm_block != block || zss->vm_window != window)
	{
		Relation	rel = zss->css.ss.ss_currentRelation;

		zss->vm_all_visible = VM_ALL_VISIBLE(rel, block, &zss->vmbuffer);
		zss->vm_block = block;
		zss->vm_window = window;
		if (zss->vm_all_visible)
			PredicateLockPage(rel, block, zss->css.ss.ps.state->es_snapshot);
	}
	return zss->vm_all_visible;
}

/*
 * Make the scan tuple from the index tuples the cursors stand on.
 */
static void
store_columns(ZigzagScanState *zss, TupleTableSlot *slot)
{
	for (int i = 0; i < zss->ncolumns; i++)
	{
		ZigzagColumn *column = &zss->columns[i];
		IndexTuple	itup = zz_cursor_btree_tuple(column->cursor,
												 column->cursor->pos);
		Datum		value;
		bool		isnull;

		value = index_getattr(itup, column->column, column->desc, &isnull);
		if (column->is_name && !isnull)
		{
			ExprContext *econtext = zss->css.ss.ps.ps_ExprContext;
			Name		name = MemoryContextAlloc(econtext->ecxt_per_tuple_memory,
												  NAMEDATALEN);

			namestrcpy(name, DatumGetCString(value));
			value = NameGetDatum(name);
		}
		slot->tts_values[column->target] = value;
		slot->tts_isnull[column->target] = isnull;
	}
	ExecStoreVirtualTuple(slot);
}

/*
 * Make the next row from the indexes, in slot, which is empty; false if there
 * is no more.  The heap is visited only to see whether the row is visible.
 */
static bool
next_index_only(ZigzagScanState *zss, TupleTableSlot *slot)
{
	while (zz_leapfrog_next(zss->leapfrog))
	{
		uint64		packed = zz_leapfrog_tid(zss->leapfrog, 0) ^ zss->tid_flip;
		ItemPointerData tid;

		CHECK_FOR_INTERRUPTS();

		ItemPointerSet(&tid, (BlockNumber) (packed >> 16),
					   (OffsetNumber) (packed & 0xFFFF));
		if (!is_all_visible(zss, ItemPointerGetBlockNumber(&tid)))
		{
			InstrCountTuples2(&zss->css.ss, 1);
			if (!zz_heap_sees(zss->heap, zss->leapfrog, zss->heap_slot, &tid))
				continue;
		}
		store_columns(zss, slot);
		/* WHERE CURRENT OF a cursor asks the slot for these. */
		slot->tts_tableOid = RelationGetRelid(zss->css.ss.ss_currentRelation);
		slot->tts_tid = tid;
		return true;
	}

	return false;
}

/*
 * ExecScan's access method.
 */
static TupleTableSlot *
scan_next(ScanState *node)
{
	ZigzagScanState *zss = (ZigzagScanState *) node;
	TupleTableSlot *slot = node->ss_ScanTupleSlot;

	if (!zss->started)
		start_scan(zss);
	if (zss->done)
		return ExecClearTuple(slot);

	if (zss->info->index_only)
	{
		ExecClearTuple(slot);
		if (next_index_only(zss, slot))
			return slot;
	}
	else if (zz_heap_next(zss->heap, zss->leapfrog, slot))
		return slot;

	zss->done = true;
	release_pages(zss);
	return ExecClearTuple(slot);
}

/*
 * ExecScan's recheck method: does the version EvalPlanQual put into slot still
 * satisfy what the sides have answered?
 */
static bool
scan_recheck(ScanState *node, TupleTableSlot *slot)
{
	ZigzagScanState *zss = (ZigzagScanState *) node;
	ExprContext *econtext = node->ps.ps_ExprContext;

	/* A table whose rows are locked needs its whole rows. */
	if (zss->info->index_only)
		elog(ERROR, "EvalPlanQual recheck is not expected in index-only scans");

	econtext->ecxt_scantuple = slot;
	return ExecQualAndReset(zss->recheck, econtext);
}

/* ----------------------------------------------------------------
 *		Methods of the node
 * ----------------------------------------------------------------
 */

/*
 * Open the index of a side and compile its values.
 */
static void
begin_side(ZigzagScanState *zss, ZigzagSide *side, const ZigzagSideInfo *info)
{
	Index		rti = ((Scan *) zss->css.ss.ps.plan)->scanrelid;
	LOCKMODE	lockmode = exec_rt_fetch(rti, zss->css.ss.ps.state)->rellockmode;
	int			i = 0;
	ListCell   *lcvalue;
	ListCell   *lctype;

	side->index = index_open(info->indexid, lockmode);
	side->nfixed = list_length(info->clauses);
	side->types = palloc0(side->nfixed * sizeof(Oid));
	side->varlena = palloc0(side->nfixed * sizeof(bool));
	side->exprs = palloc0(side->nfixed * sizeof(ExprState *));
	side->fixed = palloc0(side->nfixed * sizeof(ZigzagFixedValue));
	forboth(lcvalue, info->values, lctype, info->types)
	{
		Oid			type = lfirst_oid(lctype);

		if (lfirst(lcvalue) != NULL)
		{
			side->types[i] = type;
			side->varlena[i] = get_typlen(type) == -1;
			side->exprs[i] = ExecInitExpr(lfirst(lcvalue), &zss->css.ss.ps);
		}
		else
			side->types[i] = side->index->rd_opcintype[i];
		i++;
	}
}

/*
 * Note where the columns of the scan tuple come from.  Columns that neither the
 * target list nor the filter uses stay NULL: they are there for EXPLAIN.
 */
static void
begin_index_only(ZigzagScanState *zss)
{
	Plan	   *plan = zss->css.ss.ps.plan;
	TupleTableSlot *slot = zss->css.ss.ss_ScanTupleSlot;
	int			ncolumns = list_length(zss->info->value_sides);
	Bitmapset  *used = NULL;

	pull_varattnos((Node *) plan->targetlist, INDEX_VAR, &used);
	pull_varattnos((Node *) plan->qual, INDEX_VAR, &used);

	zss->columns = palloc0(Max(ncolumns, 1) * sizeof(ZigzagColumn));
	for (int i = 0; i < ncolumns; i++)
	{
		ZigzagColumn *column = &zss->columns[zss->ncolumns];
		Relation	index = zss->sides[list_nth_int(zss->info->value_sides, i)].index;
		int			attno = list_nth_int(zss->info->value_columns, i);

		slot->tts_isnull[i] = true;
		if (!bms_is_member(i + 1 - FirstLowInvalidHeapAttributeNumber, used))
			continue;

		column->desc = RelationGetDescr(index);
		column->column = (AttrNumber) attno;
		column->target = i;
		column->is_name =
			TupleDescAttr(slot->tts_tupleDescriptor, i)->atttypid == NAMEOID &&
			TupleDescAttr(column->desc, attno - 1)->atttypid == CSTRINGOID;
		zss->ncolumns++;
	}

	zss->heap_slot = table_slot_create(zss->css.ss.ss_currentRelation, NULL);
	zss->heap_slot->tts_tableOid =
		RelationGetRelid(zss->css.ss.ss_currentRelation);
}

/*
 * Give the node a scan slot that holds heap tuples, and compile anew what was
 * compiled for the slot it had.
 */
static void
use_table_slot(CustomScanState *css)
{
	Plan	   *plan = css->ss.ps.plan;
	Relation	rel = css->ss.ss_currentRelation;

	zz_init_scan_slot(css->ss.ps.state, &css->ss, RelationGetDescr(rel),
					  table_slot_callbacks(rel));
	css->ss.ps.subPlan = NIL;
	ExecAssignScanProjectionInfoWithVarno(&css->ss,
										  ((Scan *) plan)->scanrelid);
	css->ss.ps.qual = ExecInitQual(plan->qual, &css->ss.ps);
}

static void
scan_begin(CustomScanState *css, EState *estate, int eflags)
{
	ZigzagScanState *zss = (ZigzagScanState *) css;
	List	   *clauses = NIL;
	ListCell   *lc;

	zss->info = zz_scan_info_decode((CustomScan *) css->ss.ps.plan);
	zss->tid_flip = ScanDirectionIsBackward(zss->info->direction) ?
		ZIGZAG_TID_MASK : 0;
	zss->vmbuffer = InvalidBuffer;
	zss->vm_block = InvalidBlockNumber;

	if (!zss->info->index_only)
		use_table_slot(css);
	foreach(lc, zss->info->sides)
		clauses = list_concat(clauses, ((ZigzagSideInfo *) lfirst(lc))->clauses);
	zss->recheck = ExecInitQual(clauses, &css->ss.ps);

	/* EXPLAIN has now seen all subplans; it opens no index. */
	if (eflags & EXEC_FLAG_EXPLAIN_ONLY)
		return;

	zss->value_context = CreateExprContext(estate);
	foreach(lc, zss->info->sides)
		begin_side(zss, &zss->sides[zss->nsides++], lfirst(lc));
	if (zss->info->index_only)
		begin_index_only(zss);
}

static TupleTableSlot *
scan_exec(CustomScanState *css)
{
	return ExecScan(&css->ss, scan_next, scan_recheck);
}

/*
 * Start over.  Values are evaluated anew only if something they depend on may
 * have changed; all that is opened stays open.
 */
static void
scan_rescan(CustomScanState *css)
{
	ZigzagScanState *zss = (ZigzagScanState *) css;

	release_pages(zss);
	zss->started = false;
	if (css->ss.ps.chgParam != NULL)
		zss->values_ready = false;

	ExecScanReScan(&css->ss);
}

static void
scan_end(CustomScanState *css)
{
	ZigzagScanState *zss = (ZigzagScanState *) css;

	if (zss->leapfrog != NULL)
	{
		release_pages(zss);
		zz_heap_end(zss->heap);
	}
	if (BufferIsValid(zss->vmbuffer))
		ReleaseBuffer(zss->vmbuffer);
	if (zss->heap_slot != NULL)
		ExecDropSingleTupleTableSlot(zss->heap_slot);
	for (int s = 0; s < zss->nsides; s++)
		index_close(zss->sides[s].index, NoLock);
}

static void
scan_explain(CustomScanState *css, List *ancestors, ExplainState *es)
{
	ZigzagScanState *zss = (ZigzagScanState *) css;
	ZigzagCounters counters[ZIGZAG_MAX_SIDES] = {0};
	bool		ran_elsewhere;

	if (zss->leapfrog != NULL)
		for (int s = 0; s < zss->nsides; s++)
			counters[s] = zss->cursors[s]->counters;

	/* Only parallel workers ran the node: their counts are not known here. */
	ran_elsewhere = css->ss.ps.instrument != NULL &&
		css->ss.ps.instrument->nloops > 0 &&
		!zss->values_ready;

	zz_explain_scan(css, zss->info, ran_elsewhere ? NULL : counters,
					ancestors, es);
}

static const CustomExecMethods zz_scan_exec_methods = {
	.CustomName = ZIGZAG_SCAN_NAME,
	.BeginCustomScan = scan_begin,
	.ExecCustomScan = scan_exec,
	.EndCustomScan = scan_end,
	.ReScanCustomScan = scan_rescan,
	.ExplainCustomScan = scan_explain,
};

static Node *
scan_create_state(CustomScan *cscan)
{
	ZigzagScanState *zss = palloc0(sizeof(ZigzagScanState));

	NodeSetTag(zss, T_CustomScanState);
	zss->css.methods = &zz_scan_exec_methods;
	return (Node *) zss;
}

static const CustomScanMethods zz_scan_methods = {
	.CustomName = ZIGZAG_SCAN_NAME,
	.CreateCustomScanState = scan_create_state,
};

void
zz_exec_scan_register(void)
{
	if (GetCustomScanMethods(ZIGZAG_SCAN_NAME, true) == NULL)
		RegisterCustomScanMethods(&zz_scan_methods);
}
