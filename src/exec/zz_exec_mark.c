/*-------------------------------------------------------------------------
 *
 * zz_exec_mark.c
 *	  The MarkJoin and MarkGuard nodes.
 *
 * MarkJoin sits on a left hash join that gives each outer row once.  Two of the
 * columns that come up are of the inner side (see zz_contract_mark.h): "hit" is
 * true if there is a partner, else NULL, and so is "miss" then, for MarkJoin to
 * set to what IN is for a row without a partner.  With one key that is
 *
 *	inner side		has no row		has rows, no NULL		has a NULL
 *	x is NULL		false			NULL					NULL
 *	else			false			false					NULL
 *
 * MarkGuard, under the hash, has seen all inner rows when the first outer row is
 * probed.  It hands on only those that can have a partner: without a NULL.  What
 * it knows stays right as long as the hash table is kept, over rescans too: it
 * forgets when it is itself rescanned.
 *
 * With several keys, or correlated ones, the rows themselves are kept and looked
 * up: zz_mark_lookup.c.
 *
 * Parallel workers that build one hash table together see a part of the inner
 * rows each.  They share the two facts of the table above; each is set in shared
 * memory before the row's part of the build is done, so that no one probes
 * before it is known.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/parallel.h"
#include "executor/executor.h"
#include "executor/instrument.h"
#include "executor/nodeCustom.h"
#include "miscadmin.h"
#include "nodes/extensible.h"
#include "port/atomics.h"
#include "storage/shm_toc.h"

#define ZIGZAG_USES_EXPLAIN
#include "zz_compat.h"
#include "zz_contract_mark.h"
#include "zz_exec_mark.h"
#include "zz_mark_lookup.h"

/* What is known of the inner side; in shared memory where workers share it. */
typedef struct GuardFacts
{
	pg_atomic_uint32 any_row;
	pg_atomic_uint32 any_null;
	pg_atomic_uint64 rows;		/* for EXPLAIN, added at the end of the scan */
	pg_atomic_uint64 null_rows;
} GuardFacts;

typedef struct MarkGuardState
{
	CustomScanState css;
	int			ncolumns;
	AttrNumber *columns;
	Datum	   *values;
	bool	   *nulls;
	GuardFacts *facts;			/* local ones, or in shared memory */
	GuardFacts	local_facts;
	ZigzagMarkLookup *lookup;	/* NULL where the two facts are enough */
	bool		seen_row;
	bool		seen_null;
	uint64		rows;			/* not yet added to the facts */
	uint64		null_rows;
} MarkGuardState;

typedef struct MarkJoinState
{
	CustomScanState css;
	ZigzagMarkInfo *info;
	MarkGuardState *guard;		/* if three-valued */
	ExprState **keys;			/* the outer values */
	Datum	   *values;
	bool	   *nulls;
} MarkJoinState;

static Node *create_join_state(CustomScan *cscan);
static void begin_join(CustomScanState *css, EState *estate, int eflags);
static TupleTableSlot *exec_join(CustomScanState *css);
static void end_node(CustomScanState *css);
static void rescan_join(CustomScanState *css);
static void explain_join(CustomScanState *css, List *ancestors,
						 ExplainState *es);

static Node *create_guard_state(CustomScan *cscan);
static void begin_guard(CustomScanState *css, EState *estate, int eflags);
static TupleTableSlot *exec_guard(CustomScanState *css);
static void end_guard(CustomScanState *css);
static void rescan_guard(CustomScanState *css);
static Size estimate_guard(CustomScanState *css, ParallelContext *pcxt);
static void init_guard_dsm(CustomScanState *css, ParallelContext *pcxt,
						   void *coordinate);
static void reinit_guard_dsm(CustomScanState *css, ParallelContext *pcxt,
							 void *coordinate);
static void init_guard_worker(CustomScanState *css, shm_toc *toc,
							  void *coordinate);
static void shutdown_guard(CustomScanState *css);

