/*-------------------------------------------------------------------------
 *
 * zz_nullaware_paths.c
 *	  Paths for anti joins on conditions of the form (x = y) IS NOT FALSE.
 *
 * Such a join is what zz_notin.c makes of NOT IN; a user may have written it as
 * well.  Core knows one way to run it: compare each row with each.  Here its
 * join clauses are sorted into
 *
 *	null-aware	(x = y) IS NOT FALSE, x of the outer and y of the inner side,
 *				"=" strict and hashable
 *	equal		x = y, likewise, a plain one
 *	residual	everything else
 *
 * One null-aware clause and nothing else is run by core's hash anti join on
 * x = y, or by its nested loop with an index on y, between a NullGuard below
 * and a NullAwareAntiJoin above that see to the NULLs.  Everything else is run
 * by a NullAwareAntiJoin over the two sides.
 *
 * Where rows may be rechecked, EvalPlanQual takes the tables on the inner side
 * for empty, and core's own anti join would let pass a row whose x another
 * transaction has changed into one that NOT IN rejects.  Our nodes read the
 * inner side as the statement does; there core's paths are taken away.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "optimizer/tlist.h"
#include "utils/lsyscache.h"

#include "zigzag.h"
#include "zz_compat.h"
#include "zz_contract_nullaware.h"
#include "zz_hash_cost.h"
#include "zz_nullaware_cost.h"
#include "zz_nullaware_index.h"
#include "zz_nullaware_paths.h"
#include "zz_nullaware_plan.h"

/*
 * Does the clause compare, by a strict and hashable "=", an expression of the
 * outer side with one of the inner side?  Returns it with the outer one left.
 */
static OpExpr *
match_sides(PlannerInfo *root, Expr *clause, RelOptInfo *outerrel,
			RelOptInfo *innerrel)
{
	OpExpr	   *op = (OpExpr *) clause;
	Relids		left;
	Relids		right;
	Oid			lfunc;
	Oid			rfunc;

	if (!IsA(clause, OpExpr) || list_length(op->args) != 2)
		return NULL;

	left = pull_varnos(root, linitial(op->args));
	right = pull_varnos(root, lsecond(op->args));
	if (bms_is_empty(left) || bms_is_empty(right))
		return NULL;

	if (bms_is_subset(left, innerrel->relids) &&
		bms_is_subset(right, outerrel->relids))
	{
		if (!OidIsValid(get_commutator(op->opno)))
			return NULL;
		op = copyObject(op);
		CommuteOpExpr(op);
	}
	else if (!bms_is_subset(left, outerrel->relids) ||
			 !bms_is_subset(right, innerrel->relids))
		return NULL;

	if (!op_strict(op->opno) ||
		!op_hashjoinable(op->opno, exprType(linitial(op->args))) ||
		!get_op_hash_functions(op->opno, &lfunc, &rfunc) ||
		contain_volatile_functions((Node *) op))
		return NULL;
	return op;
}

/*
 * Sort the clauses of the join.  Returns false if the join is none of ours.
 * Keys beyond the number that the executor can take are residual conditions.
 */
static bool
classify_clauses(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outerrel,
				 RelOptInfo *innerrel, ZigzagAntiJoin *join)
{
	ListCell   *lc;

	foreach(lc, join->extra->restrictlist)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);
		OpExpr	   *op;

		if (rinfo->pseudoconstant)
			return false;
		if (RINFO_IS_PUSHED_DOWN(rinfo, joinrel->relids))
		{
			join->filters = lappend(join->filters, rinfo);
			continue;
		}
		if (IsA(rinfo->clause, BooleanTest) &&
			((BooleanTest *) rinfo->clause)->booltesttype == IS_NOT_FALSE &&
			list_length(join->nullaware) < ZIGZAG_NULLAWARE_MAX_KEYS &&
			(op = match_sides(root, ((BooleanTest *) rinfo->clause)->arg,
							  outerrel, innerrel)) != NULL)
		{
			join->nullaware = lappend(join->nullaware, op);
			continue;
		}
		if (list_length(join->equal) < ZIGZAG_NULLAWARE_MAX_EQUAL &&
			(op = match_sides(root, rinfo->clause, outerrel, innerrel)) != NULL)
			join->equal = lappend(join->equal, op);
		else
			join->residual = lappend(join->residual, rinfo->clause);
	}
	return join->nullaware != NIL;
}

