/*-------------------------------------------------------------------------
 *
 * zz_exec_nullaware.c
 *	  NullAwareAntiJoin around an anti join of core's.
 *
 * Core's join on x = y puts out each outer row that has no equal inner row.
 * NOT IN keeps fewer of them:
 *
 *		inner side			x is NULL	x is not NULL, no equal y
 *		is empty			keep		keep
 *		has a NULL			drop		drop
 *		has rows, no NULL	drop		keep
 *
 * With a hash join (strategy VERDICT) a NullGuard has seen what the inner side
 * is like by the time the first row comes out.  With a nested loop (PROBE) two
 * further children are asked: one whether there is a NULL, at the start, one
 * whether there is any row, when it matters.
 *
 * The middle row of the table is the end: nothing can follow.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/parallel.h"
#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "nodes/extensible.h"

#include "zz_exec_child.h"
#include "zz_exec_guard.h"
#include "zz_exec_nullaware.h"
#include "zz_explain_nullaware.h"

typedef struct NullAwareState
{
	CustomScanState css;
	ZigzagNullAwareInfo *info;
	PlanState  *join;
	AttrNumber	key_column;		/* of the join's rows, or 0: */
	ExprState  *key;
	bool		ended;			/* a NULL was seen */

	ZigzagGuardState *guard;	/* VERDICT */

	PlanState  *null_probe;		/* PROBE */
	PlanState  *any_probe;
	bool		null_known;
	bool		any_known;
	bool		any;
} NullAwareState;

static const CustomExecMethods nullaware_exec_methods;

static Node *
nullaware_create(CustomScan *cscan)
{
	ZigzagNullAwareInfo *info = zz_nullaware_info_decode(cscan);
	NullAwareState *state;

	if (info->strategy == ZIGZAG_NULLAWARE_PATTERN)
		return zz_pattern_create(info);

	state = (NullAwareState *) newNode(sizeof(NullAwareState),
									   T_CustomScanState);
	state->css.methods = &nullaware_exec_methods;
	state->info = info;
	return (Node *) state;
}

static void
nullaware_begin(CustomScanState *node, EState *estate, int eflags)
{
	NullAwareState *state = (NullAwareState *) node;
	CustomScan *cscan = (CustomScan *) node->ss.ps.plan;
	List	   *plans = cscan->custom_plans;

	state->join = zz_child_init(node, linitial(plans), eflags, false);
	if (state->info->strategy == ZIGZAG_NULLAWARE_VERDICT)
		state->guard = zz_guard_attach(state->join);
	else
	{
		state->null_probe = zz_child_init(node, lsecond(plans), eflags, false);
		state->any_probe = zz_child_init(node, lthird(plans), eflags, false);
	}

	state->key_column = zz_expr_column(state->info->outer_key);
	if (state->key_column == 0)
		state->key = zz_init_scan_expr(node, state->info->outer_key);
}

static bool
key_is_null(NullAwareState *state, TupleTableSlot *slot)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;
	bool		isnull;

	if (state->key_column > 0)
		return slot_attisnull(slot, state->key_column);

	econtext->ecxt_scantuple = slot;
	(void) ExecEvalExprSwitchContext(state->key, econtext, &isnull);
	return isnull;
}

void
zz_nullaware_report(const ZigzagNullAwareInfo *info)
{
	if (info->warn_null && !IsParallelWorker())
		ereport(NOTICE,
				(errmsg("NOT IN is true for no row because its subquery returned a NULL"),
				 errhint("Add IS NOT NULL to the subquery's WHERE, or use NOT EXISTS.")));
}

/*
 * Does the plan return a row?
 */
static bool
returns_row(PlanState *plan)
{
	TupleTableSlot *slot = ExecProcNode(plan);

	return !TupIsNull(slot);
}

/*
 * Has the inner side a NULL?  Once the answer is yes the join is over.
 */
static bool
inner_has_null(NullAwareState *state)
{
	if (state->guard != NULL)
		return zz_guard_saw_null(state->guard);

	if (!state->null_known)
	{
		state->null_known = true;
		return returns_row(state->null_probe);
	}
	return false;
}

