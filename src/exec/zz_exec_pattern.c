/*-------------------------------------------------------------------------
 *
 * zz_exec_pattern.c
 *	  NullAwareAntiJoin with any number of keys and further conditions.
 *
 * An outer row x is kept unless some inner row s makes all of these true:
 *
 *		x.e = s.e			for each plain key; NULL matches nothing
 *		(x.a = s.a) IS NOT FALSE	for each null-aware key
 *		residual(x, s)		NULL counts as false
 *
 * The inner rows go into a pattern hash (zz_pattern_hash.c); each outer row is
 * one search in it.
 *
 * Memory.  If the inner rows are more than the hash may hold, they are taken
 * load by load.  Outer rows that survive a load wait in a tuplestore and pass
 * again with the next one; after the last load what is left is the result.
 * This is a block nested loop with a hash inside: the inner side is read once,
 * no row is judged twice by the same inner row, and no state is needed for an
 * outer row but that it is still there:
 *
 *		load 1:  outer plan --search--> store A
 *		load 2:  store A    --search--> store B
 *		load 3:  store B    --search--> result
 *
 * The order of the outer rows is kept.
 *
 * An inner row with nothing but NULLs, in the absence of plain keys and residual
 * conditions, makes every outer row drop out: the join ends at once.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "zz_exec_child.h"
#include "zz_exec_nullaware.h"
#include "zz_explain_nullaware.h"
#include "zz_pattern_hash.h"

typedef struct PatternState
{
	CustomScanState css;
	ZigzagNullAwareInfo *info;
	PlanState  *outer;
	PlanState  *inner;

	int			nkeys;			/* plain ones first */
	ExprState  *outer_keys[ZIGZAG_PATTERN_MAX_COLUMNS];
	ExprState  *inner_keys[ZIGZAG_PATTERN_MAX_COLUMNS];
	AttrNumber	outer_attnos[ZIGZAG_PATTERN_MAX_COLUMNS];	/* of plain columns */
	AttrNumber	inner_attnos[ZIGZAG_PATTERN_MAX_COLUMNS];
	ZigzagPatternColumn columns[ZIGZAG_PATTERN_MAX_COLUMNS];
	Datum		values[ZIGZAG_PATTERN_MAX_COLUMNS];
	bool		isnull[ZIGZAG_PATTERN_MAX_COLUMNS];

	ExprState  *residual;
	ExprContext *residual_context;
	TupleTableSlot *inner_slot; /* an inner row from the hash */

	ZigzagPatternHash *hash;
	bool		loaded;			/* a load is in the hash */
	bool		last;			/* it is the last one */
	bool		ended;			/* no row can be kept */
	bool		finished;		/* all rows were returned */
	TupleTableSlot *pending;	/* inner row that did not fit, or NULL */

	Tuplestorestate *source;	/* outer rows of this pass; NULL: the plan's */
	Tuplestorestate *sink;		/* outer rows for the next pass */
	TupleTableSlot *source_slot;

	uint64		inner_rows;
	uint64		inner_null_rows;
	uint64		batches;
} PatternState;

static const CustomExecMethods pattern_exec_methods;

Node *
zz_pattern_create(ZigzagNullAwareInfo *info)
{
	PatternState *state = (PatternState *) newNode(sizeof(PatternState),
												   T_CustomScanState);

	state->css.methods = &pattern_exec_methods;
	state->info = info;
	return (Node *) state;
}

/*
 * References to the scan tuple become references to the outer or the inner
 * child's row.
 */
static Node *
split_references(Node *node, void *nouter)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Var) && ((Var *) node)->varno == INDEX_VAR)
	{
		Var		   *var = (Var *) copyObject(node);
		int			n = *(int *) nouter;

		if (var->varattno <= n)
			var->varno = OUTER_VAR;
		else
		{
			var->varno = INNER_VAR;
			var->varattno -= n;
		}
		return (Node *) var;
	}
	return expression_tree_mutator(node, split_references, nouter);
}

/*
 * Compile one side of a key; plain columns need no expression.
 */
static ExprState *
init_key(PatternState *state, Node *expr, AttrNumber *attno)
{
	Expr	   *split = (Expr *) split_references(expr, &state->info->nouter);

	*attno = IsA(split, Var) ? ((Var *) split)->varattno : 0;
	return *attno > 0 ? NULL : ExecInitExpr(split, &state->css.ss.ps);
}