/*
 * May the rows of rel be rechecked together with those of the statement's
 * target?
 */
static bool
may_be_rechecked(PlannerInfo *root, const RelOptInfo *rel)
{
	ListCell   *lc;

	foreach(lc, root->rowMarks)
	{
		if (bms_is_member(lfirst_node(PlanRowMark, lc)->rti, rel->relids))
			return true;
	}
	return false;
}

/*
 * Take away the anti joins that core has made of these two sides.
 */
static List *
without_core_joins(List *paths, const ZigzagAntiJoin *join)
{
	List	   *result = NIL;
	ListCell   *lc;

	foreach(lc, paths)
	{
		Path	   *path = (Path *) lfirst(lc);

		if (IsA(path, NestPath) || IsA(path, MergePath) || IsA(path, HashPath))
		{
			JoinPath   *jpath = (JoinPath *) path;
			RelOptInfo *outer = jpath->outerjoinpath->parent;
			RelOptInfo *inner = jpath->innerjoinpath->parent;

			if ((jpath->jointype == JOIN_ANTI &&
				 outer == join->outerrel && inner == join->innerrel) ||
				(zz_jointype_is_right_anti(jpath->jointype) &&
				 outer == join->innerrel && inner == join->outerrel))
				continue;
		}
		result = lappend(result, path);
	}
	return result;
}

static CustomPath *
make_custom_path(RelOptInfo *rel, PathTarget *target,
				 const CustomPathMethods *methods, List *children)
{
	CustomPath *cpath = makeNode(CustomPath);
	ListCell   *lc;

	cpath->path.pathtype = T_CustomScan;
	cpath->path.parent = rel;
	cpath->path.pathtarget = target;
	cpath->path.parallel_safe = rel->consider_parallel;
	foreach(lc, children)
	{
		Path	   *child = (Path *) lfirst(lc);

		cpath->path.parallel_safe &= child->parallel_safe;
		zz_path_add_disabled_nodes(&cpath->path, child);
	}
	cpath->methods = methods;
	cpath->custom_paths = children;
	return cpath;
}

/*
 * A NullGuard over a path of the inner side.  shared: it is one of the parts
 * that parallel participants make of one hash table.
 */
static Path *
make_guard_path(const ZigzagAntiJoin *join, Path *child, bool shared)
{
	ZigzagGuardInfo *info = palloc0(sizeof(ZigzagGuardInfo));
	OpExpr	   *op = linitial_node(OpExpr, join->nullaware);
	CustomPath *cpath;

	info->key = lsecond(op->args);
	info->shared = shared;
	info->recheck_in_parent = join->rechecks;

	cpath = make_custom_path(join->innerrel, child->pathtarget,
							 &zz_guard_path_methods, list_make1(child));
	cpath->path.parallel_aware = shared;
	cpath->path.parallel_workers = child->parallel_workers;
	cpath->path.rows = child->rows;
	cpath->path.startup_cost = child->startup_cost;
	cpath->path.total_cost = child->total_cost +
		child->rows * 0.1 * cpu_operator_cost;
	cpath->path.pathkeys = child->pathkeys;
	cpath->custom_private = list_make1(info);
	return (Path *) cpath;
}

/*
 * What the join under a NullAwareAntiJoin must put out: what is asked for, and
 * what x is made of.
 */
