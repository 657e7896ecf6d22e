/*-------------------------------------------------------------------------
 *
 * zz_hooks.c
 *	  Every contact with the planner's hooks.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/catalog.h"
#include "catalog/pg_class.h"
#include "optimizer/cost.h"
#include "optimizer/paths.h"
#include "optimizer/planner.h"

#include "zigzag.h"
#include "zz_compat.h"
#include "zz_hooks.h"
#include "zz_mark_paths.h"
#include "zz_nullaware_paths.h"
#include "zz_paths.h"
#include "zz_rewrite.h"

static planner_hook_type prev_planner_hook = NULL;
static set_rel_pathlist_hook_type prev_set_rel_pathlist_hook = NULL;
static set_join_pathlist_hook_type prev_set_join_pathlist_hook = NULL;

/*
 * Is rel a plain table (or partition, or materialized view) whose rows are read
 * directly?  Of a table with children, the children are.
 */
static bool
is_plain_table(const RelOptInfo *rel, const RangeTblEntry *rte)
{
	return IS_SIMPLE_REL(rel) &&
		rte->rtekind == RTE_RELATION &&
		(rte->relkind == RELKIND_RELATION || rte->relkind == RELKIND_MATVIEW) &&
		!rte->inh &&
		rte->tablesample == NULL &&
		!IsCatalogRelationOid(rte->relid);
}

/*
 * Called for each base and member relation when core has added its own paths.
 * What a primary-key lookup goes through must stay as short as this: one clause
 * or one index, and it is over.
 *
 * Our paths come before those of other libraries, in whatever order they were
 * loaded.  One that only adds paths does not mind; one that enforces a choice, as
 * pg_hint_plan does by making all paths anew, has the last word.
 */
static void
zz_set_rel_pathlist(PlannerInfo *root, RelOptInfo *rel, Index rti,
					RangeTblEntry *rte)
{
	zz_rewrite_watch_settings();

	if (zz_enable && zz_enable_scan &&
		list_length(rel->baserestrictinfo) >= 2 &&
		list_length(rel->indexlist) >= 2 &&
		!IS_DUMMY_REL(rel) &&
		is_plain_table(rel, rte) &&
		zz_allows_index_scan(rel))
		zz_paths_add_scans(root, rel, rte);

	if (prev_set_rel_pathlist_hook)
		prev_set_rel_pathlist_hook(root, rel, rti, rte);
}

/*
 * Called for each pair of relations that may be joined, in each order.
 */
static void
zz_set_join_pathlist(PlannerInfo *root, RelOptInfo *joinrel,
					 RelOptInfo *outerrel, RelOptInfo *innerrel,
					 JoinType jointype, JoinPathExtraData *extra)
{
	if (prev_set_join_pathlist_hook)
		prev_set_join_pathlist_hook(root, joinrel, outerrel, innerrel,
									jointype, extra);

	if (zz_enable && zz_enable_notin)
		zz_nullaware_add_paths(root, joinrel, outerrel, innerrel,
							   jointype, extra);

	/* Whatever the settings are: a join with a mark must be done our way. */
	zz_mark_paths_add(root, joinrel, outerrel, innerrel, jointype, extra);
}

/*
 * Called for each statement: once by the server, and in turn each form of the
 * statement goes to the next hook or to the planner itself.
 */
static PlannedStmt *
zz_planner(ZZ_PLANNER_PARAMS)
{
	return zz_rewrite_and_plan(prev_planner_hook ? prev_planner_hook :
							   standard_planner,
							   ZZ_PLANNER_ARGS(parse));
}

void
zz_hooks_install(void)
{
	prev_planner_hook = planner_hook;
	planner_hook = zz_planner;
	prev_set_join_pathlist_hook = set_join_pathlist_hook;
	set_join_pathlist_hook = zz_set_join_pathlist;
	prev_set_rel_pathlist_hook = set_rel_pathlist_hook;
	set_rel_pathlist_hook = zz_set_rel_pathlist;
}
