/*-------------------------------------------------------------------------
 *
 * zz_exec_child.c
 *	  The child plans of our nodes.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "executor/executor.h"
#include "nodes/primnodes.h"

#include "zz_exec_child.h"

/*
 * A recheck runs a second copy of the plan, in an EState of its own, in which
 * each table of the statement stands for the one row that is rechecked or, on
 * the inner side of an anti join, for none.  A child that must be read in full
 * is started in the EState of the statement instead.  Its memory is that of the
 * statement, for its slots are registered there.
 */
PlanState *
zz_child_init(CustomScanState *node, Plan *plan, int eflags,
			  bool recheck_in_parent)
{
	EState	   *estate = node->ss.ps.state;
	MemoryContext old = CurrentMemoryContext;
	PlanState  *child;

	if (recheck_in_parent && estate->es_epq_active != NULL)
	{
		estate = estate->es_epq_active->parentestate;
		MemoryContextSwitchTo(estate->es_query_cxt);
	}
	child = ExecInitNode(plan, estate, eflags);
	MemoryContextSwitchTo(old);

	node->custom_ps = lappend(node->custom_ps, child);
	return child;
}

void
zz_child_rescan(CustomScanState *node, PlanState *child)
{
	if (node->ss.ps.chgParam != NULL)
		UpdateChangedParamSet(child, node->ss.ps.chgParam);

	/* With changed parameters the first ExecProcNode does it. */
	if (child->chgParam == NULL)
		ExecReScan(child);
}

void
zz_children_end(CustomScanState *node)
{
	ListCell   *lc;

	foreach(lc, node->custom_ps)
		ExecEndNode((PlanState *) lfirst(lc));
}

AttrNumber
zz_expr_column(Expr *expr)
{
	if (IsA(expr, Var) && ((Var *) expr)->varno == INDEX_VAR)
		return ((Var *) expr)->varattno;
	return 0;
}

ExprState *
zz_init_scan_expr(CustomScanState *node, Expr *expr)
{
	PlanState  *ps = &node->ss.ps;
	bool		fixed = ps->scanopsfixed;
	bool		set = ps->scanopsset;
	const TupleTableSlotOps *ops = ps->scanops;
	ExprState  *result;

	ps->scanopsset = true;
	ps->scanopsfixed = false;
	ps->scanops = NULL;
	result = ExecInitExpr(expr, ps);
	ps->scanopsset = set;
	ps->scanopsfixed = fixed;
	ps->scanops = ops;
	return result;
}