static PathTarget *
target_with_key(PlannerInfo *root, const ZigzagAntiJoin *join)
{
	OpExpr	   *op = linitial_node(OpExpr, join->nullaware);
	PathTarget *target = copy_pathtarget(join->joinrel->reltarget);
	List	   *vars = pull_var_clause(linitial(op->args),
									   PVC_INCLUDE_PLACEHOLDERS);

	add_new_columns_to_pathtarget(target, vars);
	return set_pathtarget_cost_width(root, target);
}

/*
 * A NullAwareAntiJoin around an anti join of core's; probes are the further
 * children of strategy PROBE.
 */
static CustomPath *
make_verdict_path(PlannerInfo *root, const ZigzagAntiJoin *join,
				  Path *joinpath, ZigzagNullAwareStrategy strategy,
				  List *probes)
{
	ZigzagNullAwarePath *private = palloc0(sizeof(ZigzagNullAwarePath));
	OpExpr	   *op = linitial_node(OpExpr, join->nullaware);
	CustomPath *cpath;

	private->info = palloc0(sizeof(ZigzagNullAwareInfo));
	private->info->strategy = strategy;
	private->info->warn_null = zz_warn_null;
	private->info->outer_key = linitial(op->args);

	joinpath->pathtarget = target_with_key(root, join);

	cpath = make_custom_path(join->joinrel, join->joinrel->reltarget,
							 &zz_nullaware_path_methods,
							 lcons(joinpath, probes));
	cpath->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	cpath->path.parallel_workers = joinpath->parallel_workers;
	cpath->path.rows = joinpath->rows;
	cpath->path.pathkeys = joinpath->pathkeys;
	cpath->path.startup_cost = joinpath->startup_cost;
	cpath->path.total_cost = joinpath->total_cost +
		joinpath->rows * cpu_operator_cost;
	cpath->custom_private = list_make1(private);
	zz_custom_path_set_restrictinfo(cpath, join->extra->restrictlist);
	return cpath;
}

/*
 * The clause x = y as core's hash join and index scan want it.
 */
static RestrictInfo *
make_key_clause(PlannerInfo *root, const ZigzagAntiJoin *join)
{
	OpExpr	   *op = copyObject(linitial_node(OpExpr, join->nullaware));
	RestrictInfo *rinfo = zz_make_join_restrictinfo(root, (Expr *) op,
													join->outerrel->relids);

	rinfo->hashjoinoperator = op->opno;
	rinfo->outer_is_left = true;
	return rinfo;
}

/*
 * The hash anti join on x = y, guarded and judged.
 */
static CustomPath *
make_hash_path(PlannerInfo *root, const ZigzagAntiJoin *join, Path *outer,
			   Path *inner, bool parallel_hash)
{
	List	   *hashclauses = list_make1(join->key_clause);
	Path	   *guard = make_guard_path(join, inner, parallel_hash);
	JoinCostWorkspace workspace;
	HashPath   *hash;

	initial_cost_hashjoin(root, &workspace, JOIN_ANTI, hashclauses,
						  outer, guard, join->extra, parallel_hash);
	zz_hash_cost_without_statistics(root, hashclauses, join->innerrel,
									&workspace);
	hash = create_hashjoin_path(root, join->joinrel, JOIN_ANTI, &workspace,
								join->extra, outer, guard, parallel_hash,
								list_concat_copy(hashclauses, join->filters),
								NULL, hashclauses);
	return make_verdict_path(root, join, (Path *) hash,
							 ZIGZAG_NULLAWARE_VERDICT, NIL);
}

/*
 * The nested loop with an index on y, or NULL if there is no such index.
 */