static const CustomExecMethods join_exec_methods = {
	.CustomName = ZIGZAG_MARK_JOIN_NAME,
	.BeginCustomScan = begin_join,
	.ExecCustomScan = exec_join,
	.EndCustomScan = end_node,
	.ReScanCustomScan = rescan_join,
	.ExplainCustomScan = explain_join,
};

static const CustomExecMethods guard_exec_methods = {
	.CustomName = ZIGZAG_MARK_GUARD_NAME,
	.BeginCustomScan = begin_guard,
	.ExecCustomScan = exec_guard,
	.EndCustomScan = end_guard,
	.ReScanCustomScan = rescan_guard,
	.EstimateDSMCustomScan = estimate_guard,
	.InitializeDSMCustomScan = init_guard_dsm,
	.ReInitializeDSMCustomScan = reinit_guard_dsm,
	.InitializeWorkerCustomScan = init_guard_worker,
	.ShutdownCustomScan = shutdown_guard,
};

static const CustomScanMethods join_scan_methods = {
	.CustomName = ZIGZAG_MARK_JOIN_NAME,
	.CreateCustomScanState = create_join_state,
};

static const CustomScanMethods guard_scan_methods = {
	.CustomName = ZIGZAG_MARK_GUARD_NAME,
	.CreateCustomScanState = create_guard_state,
};

void
zz_exec_mark_register(void)
{
	if (GetCustomScanMethods(ZIGZAG_MARK_JOIN_NAME, true) != NULL)
		return;
	RegisterCustomScanMethods(&join_scan_methods);
	RegisterCustomScanMethods(&guard_scan_methods);
}

/* ----------------------------------------------------------------
 *		Both nodes
 * ----------------------------------------------------------------
 */

/*
 * Start the child, and let the node's expressions read its slots as they are.
 */
static PlanState *
begin_child(CustomScanState *css, EState *estate, int eflags)
{
	CustomScan *cscan = (CustomScan *) css->ss.ps.plan;
	PlanState  *ps = &css->ss.ps;
	PlanState  *child = ExecInitNode(linitial(cscan->custom_plans), estate, eflags);

	css->custom_ps = list_make1(child);

	ps->scanops = ExecGetResultSlotOps(child, &ps->scanopsfixed);
	ps->scanopsset = true;
	ExecAssignScanProjectionInfoWithVarno(&css->ss, INDEX_VAR);
	if (ps->ps_ProjInfo == NULL)
	{
		ps->resultops = ps->scanops;
		ps->resultopsfixed = ps->scanopsfixed;
		ps->resultopsset = true;
	}
	ps->qual = ExecInitQual(cscan->scan.plan.qual, ps);
	return child;
}

static void
end_node(CustomScanState *css)
{
	ExecEndNode(linitial(css->custom_ps));
}

static void
rescan_child(CustomScanState *css)
{
	PlanState  *child = linitial(css->custom_ps);

	if (css->ss.ps.chgParam != NULL)
		UpdateChangedParamSet(child, css->ss.ps.chgParam);
	if (child->chgParam == NULL)
		ExecReScan(child);
}

/* ----------------------------------------------------------------
 *		MarkGuard
 * ----------------------------------------------------------------
 */

static Node *
create_guard_state(CustomScan *cscan)
{
	MarkGuardState *guard = palloc0(sizeof(MarkGuardState));

	NodeSetTag(guard, T_CustomScanState);
	guard->css.methods = &guard_exec_methods;
	return (Node *) guard;
}

static void
clear_facts(GuardFacts *facts)
{
	pg_atomic_write_u32(&facts->any_row, 0);
	pg_atomic_write_u32(&facts->any_null, 0);
	pg_atomic_write_u64(&facts->rows, 0);
	pg_atomic_write_u64(&facts->null_rows, 0);
}

static void
init_facts(GuardFacts *facts)
{
	pg_atomic_init_u32(&facts->any_row, 0);
	pg_atomic_init_u32(&facts->any_null, 0);
	pg_atomic_init_u64(&facts->rows, 0);
	pg_atomic_init_u64(&facts->null_rows, 0);
}

