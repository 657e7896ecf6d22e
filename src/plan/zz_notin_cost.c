/*-------------------------------------------------------------------------
 *
 * zz_notin_cost.c
 *	  What the planner's estimate for NOT IN leaves out.
 *
 * A hashed subplan answers by one lookup, and that is what it is charged for.
 * With several columns that is not all: an outer row with a NULL in one of them
 * is compared with every hashed row, and an outer row that has no equal is
 * compared with every inner row that has a NULL.  A few NULLs on either side
 * make seconds out of milliseconds.  How many there will be nobody knows; charge
 * for a small share of the rows.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "nodes/plannodes.h"
#include "optimizer/optimizer.h"

#include "zz_notin_cost.h"

/* The share of all pairs of rows that is expected to be compared. */
#define COMPARED_SHARE 0.01

/* A NOT IN is assumed to keep half of the rows. */
#define KEPT_SHARE 0.5

typedef struct HiddenCost
{
	const PlannedStmt *stmt;
	const Plan *plan;			/* whose qual is being looked at */
	Cost		cost;
} HiddenCost;

static bool
qual_walker(Node *node, void *arg)
{
	HiddenCost *hidden = (HiddenCost *) arg;

	if (node == NULL)
		return false;
	if (IsA(node, SubPlan))
	{
		SubPlan    *subplan = (SubPlan *) node;
		int			ncolumns = list_length(subplan->paramIds);

		if (subplan->subLinkType == ANY_SUBLINK && subplan->useHashTable &&
			!subplan->unknownEqFalse && ncolumns > 1)
		{
			const Plan *inner = list_nth(hidden->stmt->subplans,
										 subplan->plan_id - 1);

			hidden->cost += COMPARED_SHARE *
				(hidden->plan->plan_rows / KEPT_SHARE) * inner->plan_rows *
				ncolumns * cpu_operator_cost;
		}
	}
	return expression_tree_walker(node, qual_walker, arg);
}

static void
plan_walker(const Plan *plan, HiddenCost *hidden)
{
	List	   *children = NIL;
	ListCell   *lc;

	if (plan == NULL)
		return;

	hidden->plan = plan;
	qual_walker((Node *) plan->qual, hidden);

	plan_walker(plan->lefttree, hidden);
	plan_walker(plan->righttree, hidden);

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
zz_notin_hidden_cost(const PlannedStmt *stmt)
{
	HiddenCost	hidden = {stmt, NULL, 0};
	ListCell   *lc;

	plan_walker(stmt->planTree, &hidden);
	foreach(lc, stmt->subplans)
		plan_walker(lfirst(lc), &hidden);
	return hidden.cost;
}