static CustomPath *
make_probe_path(PlannerInfo *root, const ZigzagAntiJoin *join, Path *outer)
{
	ZigzagIndexProbes probes;
	JoinCostWorkspace workspace;
	NestPath   *nest;
	CustomPath *cpath;

	if (!zz_nullaware_find_index(root, join, outer->rows, &probes))
		return NULL;

	zz_initial_cost_nestloop(root, &workspace, JOIN_ANTI, outer, probes.equal,
							 join->extra);
	nest = create_nestloop_path(root, join->joinrel, JOIN_ANTI, &workspace,
								join->extra, outer, probes.equal,
								list_copy(join->filters), outer->pathkeys,
								NULL);
	cpath = make_verdict_path(root, join, (Path *) nest,
							  ZIGZAG_NULLAWARE_PROBE,
							  list_make2(probes.null, probes.any));
	cpath->path.startup_cost += probes.null->total_cost;
	cpath->path.total_cost += probes.null->total_cost +
		probes.any->startup_cost;
	return cpath;
}

/*
 * The NullAwareAntiJoin that does all by itself.  It keeps the order of the
 * outer side.
 */
static CustomPath *
make_pattern_path(PlannerInfo *root, const ZigzagAntiJoin *join, Path *outer,
				  Path *inner)
{
	ZigzagNullAwarePath *private = palloc0(sizeof(ZigzagNullAwarePath));
	CustomPath *cpath;

	private->info = palloc0(sizeof(ZigzagNullAwareInfo));
	private->info->strategy = ZIGZAG_NULLAWARE_PATTERN;
	private->info->warn_null = zz_warn_null;
	private->info->nullaware = join->nullaware;
	private->info->equal = join->equal;
	private->info->residual = join->residual;
	private->info->recheck_in_parent = join->rechecks;
	private->filters = join->filters;

	cpath = make_custom_path(join->joinrel, join->joinrel->reltarget,
							 &zz_nullaware_path_methods,
							 list_make2(outer, inner));
	cpath->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	cpath->path.parallel_workers = outer->parallel_workers;
	cpath->path.pathkeys = build_join_pathkeys(root, join->joinrel, JOIN_ANTI,
											   outer->pathkeys);
	cpath->custom_private = list_make1(private);
	zz_custom_path_set_restrictinfo(cpath, join->extra->restrictlist);
	zz_cost_nullaware_pattern(root, join, outer, inner, &cpath->path);
	return cpath;
}

/*
 * All paths that run in one process, or below a Gather that gets the whole of
 * them.
 */
static void
add_plain_paths(PlannerInfo *root, const ZigzagAntiJoin *join)
{
	Path	   *inner = join->innerrel->cheapest_total_path;
	ListCell   *lc;

	foreach(lc, join->outerrel->pathlist)
	{
		Path	   *outer = (Path *) lfirst(lc);

		if (outer->param_info != NULL)
			continue;
		if (outer != join->outerrel->cheapest_total_path &&
			outer != join->outerrel->cheapest_startup_path &&
			outer->pathkeys == NIL)
			continue;

		if (!join->one_key)
			add_path(join->joinrel,
					 (Path *) make_pattern_path(root, join, outer, inner));
		else
		{
			CustomPath *probe = NULL;

			if (!join->rechecks)
				probe = make_probe_path(root, join, outer);
			if (probe != NULL)
				add_path(join->joinrel, (Path *) probe);
			if (outer == join->outerrel->cheapest_total_path ||
				outer == join->outerrel->cheapest_startup_path)
				add_path(join->joinrel,
						 (Path *) make_hash_path(root, join, outer, inner,
												 false));
		}
	}
}

/*
 * The cheapest path of rel that parallel workers can each run to its end.
 */
static Path *
cheapest_parallel_safe(const RelOptInfo *rel)
{
	Path	   *path = rel->cheapest_total_path;
	ListCell   *lc;

	if (path->parallel_safe && path->param_info == NULL)
		return path;

	path = NULL;
	foreach(lc, rel->pathlist)
	{
		Path	   *candidate = (Path *) lfirst(lc);

		if (candidate->parallel_safe && candidate->param_info == NULL &&
			(path == NULL || candidate->total_cost < path->total_cost))
			path = candidate;
	}
	return path;
}

/*
 * Paths of which each parallel participant makes a part: of the outer rows,
 * and with parallel_hash of the common hash table too.
 */