static void
init_column(PatternState *state, OpExpr *op)
{
	int			n = state->nkeys++;
	ZigzagPatternColumn *column = &state->columns[n];
	Oid			hash_outer;
	Oid			hash_inner;
	Oid			eq_outer;
	Oid			eq_inner;

	state->outer_keys[n] = init_key(state, linitial(op->args),
									&state->outer_attnos[n]);
	state->inner_keys[n] = init_key(state, lsecond(op->args),
									&state->inner_attnos[n]);

	if (!get_op_hash_functions(op->opno, &hash_outer, &hash_inner) ||
		!get_compatible_hash_operators(op->opno, &eq_outer, &eq_inner))
		elog(ERROR, "operator %u is not hashable", op->opno);

	fmgr_info(hash_outer, &column->hash_outer);
	fmgr_info(hash_inner, &column->hash_inner);
	fmgr_info(get_opcode(op->opno), &column->eq_outer_inner);
	fmgr_info(get_opcode(eq_inner), &column->eq_inner_inner);
	fmgr_info_set_expr((Node *) op, &column->eq_outer_inner);
	column->collation = op->inputcollid;
	get_typlenbyval(exprType(lsecond(op->args)),
					&column->inner_len, &column->inner_byval);
}

/*
 * Let the state of a subplan refer to its node in the plan rather than to the
 * copy it was compiled from: EXPLAIN follows the references of that one.
 */
static bool
restore_subplan(Node *node, void *subplan_states)
{
	ListCell   *lc;

	if (node == NULL)
		return false;
	if (IsA(node, SubPlan))
	{
		foreach(lc, (List *) subplan_states)
		{
			SubPlanState *state = lfirst_node(SubPlanState, lc);

			if (state->subplan->plan_id == ((SubPlan *) node)->plan_id)
				state->subplan = (SubPlan *) node;
		}
	}
	return expression_tree_walker(node, restore_subplan, subplan_states);
}

static void
pattern_begin(CustomScanState *node, EState *estate, int eflags)
{
	PatternState *state = (PatternState *) node;
	ZigzagNullAwareInfo *info = state->info;
	CustomScan *cscan = (CustomScan *) node->ss.ps.plan;
	ListCell   *lc;

	state->outer = zz_child_init(node, linitial(cscan->custom_plans), eflags,
								 false);
	state->inner = zz_child_init(node, lsecond(cscan->custom_plans), eflags,
								 info->recheck_in_parent);

	foreach(lc, info->equal)
		init_column(state, lfirst_node(OpExpr, lc));
	foreach(lc, info->nullaware)
		init_column(state, lfirst_node(OpExpr, lc));

	if (info->residual != NIL)
	{
		List	   *residual = (List *) split_references((Node *) info->residual,
														 &info->nouter);

		state->residual = ExecInitQual(residual, &node->ss.ps);
		state->residual_context = CreateExprContext(estate);
	}
	restore_subplan((Node *) cscan->custom_exprs, node->ss.ps.subPlan);
	state->inner_slot = ExecInitExtraTupleSlot(estate,
											   ExecGetResultType(state->inner),
											   &TTSOpsMinimalTuple);
	state->source_slot = ExecInitExtraTupleSlot(estate,
												ExecGetResultType(state->outer),
												&TTSOpsMinimalTuple);
	state->hash = zz_pattern_hash_create(state->columns,
										 list_length(info->equal),
										 list_length(info->nullaware),
										 info->residual != NIL,
										 get_hash_memory_limit());
}

/*
 * Evaluate the keys of a row into state->values.  The result lives until the
 * node's expression context is reset.
 */
static void
evaluate_keys(PatternState *state, TupleTableSlot *slot, bool outer)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;
	ExprState **keys = outer ? state->outer_keys : state->inner_keys;
	AttrNumber *attnos = outer ? state->outer_attnos : state->inner_attnos;

	if (outer)
		econtext->ecxt_outertuple = slot;
	else
		econtext->ecxt_innertuple = slot;

	for (int i = 0; i < state->nkeys; i++)
	{
		if (attnos[i] > 0)
			state->values[i] = slot_getattr(slot, attnos[i], &state->isnull[i]);
		else
			state->values[i] = ExecEvalExprSwitchContext(keys[i], econtext,
														 &state->isnull[i]);
	}
}

