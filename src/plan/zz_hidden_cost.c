/*-------------------------------------------------------------------------
 *
 * zz_hidden_cost.c
 *	  What the planner's estimate for hashed subplans leaves out.
 *
 * A hashed subplan answers by one lookup, and that is what it is charged for.
 * With several columns that is not all: an outer row with a NULL in one of them
 * is compared with every hashed row, and an outer row that has no equal is
 * compared with every inner row that has a NULL.  A few NULLs on either side
 * make seconds out of milliseconds.  How many there are the statistics tell, for
 * columns of tables.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "nodes/nodeFuncs.h"
#include "nodes/plannodes.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/syscache.h"

#include "zz_hidden_cost.h"

/* The share of NULLs where nothing is known of the column. */
#define UNKNOWN_SHARE 0.01

/* The share that the statistics may have overlooked. */
#define OVERLOOKED_SHARE 0.0001

/* The share of rows that are assumed to have no equal. */
#define UNMATCHED_SHARE 0.5

typedef struct HiddenCost
{
	const PlannedStmt *stmt;
	const Plan *plan;			/* whose expressions are being looked at */
	double		rows;			/* for how many rows they are evaluated */
	Cost		cost;
} HiddenCost;

/*
 * The share of NULLs in a column of a table, or UNKNOWN_SHARE.
 */
static double
column_null_share(const RangeTblEntry *rte, AttrNumber attno)
{
	HeapTuple	tuple = NULL;
	double		share;

	if (rte->rtekind == RTE_RELATION)
	{
		tuple = SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(rte->relid),
								Int16GetDatum(attno), BoolGetDatum(false));
		if (!HeapTupleIsValid(tuple))
			tuple = SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(rte->relid),
									Int16GetDatum(attno), BoolGetDatum(true));
	}
	if (!HeapTupleIsValid(tuple))
		return UNKNOWN_SHARE;

	share = ((Form_pg_statistic) GETSTRUCT(tuple))->stanullfrac;
	ReleaseSysCache(tuple);
	return Max(share, OVERLOOKED_SHARE);
}

/*
 * The share of NULLs in an expression of a plan node.
 */
static double
null_share(const PlannedStmt *stmt, const Plan *plan, Node *expr)
{
	const Var  *var = (const Var *) expr;
	List	   *tlist = NIL;
	TargetEntry *tle;

	if (IsA(expr, RelabelType))
		return null_share(stmt, plan, (Node *) ((RelabelType *) expr)->arg);
	if (!IsA(expr, Var))
		return UNKNOWN_SHARE;

	if (var->varno == OUTER_VAR && outerPlan(plan) != NULL)
		plan = outerPlan(plan);
	else if (var->varno == INNER_VAR && innerPlan(plan) != NULL)
		plan = innerPlan(plan);
	else if (var->varno == INDEX_VAR && IsA(plan, IndexOnlyScan))
		tlist = ((const IndexOnlyScan *) plan)->indextlist;
	else if (IsA(plan, SubqueryScan))
		plan = ((const SubqueryScan *) plan)->subplan;
	else if (!IS_SPECIAL_VARNO(var->varno))
		return column_null_share(rt_fetch(var->varno, stmt->rtable),
								 var->varattno);
	else
		return UNKNOWN_SHARE;

	tle = get_tle_by_resno(tlist != NIL ? tlist : plan->targetlist,
						   var->varattno);
	return tle == NULL ? UNKNOWN_SHARE :
		null_share(stmt, plan, (Node *) tle->expr);
}

/*
 * How many pairs of rows a hashed subplan compares one by one.
 */
static double
compared_pairs(const HiddenCost *hidden, const SubPlan *subplan,
			   const Plan *inner)
{
	List	   *tests = ((BoolExpr *) subplan->testexpr)->args;
	double		outer_whole = 1.0;
	double		inner_whole = 1.0;
	ListCell   *lc;

	foreach(lc, tests)
	{
		OpExpr	   *op = lfirst(lc);
		TargetEntry *tle = get_tle_by_resno(inner->targetlist,
											foreach_current_index(lc) + 1);

		if (IsA(op, OpExpr))
			outer_whole *= 1.0 - null_share(hidden->stmt, hidden->plan,
											linitial(op->args));
		if (tle != NULL)
			inner_whole *= 1.0 - null_share(hidden->stmt, inner,
											(Node *) tle->expr);
	}
	return hidden->rows * inner->plan_rows *
		((1.0 - outer_whole) + UNMATCHED_SHARE * (1.0 - inner_whole));
}

static bool
subplan_walker(Node *node, void *arg)
{
	HiddenCost *hidden = (HiddenCost *) arg;

	if (node == NULL)
		return false;
	if (IsA(node, SubPlan))
	{
		SubPlan    *subplan = (SubPlan *) node;

		if (subplan->subLinkType == ANY_SUBLINK && subplan->useHashTable &&
			!subplan->unknownEqFalse && is_andclause(subplan->testexpr))
			hidden->cost += cpu_operator_cost *
				list_length(subplan->paramIds) *
				compared_pairs(hidden, subplan,
							   list_nth(hidden->stmt->subplans,
										subplan->plan_id - 1));
	}
	return expression_tree_walker(node, subplan_walker, arg);
}

static void
plan_walker(const Plan *plan, HiddenCost *hidden)
{
	List	   *children = NIL;
	ListCell   *lc;

	if (plan == NULL)
		return;

	hidden->plan = plan;
	hidden->rows = plan->plan_rows;
	subplan_walker((Node *) plan->targetlist, hidden);
	hidden->rows = plan->plan_rows / UNMATCHED_SHARE;
	subplan_walker((Node *) plan->qual, hidden);

	plan_walker(outerPlan(plan), hidden);
	plan_walker(innerPlan(plan), hidden);

	switch (nodeTag(plan))
	{
		case T_Append:
			children = ((const Append *) plan)->appendplans;
			break;
		case T_MergeAppend:
			children = ((const MergeAppend *) plan)->mergeplans;
			break;
		case T_CustomScan:
			children = ((const CustomScan *) plan)->custom_plans;
			break;
		case T_SubqueryScan:
			plan_walker(((const SubqueryScan *) plan)->subplan, hidden);
			break;
		default:
			break;
	}
	foreach(lc, children)
		plan_walker(lfirst(lc), hidden);
}

Cost
zz_hidden_cost(const PlannedStmt *stmt)
{
	HiddenCost	hidden = {.stmt = stmt};
	ListCell   *lc;

	if (stmt->subplans == NIL)
		return 0.0;
	plan_walker(stmt->planTree, &hidden);
	foreach(lc, stmt->subplans)
		plan_walker(lfirst(lc), &hidden);
	return hidden.cost;
}