static void
add_partial_paths(PlannerInfo *root, const ZigzagAntiJoin *join)
{
	Path	   *outer;
	Path	   *inner;

	if (!join->joinrel->consider_parallel ||
		join->outerrel->partial_pathlist == NIL)
		return;

	outer = linitial(join->outerrel->partial_pathlist);
	inner = cheapest_parallel_safe(join->innerrel);

	if (!join->one_key)
	{
		if (inner != NULL)
			add_partial_path(join->joinrel,
							 (Path *) make_pattern_path(root, join, outer,
														inner));
		return;
	}

	if (inner != NULL)
		add_partial_path(join->joinrel,
						 (Path *) make_hash_path(root, join, outer, inner,
												 false));
	if (enable_parallel_hash && join->innerrel->partial_pathlist != NIL)
		add_partial_path(join->joinrel,
						 (Path *) make_hash_path(root, join, outer,
												 linitial(join->innerrel->partial_pathlist),
												 true));
}

/*
 * Is a column of the join one of those by which UPDATE and DELETE tell the rows of
 * a table with children apart?  While it is planned such a column is a Var of no
 * table, and set_plan_references() takes it in the output of an Append but not
 * in the custom_scan_tlist that a custom join must have.
 */
static bool
has_row_identity(const RelOptInfo *joinrel)
{
	ListCell   *lc;

	foreach(lc, joinrel->reltarget->exprs)
	{
		if (IsA(lfirst(lc), Var) && lfirst_node(Var, lc)->varno == ROWID_VAR)
			return true;
	}
	return false;
}

/*
 * What core tells of the join, made fit for an anti join with these sides where
 * it was told of one with its sides swapped.
 */
static JoinPathExtraData *
extra_for_anti(PlannerInfo *root, const ZigzagAntiJoin *join)
{
	JoinPathExtraData *extra = palloc(sizeof(JoinPathExtraData));

	*extra = *join->extra;
	extra->inner_unique = false;
	compute_semi_anti_join_factors(root, join->joinrel,
								   join->outerrel, join->innerrel, JOIN_ANTI,
								   extra->sjinfo, extra->restrictlist,
								   &extra->semifactors);
	return extra;
}

void
zz_nullaware_add_paths(PlannerInfo *root, RelOptInfo *joinrel,
					   RelOptInfo *outerrel, RelOptInfo *innerrel,
					   JoinType jointype, JoinPathExtraData *extra)
{
	ZigzagAntiJoin join = {0};
	bool		swapped = zz_jointype_is_right_anti(jointype);

	if (jointype != JOIN_ANTI && !swapped)
		return;
	if (joinrel->lateral_relids != NULL || has_row_identity(joinrel))
		return;

	join.joinrel = joinrel;
	join.outerrel = swapped ? innerrel : outerrel;
	join.innerrel = swapped ? outerrel : innerrel;
	join.extra = extra;

	if (join.outerrel->cheapest_total_path->param_info != NULL ||
		join.innerrel->cheapest_total_path->param_info != NULL)
		return;
	if (!classify_clauses(root, joinrel, join.outerrel, join.innerrel, &join))
		return;

	join.rechecks = may_be_rechecked(root, join.innerrel);
	if (join.rechecks || zz_debug_force || zz_warn_null)
	{
		joinrel->pathlist = without_core_joins(joinrel->pathlist, &join);
		joinrel->partial_pathlist = without_core_joins(joinrel->partial_pathlist,
													   &join);
	}
	else if (swapped)
		return;

	/*
	 * The same pair the other way round.  Core's path for it was cheaper than
	 * ours, perhaps, and has driven them out before it was taken away.
	 */
	if (swapped)
		join.extra = extra_for_anti(root, &join);

	join.one_key = list_length(join.nullaware) == 1 &&
		join.equal == NIL && join.residual == NIL;
	if (join.one_key)
		join.key_clause = make_key_clause(root, &join);

	add_plain_paths(root, &join);
	add_partial_paths(root, &join);
}