/*
 * Is one of the plain keys NULL?
 */
static bool
plain_key_is_null(const PatternState *state)
{
	for (int i = 0; i < list_length(state->info->equal); i++)
	{
		if (state->isnull[i])
			return true;
	}
	return false;
}

/*
 * How many null-aware keys are NULL?
 */
static int
count_nulls(const PatternState *state)
{
	int			count = 0;

	for (int i = list_length(state->info->equal); i < state->nkeys; i++)
		count += state->isnull[i];
	return count;
}

/*
 * Store an inner row; false if it must wait for the next load.
 */
static bool
store_inner(PatternState *state, TupleTableSlot *slot, bool is_new)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;
	MemoryContext old;
	MinimalTuple tuple = NULL;
	bool		shouldfree = false;
	bool		stored;
	int			nulls;

	ResetExprContext(econtext);
	evaluate_keys(state, slot, false);
	nulls = count_nulls(state);
	if (is_new)
	{
		state->inner_rows++;
		state->inner_null_rows += nulls > 0;
	}
	if (plain_key_is_null(state))
		return true;			/* matches nothing */

	old = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
	if (state->residual != NULL)
		tuple = ExecFetchSlotMinimalTuple(slot, &shouldfree);
	stored = zz_pattern_hash_add(state->hash, state->values, state->isnull,
								 tuple);
	MemoryContextSwitchTo(old);

	if (stored && nulls == state->nkeys && state->residual == NULL)
		state->ended = true;
	return stored;
}

/*
 * Fill the hash with the next load of inner rows.
 */
static void
load_inner(PatternState *state)
{
	zz_pattern_hash_reset(state->hash);
	state->loaded = true;
	state->batches++;

	if (state->pending != NULL)
	{
		TupleTableSlot *slot = state->pending;

		state->pending = NULL;
		if (!store_inner(state, slot, false))
			elog(ERROR, "no room for one row in an empty hash");
	}

	while (!state->ended)
	{
		TupleTableSlot *slot = ExecProcNode(state->inner);

		if (TupIsNull(slot))
		{
			state->last = true;
			return;
		}
		CHECK_FOR_INTERRUPTS();
		if (!store_inner(state, slot, true))
		{
			state->pending = slot;
			return;
		}
	}
}

/*
 * Does the inner row of the hash satisfy the residual conditions for the outer
 * row in ecxt_outertuple?
 */
static bool
residual_holds(MinimalTuple tuple, void *arg)
{
	PatternState *state = (PatternState *) arg;
	ExprContext *econtext = state->residual_context;

	CHECK_FOR_INTERRUPTS();
	ResetExprContext(econtext);
	ExecStoreMinimalTuple(tuple, state->inner_slot, false);
	econtext->ecxt_outertuple = state->css.ss.ps.ps_ExprContext->ecxt_outertuple;
	econtext->ecxt_innertuple = state->inner_slot;
	return ExecQual(state->residual, econtext);
}

/*
 * Does an inner row of this load reject the outer row?
 */
static bool
is_rejected(PatternState *state, TupleTableSlot *slot)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;
	MemoryContext old;
	bool		result;

	if (zz_pattern_hash_is_empty(state->hash))
		return false;

	evaluate_keys(state, slot, true);
	if (plain_key_is_null(state))
		return false;

	old = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
	result = zz_pattern_hash_search(state->hash, state->values, state->isnull,
									residual_holds, state);
	MemoryContextSwitchTo(old);
	return result;
}

static TupleTableSlot *
next_outer(PatternState *state)
{
	if (state->source == NULL)
		return ExecProcNode(state->outer);
	if (!tuplestore_gettupleslot(state->source, true, false,
								 state->source_slot))
		return NULL;
	return state->source_slot;
}

/*
 * The outer rows have passed this load; make ready for the next.
 */
static void
next_pass(PatternState *state)
{
	if (state->source != NULL)
		tuplestore_end(state->source);
	state->source = state->sink;
	state->sink = NULL;
	load_inner(state);
}

/*
 * Keep an outer row for the next pass.
 */
static void
keep_outer(PatternState *state, TupleTableSlot *slot)
{
	if (state->sink == NULL)
	{
		MemoryContext old =
		MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);

		state->sink = tuplestore_begin_heap(false, false, work_mem);
		MemoryContextSwitchTo(old);
	}
	tuplestore_puttupleslot(state->sink, slot);
}

