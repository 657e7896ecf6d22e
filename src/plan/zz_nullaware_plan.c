/*-------------------------------------------------------------------------
 *
 * zz_nullaware_plan.c
 *	  From the paths of the null-aware anti join to its plan nodes.
 *
 * Both nodes stand over plans of core's making.  What they see of them is told
 * by custom_scan_tlist: the target list of the child, or those of outer and
 * inner child one after the other; setrefs.c turns every expression into
 * references to it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "optimizer/restrictinfo.h"

#include "zz_contract_nullaware.h"
#include "zz_nullaware_plan.h"

/*
 * Append copies of the entries of child's target list to tlist.
 */
static List *
append_child_tlist(List *tlist, const Plan *child)
{
	ListCell   *lc;

	foreach(lc, child->targetlist)
	{
		TargetEntry *tle = lfirst_node(TargetEntry, lc);

		tlist = lappend(tlist, makeTargetEntry(copyObject(tle->expr),
											   list_length(tlist) + 1,
											   tle->resname ?
											   pstrdup(tle->resname) : NULL,
											   false));
	}
	return tlist;
}

/*
 * PlanCustomPath of NullAwareAntiJoin.
 */
static Plan *
plan_nullaware(PlannerInfo *root, RelOptInfo *rel, CustomPath *best_path,
			   List *tlist, List *clauses, List *custom_plans)
{
	ZigzagNullAwarePath *path = linitial(best_path->custom_private);
	ZigzagNullAwareInfo info = *path->info;
	CustomScan *cscan = makeNode(CustomScan);

	cscan->scan.plan.targetlist = tlist;
	cscan->flags = best_path->flags;
	cscan->custom_plans = custom_plans;
	cscan->methods = GetCustomScanMethods(ZIGZAG_NULLAWARE_NAME, false);

	cscan->custom_scan_tlist = append_child_tlist(NIL, linitial(custom_plans));
	info.nouter = list_length(cscan->custom_scan_tlist);
	if (info.strategy == ZIGZAG_NULLAWARE_PATTERN)
	{
		cscan->custom_scan_tlist = append_child_tlist(cscan->custom_scan_tlist,
													  lsecond(custom_plans));
		cscan->scan.plan.qual = extract_actual_clauses(path->filters, false);
	}

	zz_nullaware_info_encode(&info, cscan);
	return &cscan->scan.plan;
}

/*
 * PlanCustomPath of NullGuard.  The clauses of its relation have been applied
 * by the child.
 */
static Plan *
plan_guard(PlannerInfo *root, RelOptInfo *rel, CustomPath *best_path,
		   List *tlist, List *clauses, List *custom_plans)
{
	CustomScan *cscan = makeNode(CustomScan);

	Assert(list_length(tlist) ==
		   list_length(((Plan *) linitial(custom_plans))->targetlist));

	cscan->scan.plan.targetlist = tlist;
	cscan->flags = best_path->flags;
	cscan->custom_plans = custom_plans;
	cscan->custom_scan_tlist = append_child_tlist(NIL, linitial(custom_plans));
	cscan->methods = GetCustomScanMethods(ZIGZAG_GUARD_NAME, false);

	zz_guard_info_encode(linitial(best_path->custom_private), cscan);
	return &cscan->scan.plan;
}

const CustomPathMethods zz_nullaware_path_methods = {
	.CustomName = ZIGZAG_NULLAWARE_NAME,
	.PlanCustomPath = plan_nullaware,
};

const CustomPathMethods zz_guard_path_methods = {
	.CustomName = ZIGZAG_GUARD_NAME,
	.PlanCustomPath = plan_guard,
};