static void
begin_guard(CustomScanState *css, EState *estate, int eflags)
{
	MarkGuardState *guard = (MarkGuardState *) css;
	ZigzagMarkGuardInfo *info =
	zz_mark_guard_info_decode((CustomScan *) css->ss.ps.plan);

	(void) begin_child(css, estate, eflags);

	guard->ncolumns = info->nkeys + info->ncorrelated;
	guard->columns = palloc(sizeof(AttrNumber) * guard->ncolumns);
	guard->values = palloc0(sizeof(Datum) * guard->ncolumns);
	guard->nulls = palloc0(sizeof(bool) * guard->ncolumns);
	for (int i = 0; i < guard->ncolumns; i++)
		guard->columns[i] = list_nth_int(info->columns, i);
	guard->facts = &guard->local_facts;
	init_facts(guard->facts);
}

/*
 * Tell the counts to everyone.
 */
static void
publish_counts(MarkGuardState *guard)
{
	pg_atomic_fetch_add_u64(&guard->facts->rows, guard->rows);
	pg_atomic_fetch_add_u64(&guard->facts->null_rows, guard->null_rows);
	guard->rows = guard->null_rows = 0;
}

/*
 * Take note of an inner row; true if it can have a partner.
 */
static bool
watch_row(MarkGuardState *guard, TupleTableSlot *slot)
{
	bool		has_null = false;

	for (int i = 0; i < guard->ncolumns; i++)
	{
		guard->values[i] = slot_getattr(slot, guard->columns[i],
										&guard->nulls[i]);
		has_null |= guard->nulls[i];
	}

	guard->rows++;
	if (!guard->seen_row)
	{
		guard->seen_row = true;
		pg_atomic_write_u32(&guard->facts->any_row, 1);
	}
	if (has_null)
	{
		guard->null_rows++;
		if (!guard->seen_null)
		{
			guard->seen_null = true;
			pg_atomic_write_u32(&guard->facts->any_null, 1);
		}
	}
	if (guard->lookup != NULL)
		zz_mark_lookup_add(guard->lookup, guard->values, guard->nulls);
	return !has_null;
}

static TupleTableSlot *
exec_guard(CustomScanState *css)
{
	MarkGuardState *guard = (MarkGuardState *) css;
	PlanState  *child = linitial(css->custom_ps);
	ExprContext *econtext = css->ss.ps.ps_ExprContext;

	for (;;)
	{
		TupleTableSlot *slot;

		CHECK_FOR_INTERRUPTS();
		slot = ExecProcNode(child);
		if (TupIsNull(slot))
		{
			publish_counts(guard);
			return NULL;
		}
		if (!watch_row(guard, slot))
			continue;
		if (css->ss.ps.ps_ProjInfo == NULL)
			return slot;

		ResetExprContext(econtext);
		econtext->ecxt_scantuple = slot;
		return ExecProject(css->ss.ps.ps_ProjInfo);
	}
}

static void
end_guard(CustomScanState *css)
{
	MarkGuardState *guard = (MarkGuardState *) css;

	if (guard->lookup != NULL)
		zz_mark_lookup_end(guard->lookup);
	end_node(css);
}

/*
 * The inner side will be read anew.  Shared facts are cleared by the leader, in
 * reinit_guard_dsm, before there are workers.
 */
static void
rescan_guard(CustomScanState *css)
{
	MarkGuardState *guard = (MarkGuardState *) css;

	guard->seen_row = guard->seen_null = false;
	guard->rows = guard->null_rows = 0;
	if (guard->facts == &guard->local_facts)
		clear_facts(guard->facts);
	if (guard->lookup != NULL)
		zz_mark_lookup_reset(guard->lookup);
	rescan_child(css);
}

static Size
estimate_guard(CustomScanState *css, ParallelContext *pcxt)
{
	return sizeof(GuardFacts);
}