/*
 * The outer row, with NULLs for the inner columns, as the node's own; NULL if a
 * filter throws it away.
 */
static TupleTableSlot *
emit(PatternState *state, TupleTableSlot *slot)
{
	CustomScanState *css = &state->css;
	ExprContext *econtext = css->ss.ps.ps_ExprContext;
	TupleTableSlot *scan = css->ss.ss_ScanTupleSlot;
	int			nouter = state->info->nouter;
	int			natts = scan->tts_tupleDescriptor->natts;

	slot_getallattrs(slot);
	ExecClearTuple(scan);
	memcpy(scan->tts_values, slot->tts_values, nouter * sizeof(Datum));
	memcpy(scan->tts_isnull, slot->tts_isnull, nouter * sizeof(bool));
	for (int i = nouter; i < natts; i++)
	{
		scan->tts_values[i] = (Datum) 0;
		scan->tts_isnull[i] = true;
	}
	ExecStoreVirtualTuple(scan);

	econtext->ecxt_scantuple = scan;
	if (!ExecQual(css->ss.ps.qual, econtext))
	{
		InstrCountFiltered1(css, 1);
		return NULL;
	}
	return css->ss.ps.ps_ProjInfo != NULL ?
		ExecProject(css->ss.ps.ps_ProjInfo) : scan;
}

static TupleTableSlot *
pattern_exec(CustomScanState *node)
{
	PatternState *state = (PatternState *) node;

	if (!state->loaded)
	{
		load_inner(state);
		if (state->ended)
			zz_nullaware_report(state->info);
	}

	while (!state->ended && !state->finished)
	{
		TupleTableSlot *slot = next_outer(state);

		CHECK_FOR_INTERRUPTS();
		ResetExprContext(node->ss.ps.ps_ExprContext);
		if (TupIsNull(slot))
		{
			if (state->last || state->sink == NULL)
				state->finished = true;
			else
				next_pass(state);
			continue;
		}
		if (is_rejected(state, slot))
			continue;
		if (!state->last)
			keep_outer(state, slot);
		else if ((slot = emit(state, slot)) != NULL)
			return slot;
	}
	return NULL;
}

static void
end_stores(PatternState *state)
{
	if (state->source != NULL)
		tuplestore_end(state->source);
	if (state->sink != NULL)
		tuplestore_end(state->sink);
	state->source = NULL;
	state->sink = NULL;
}

static void
pattern_end(CustomScanState *node)
{
	end_stores((PatternState *) node);
	zz_children_end(node);
}

/*
 * If the inner rows are all in the hash and stay the same, only the outer side
 * is read again.
 */
static void
pattern_rescan(CustomScanState *node)
{
	PatternState *state = (PatternState *) node;
	bool		complete = state->loaded && state->source == NULL &&
	(state->last || state->ended);

	if (node->ss.ps.chgParam != NULL)
		UpdateChangedParamSet(state->inner, node->ss.ps.chgParam);

	end_stores(state);
	state->finished = false;
	zz_child_rescan(node, state->outer);
	if (complete && state->inner->chgParam == NULL)
		return;

	state->loaded = false;
	state->last = false;
	state->ended = false;
	state->pending = NULL;
	zz_child_rescan(node, state->inner);
}

static void
pattern_explain(CustomScanState *node, List *ancestors,
				struct ExplainState *es)
{
	PatternState *state = (PatternState *) node;
	const ZigzagPatternCounters *hash = zz_pattern_hash_counters(state->hash);
	ZigzagNullAwareCounters counters = {
		.ended_at_null = state->ended,
		.inner_rows = state->inner_rows,
		.inner_null_rows = state->inner_null_rows,
		.patterns = hash->patterns,
		.lookups = hash->lookups,
		.partial_lookups = hash->partial_lookups,
		.memory = hash->memory,
		.batches = state->batches,
	};

	zz_explain_nullaware(node, state->info, &counters, ancestors, es);
}

static const CustomExecMethods pattern_exec_methods = {
	.CustomName = ZIGZAG_NULLAWARE_NAME,
	.BeginCustomScan = pattern_begin,
	.ExecCustomScan = pattern_exec,
	.EndCustomScan = pattern_end,
	.ReScanCustomScan = pattern_rescan,
	.ExplainCustomScan = pattern_explain,
};