static bool
inner_has_row(NullAwareState *state)
{
	if (state->guard != NULL)
		return zz_guard_saw_row(state->guard);

	if (!state->any_known)
	{
		state->any_known = true;
		state->any = returns_row(state->any_probe);
	}
	return state->any;
}

/*
 * The row of the join as this node's own.
 */
static TupleTableSlot *
emit(NullAwareState *state, TupleTableSlot *slot)
{
	CustomScanState *css = &state->css;
	ExprContext *econtext = css->ss.ps.ps_ExprContext;

	if (!TTS_IS_VIRTUAL(slot))
	{
		TupleTableSlot *copy = css->ss.ss_ScanTupleSlot;
		int			natts = copy->tts_tupleDescriptor->natts;

		slot_getallattrs(slot);
		ExecClearTuple(copy);
		memcpy(copy->tts_values, slot->tts_values, natts * sizeof(Datum));
		memcpy(copy->tts_isnull, slot->tts_isnull, natts * sizeof(bool));
		slot = ExecStoreVirtualTuple(copy);
	}

	if (css->ss.ps.ps_ProjInfo == NULL)
		return slot;
	econtext->ecxt_scantuple = slot;
	return ExecProject(css->ss.ps.ps_ProjInfo);
}

static TupleTableSlot *
nullaware_exec(CustomScanState *node)
{
	NullAwareState *state = (NullAwareState *) node;

	if (state->ended)
		return NULL;
	if (state->guard == NULL && inner_has_null(state))
	{
		state->ended = true;
		zz_nullaware_report(state->info);
		return NULL;
	}

	for (;;)
	{
		TupleTableSlot *slot = ExecProcNode(state->join);

		if (inner_has_null(state))
		{
			state->ended = true;
			zz_nullaware_report(state->info);
			return NULL;
		}
		if (TupIsNull(slot))
			return NULL;

		CHECK_FOR_INTERRUPTS();
		ResetExprContext(node->ss.ps.ps_ExprContext);
		if (key_is_null(state, slot) && inner_has_row(state))
		{
			InstrCountFiltered1(node, 1);
			continue;
		}
		return emit(state, slot);
	}
}

static void
nullaware_end(CustomScanState *node)
{
	zz_children_end(node);
}

/*
 * The probes are asked again: that is cheaper than to know whether they must.
 */
static void
nullaware_rescan(CustomScanState *node)
{
	NullAwareState *state = (NullAwareState *) node;

	state->ended = false;
	if (state->guard != NULL)
		zz_guard_resume(state->guard);
	zz_child_rescan(node, state->join);
	if (state->guard == NULL)
	{
		state->null_known = false;
		state->any_known = false;
		zz_child_rescan(node, state->null_probe);
		zz_child_rescan(node, state->any_probe);
	}
}

static void
nullaware_explain(CustomScanState *node, List *ancestors,
				  struct ExplainState *es)
{
	NullAwareState *state = (NullAwareState *) node;
	ZigzagNullAwareCounters counters = {
		.ended_at_null = state->ended,
		.inner_rows = -1,
		.inner_null_rows = -1,
		.patterns = -1,
		.lookups = -1,
		.partial_lookups = -1,
		.memory = -1,
		.batches = -1,
	};

	if (state->guard != NULL)
	{
		counters.inner_rows = zz_guard_rows(state->guard);
		counters.inner_null_rows = zz_guard_null_rows(state->guard);
	}
	zz_explain_nullaware(node, state->info, &counters, ancestors, es);
}

static const CustomExecMethods nullaware_exec_methods = {
	.CustomName = ZIGZAG_NULLAWARE_NAME,
	.BeginCustomScan = nullaware_begin,
	.ExecCustomScan = nullaware_exec,
	.EndCustomScan = nullaware_end,
	.ReScanCustomScan = nullaware_rescan,
	.ExplainCustomScan = nullaware_explain,
};

static const CustomScanMethods nullaware_scan_methods = {
	.CustomName = ZIGZAG_NULLAWARE_NAME,
	.CreateCustomScanState = nullaware_create,
};

void
zz_exec_nullaware_register(void)
{
	if (GetCustomScanMethods(ZIGZAG_NULLAWARE_NAME, true) == NULL)
		RegisterCustomScanMethods(&nullaware_scan_methods);
	zz_exec_guard_register();
}