static void
init_guard_dsm(CustomScanState *css, ParallelContext *pcxt, void *coordinate)
{
	MarkGuardState *guard = (MarkGuardState *) css;

	guard->facts = coordinate;
	init_facts(guard->facts);
}

static void
reinit_guard_dsm(CustomScanState *css, ParallelContext *pcxt, void *coordinate)
{
	MarkGuardState *guard = (MarkGuardState *) css;

	guard->facts = coordinate;
	clear_facts(guard->facts);
}

static void
init_guard_worker(CustomScanState *css, shm_toc *toc, void *coordinate)
{
	((MarkGuardState *) css)->facts = coordinate;
}

/*
 * Shared memory goes away: keep what EXPLAIN wants to tell.
 */
static void
shutdown_guard(CustomScanState *css)
{
	MarkGuardState *guard = (MarkGuardState *) css;
	GuardFacts *shared = guard->facts;

	if (shared == &guard->local_facts)
		return;
	guard->facts = &guard->local_facts;
	pg_atomic_write_u32(&guard->facts->any_row,
						pg_atomic_read_u32(&shared->any_row));
	pg_atomic_write_u32(&guard->facts->any_null,
						pg_atomic_read_u32(&shared->any_null));
	pg_atomic_write_u64(&guard->facts->rows, pg_atomic_read_u64(&shared->rows));
	pg_atomic_write_u64(&guard->facts->null_rows,
						pg_atomic_read_u64(&shared->null_rows));
}

/* ----------------------------------------------------------------
 *		MarkJoin
 * ----------------------------------------------------------------
 */

static Node *
create_join_state(CustomScan *cscan)
{
	MarkJoinState *join = palloc0(sizeof(MarkJoinState));

	NodeSetTag(join, T_CustomScanState);
	join->css.methods = &join_exec_methods;
	join->info = zz_mark_info_decode(cscan);
	return (Node *) join;
}

/*
 * The guard under the hash of the join.
 */
static MarkGuardState *
find_guard(PlanState *child)
{
	PlanState  *hash = IsA(child, HashJoinState) ? innerPlanState(child) : NULL;
	PlanState  *guard = hash != NULL ? outerPlanState(hash) : NULL;

	if (guard == NULL || !IsA(guard, CustomScanState) ||
		((CustomScanState *) guard)->methods != &guard_exec_methods)
		elog(ERROR, "found no guard below a mark join");
	return (MarkGuardState *) guard;
}

/*
 * Where the guard is to keep the inner rows, prepare it for that.
 */
static void
prepare_lookup(MarkJoinState *join)
{
	MarkGuardState *guard = join->guard;
	TupleDesc	input = guard->css.ss.ss_ScanTupleSlot->tts_tupleDescriptor;
	TupleDesc	desc;

	if (guard->ncolumns == 1)
		return;

	desc = CreateTemplateTupleDesc(guard->ncolumns);
	for (int i = 0; i < guard->ncolumns; i++)
		TupleDescCopyEntry(desc, i + 1, input, guard->columns[i]);
	zz_tuple_desc_finalize(desc);
	guard->lookup = zz_mark_lookup_create(join->info->nkeys,
										  join->info->ncorrelated, desc,
										  join->info->operators,
										  join->info->collations);
}

static void
begin_join(CustomScanState *css, EState *estate, int eflags)
{
	MarkJoinState *join = (MarkJoinState *) css;
	PlanState  *child = begin_child(css, estate, eflags);
	int			ncolumns = join->info->nkeys + join->info->ncorrelated;

	if (!join->info->three_valued)
		return;

	join->guard = find_guard(child);
	join->keys = palloc(sizeof(ExprState *) * ncolumns);
	join->values = palloc0(sizeof(Datum) * ncolumns);
	join->nulls = palloc0(sizeof(bool) * ncolumns);
	for (int i = 0; i < ncolumns; i++)
		join->keys[i] = ExecInitExpr(list_nth(join->info->outer_keys, i),
									 &css->ss.ps);
	if ((eflags & EXEC_FLAG_EXPLAIN_ONLY) == 0)
		prepare_lookup(join);
}

/*
 * Is IN false, not NULL, for the row in the expression context, which has no
 * partner?
 */
static bool
is_false(MarkJoinState *join, ExprContext *econtext)
{
	GuardFacts *facts = join->guard->facts;
	ZigzagMarkLookup *lookup = join->guard->lookup;
	int			ncolumns = join->guard->ncolumns;

	if (pg_atomic_read_u32(&facts->any_row) == 0)
		return true;
	if (lookup == NULL && pg_atomic_read_u32(&facts->any_null) != 0)
		return false;

	for (int i = 0; i < ncolumns; i++)
		join->values[i] = ExecEvalExprSwitchContext(join->keys[i], econtext,
													&join->nulls[i]);
	return lookup == NULL ? !join->nulls[0] :
		!zz_mark_lookup_find(lookup, join->values, join->nulls);
}

/*
 * Fill in "miss" of a row without a partner.
 */
static void
fill_mark(MarkJoinState *join, TupleTableSlot *slot, ExprContext *econtext)
{
	AttrNumber	hit = join->info->hit;
	AttrNumber	miss = join->info->miss;

	if (hit == 0 || miss == 0)
		return;

	/* A join projects: its slot is virtual, and its values are ours to set. */
	Assert(TTS_IS_VIRTUAL(slot));
	if (slot->tts_isnull[hit - 1] && is_false(join, econtext))
	{
		slot->tts_values[miss - 1] = BoolGetDatum(false);
		slot->tts_isnull[miss - 1] = false;
	}
}

static TupleTableSlot *
exec_join(CustomScanState *css)
{
	MarkJoinState *join = (MarkJoinState *) css;
	PlanState  *child = linitial(css->custom_ps);
	ExprContext *econtext = css->ss.ps.ps_ExprContext;

	for (;;)
	{
		TupleTableSlot *slot = ExecProcNode(child);

		CHECK_FOR_INTERRUPTS();
		if (TupIsNull(slot))
			return NULL;

		ResetExprContext(econtext);
		econtext->ecxt_scantuple = slot;
		if (join->guard != NULL)
			fill_mark(join, slot, econtext);
		if (!ExecQual(css->ss.ps.qual, econtext))
		{
			InstrCountFiltered1(css, 1);
			continue;
		}
		if (css->ss.ps.ps_ProjInfo == NULL)
			return slot;
		return ExecProject(css->ss.ps.ps_ProjInfo);
	}
}

static void
rescan_join(CustomScanState *css)
{
	rescan_child(css);
}

static void
explain_join(CustomScanState *css, List *ancestors, ExplainState *es)
{
	MarkJoinState *join = (MarkJoinState *) css;

	if (join->guard == NULL || !es->analyze)
		return;

	ExplainPropertyUInteger("Inner Rows", NULL,
							pg_atomic_read_u64(&join->guard->facts->rows), es);
	ExplainPropertyUInteger("Inner NULL Rows", NULL,
							pg_atomic_read_u64(&join->guard->facts->null_rows), es);
	if (join->guard->lookup != NULL)
	{
		ZigzagMarkLookupStats stats;

		zz_mark_lookup_stats(join->guard->lookup, &stats);
		ExplainPropertyInteger("NULL Patterns", NULL, stats.patterns, es);
		ExplainPropertyUInteger("Partial Lookups", NULL, stats.lookups, es);
		ExplainPropertyInteger("Lookup Tables", NULL, stats.tables, es);
		if (stats.oversized > 0 || es->format != EXPLAIN_FORMAT_TEXT)
			ExplainPropertyInteger("Lookup Tables Too Large", NULL,
								   stats.oversized, es);
		ExplainPropertyUInteger("Lookup Memory", "kB",
								(stats.memory + 1023) / 1024, es);
	}
}
