/*-------------------------------------------------------------------------
 *
 * zz_mark_paths.c
 *	  MarkJoin paths, and the plans made of them.
 *
 *	MarkJoin				fills in the mark, applies the conditions that use it
 *	  Hash Left Join		core's: batches, parallel workers, costs
 *		outer
 *		Hash
 *		  MarkGuard			learns of NULLs; only for a three-valued mark
 *			inner
 *
 * The hash join is told that its inner side is unique on the keys.  It then stops
 * at the first partner of an outer row, which is all that is wanted: each outer
 * row comes out once, whether or not inner rows are repeated.
 *
 * That is not true of other joins: they must not be used.  Core has added them
 * before the hook is called; those that read the inner side directly are removed
 * here.  If no MarkJoin can be made of a pair of relations, they stay, at a
 * cost that lets them win only where there is nothing else; and then the finished
 * plan has no MarkJoin for this sublink and is not used.
 *
 * Core estimates the join as if each partner gave a row.  The joinrel gets the
 * right number here, which the joins above it go by.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "nodes/extensible.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/placeholder.h"
#include "optimizer/restrictinfo.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "zz_compat.h"
#include "zz_contract_mark.h"
#include "zz_hash_cost.h"
#include "zz_mark.h"
#include "zz_mark_paths.h"

/*
 * One pair of relations to be joined with a mark; custom_private of our paths is
 * a list of it.
 */
typedef struct MarkPair
{
	PlannerInfo *root;
	RelOptInfo *joinrel;
	RelOptInfo *outerrel;
	RelOptInfo *innerrel;
	List	   *restrictlist;	/* all conditions */
	JoinPathExtraData extra;	/* as the hash join is to see it */
	ZigzagMarkTag tag;
	List	   *joinclauses;	/* conditions of the join */
	List	   *hashclauses;	/* those of them that are keys */
	List	   *filters;		/* conditions on its result */
	List	   *outer_keys;		/* if three-valued, in column order: the outer */
	List	   *operators;		/* values, operators with these on the left, */
	List	   *collations;		/* and collations */
} MarkPair;

static Plan *plan_mark_join(PlannerInfo *root, RelOptInfo *rel,
							CustomPath *path, List *tlist,
							List *clauses, List *custom_plans);
static Plan *plan_mark_guard(PlannerInfo *root, RelOptInfo *rel,
							 CustomPath *path, List *tlist,
							 List *clauses, List *custom_plans);

static const CustomPathMethods mark_join_path_methods = {
	.CustomName = ZIGZAG_MARK_JOIN_NAME,
	.PlanCustomPath = plan_mark_join,
};

static const CustomPathMethods mark_guard_path_methods = {
	.CustomName = ZIGZAG_MARK_GUARD_NAME,
	.PlanCustomPath = plan_mark_guard,
};

/* ----------------------------------------------------------------
 *		What is joined
 * ----------------------------------------------------------------
 */

static bool
get_tag(PlannerInfo *root, RelOptInfo *rel, ZigzagMarkTag *tag)
{
	return rel->reloptkind == RELOPT_BASEREL &&
		rel->rtekind == RTE_SUBQUERY &&
		zz_mark_tag_get(planner_rt_fetch(rel->relid, root), tag);
}

/*
 * Has the clause one side in each of the two relations?  Notes which is which.
 */
static bool
sides_match(RestrictInfo *rinfo, RelOptInfo *outerrel, RelOptInfo *innerrel)
{
	if (bms_is_subset(rinfo->left_relids, outerrel->relids) &&
		bms_is_subset(rinfo->right_relids, innerrel->relids))
	{
		rinfo->outer_is_left = true;
		return true;
	}
	if (bms_is_subset(rinfo->left_relids, innerrel->relids) &&
		bms_is_subset(rinfo->right_relids, outerrel->relids))
	{
		rinfo->outer_is_left = false;
		return true;
	}
	return false;
}

/*
 * Sort out the conditions; false if one of them fits no MarkJoin.
 */
static bool
sort_clauses(MarkPair *pair, List *restrictlist)
{
	ListCell   *lc;

	foreach(lc, restrictlist)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);

		if (RINFO_IS_PUSHED_DOWN(rinfo, pair->joinrel->relids))
		{
			if (!rinfo->pseudoconstant)
				pair->filters = lappend(pair->filters, rinfo);
			continue;
		}
		if (rinfo->pseudoconstant)
			return false;
		pair->joinclauses = lappend(pair->joinclauses, rinfo);
		if (rinfo->can_join && OidIsValid(rinfo->hashjoinoperator) &&
			sides_match(rinfo, pair->outerrel, pair->innerrel))
			pair->hashclauses = lappend(pair->hashclauses, rinfo);
	}
	return pair->hashclauses != NIL;
}

/*
 * The key whose inner side is the given column; false if there is not exactly
 * that.
 */
static bool
add_outer_key(MarkPair *pair, int column)
{
	ListCell   *lc;

	foreach(lc, pair->hashclauses)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);
		OpExpr	   *op = (OpExpr *) rinfo->clause;
		Node	   *outer = list_nth(op->args, rinfo->outer_is_left ? 0 : 1);
		Node	   *inner = list_nth(op->args, rinfo->outer_is_left ? 1 : 0);
		Oid			opno = rinfo->outer_is_left ? op->opno :
		get_commutator(op->opno);

		if (!IsA(inner, Var) || ((Var *) inner)->varattno != column)
			continue;
		if (!OidIsValid(opno))
			return false;
		pair->outer_keys = lappend(pair->outer_keys, outer);
		pair->operators = lappend_oid(pair->operators, opno);
		pair->collations = lappend_oid(pair->collations, op->inputcollid);
		return true;
	}
	return false;
}

/*
 * A three-valued mark needs all keys, nothing else, and an inner side that has
 * not lost rows to a filter.
 */
static bool
collect_outer_keys(MarkPair *pair)
{
	int			ncolumns = pair->tag.nkeys + pair->tag.ncorrelated;

	if (pair->innerrel->baserestrictinfo != NIL ||
		list_length(pair->joinclauses) != ncolumns ||
		list_length(pair->hashclauses) != ncolumns)
		return false;

	for (int i = 0; i < ncolumns; i++)
	{
		if (!add_outer_key(pair, pair->tag.first_key + i))
			return false;
	}
	return true;
}

/*
 * Are the outer values final?  An outer join below this one may still have to
 * make them NULL: the planner knows that a left join on strict conditions can be
 * done before it, and the row that is then extended with NULLs has no partner.
 * But its mark, if it has three values, may be false: there may be no inner row.
 */
static bool
outer_keys_are_final(MarkPair *pair)
{
	Relids		used = pull_varnos(pair->root, (Node *) pair->outer_keys);
	ListCell   *lc;

	foreach(lc, pair->root->join_info_list)
	{
		SpecialJoinInfo *sjinfo = (SpecialJoinInfo *) lfirst(lc);
		Relids		nulled = sjinfo->syn_righthand;

		if (sjinfo->jointype == JOIN_SEMI)
			continue;
		if (sjinfo->jointype == JOIN_FULL)
			nulled = bms_union(nulled, sjinfo->syn_lefthand);
		if (bms_overlap(used, nulled) &&
			!bms_is_member(pair->innerrel->relid, nulled) &&
			!(bms_is_subset(sjinfo->min_lefthand, pair->outerrel->relids) &&
			  bms_is_subset(sjinfo->min_righthand, pair->outerrel->relids)))
			return false;
	}
	return true;
}

/* ----------------------------------------------------------------
 *		Paths
 * ----------------------------------------------------------------
 */

/*
 * Append to *exprs what the hash join must hand up so that expr can be computed
 * above it.  A PlaceHolderVar that is due at this very join is computed above:
 * it may depend on the mark.
 */
static void
add_inputs(MarkPair *pair, Node *expr, List **exprs)
{
	List	   *vars = pull_var_clause(expr, PVC_RECURSE_AGGREGATES |
									   PVC_RECURSE_WINDOWFUNCS |
									   PVC_INCLUDE_PLACEHOLDERS);
	ListCell   *lc;

	foreach(lc, vars)
	{
		Node	   *node = lfirst(lc);

		if (IsA(node, PlaceHolderVar))
		{
			PlaceHolderVar *phv = (PlaceHolderVar *) node;
			PlaceHolderInfo *phinfo = zz_find_placeholder_info(pair->root, phv);

			if (!bms_is_subset(phinfo->ph_eval_at, pair->outerrel->relids))
			{
				add_inputs(pair, (Node *) phv->phexpr, exprs);
				continue;
			}
		}
		*exprs = list_append_unique(*exprs, node);
	}
}

/*
 * What the hash join hands up: what is needed of the join, and what MarkJoin
 * itself needs.
 */
static PathTarget *
join_target(MarkPair *pair)
{
	PathTarget *target = create_empty_pathtarget();
	List	   *exprs = NIL;
	ListCell   *lc;

	add_inputs(pair, (Node *) pair->joinrel->reltarget->exprs, &exprs);
	foreach(lc, pair->filters)
		add_inputs(pair, (Node *) lfirst_node(RestrictInfo, lc)->clause, &exprs);
	add_inputs(pair, (Node *) pair->outer_keys, &exprs);

	add_new_columns_to_pathtarget(target, exprs);
	return set_pathtarget_cost_width(pair->root, target);
}

/*
 * A MarkGuard over an inner path.  "shared": all workers read parts of the inner
 * side, and must tell one another.
 */
static Path *
make_guard_path(MarkPair *pair, Path *inner, bool shared)
{
	CustomPath *path = makeNode(CustomPath);

	path->path.pathtype = T_CustomScan;
	path->path.parent = pair->innerrel;
	path->path.pathtarget = pair->innerrel->reltarget;
	path->path.param_info = NULL;
	path->path.parallel_aware = shared;
	path->path.parallel_safe = inner->parallel_safe;
	path->path.parallel_workers = inner->parallel_workers;
	path->path.rows = inner->rows;
	path->path.startup_cost = inner->startup_cost;
	path->path.total_cost = inner->total_cost +
		0.5 * cpu_operator_cost * inner->rows;
	zz_path_set_disabled_nodes(&path->path, inner);
	path->path.pathkeys = NIL;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_paths = list_make1(inner);
	path->custom_private = list_make1(pair);
	path->methods = &mark_guard_path_methods;
	return (Path *) path;
}

/*
 * A MarkJoin of two paths.  "shared": both are partial, and the hash table is
 * built by all workers together.
 */
static CustomPath *
make_mark_path(MarkPair *pair, Path *outer, Path *inner, bool shared)
{
	PlannerInfo *root = pair->root;
	CustomPath *path = makeNode(CustomPath);
	JoinCostWorkspace workspace;
	HashPath   *join;
	QualCost	qual_cost;
	List	   *quals = extract_actual_clauses(pair->filters, false);

	if (pair->tag.three_valued)
		inner = make_guard_path(pair, inner, shared);

	initial_cost_hashjoin(root, &workspace, JOIN_LEFT, pair->hashclauses,
						  outer, inner, &pair->extra, shared);
	zz_hash_cost_without_statistics(root, pair->hashclauses, pair->innerrel,
									&workspace);
	join = create_hashjoin_path(root, pair->joinrel, JOIN_LEFT, &workspace,
								&pair->extra, outer, inner, shared,
								pair->joinclauses, NULL, pair->hashclauses);
	join->jpath.path.rows = outer->rows;
	join->jpath.path.pathtarget = join_target(pair);

	cost_qual_eval(&qual_cost, quals, root);

	path->path.pathtype = T_CustomScan;
	path->path.parent = pair->joinrel;
	path->path.pathtarget = pair->joinrel->reltarget;
	path->path.param_info = NULL;
	path->path.parallel_aware = false;
	path->path.parallel_safe = join->jpath.path.parallel_safe;
	path->path.parallel_workers = join->jpath.path.parallel_workers;
	path->path.rows = clamp_row_est(outer->rows * pair->joinrel->rows /
									pair->outerrel->rows);
	path->path.startup_cost = join->jpath.path.startup_cost + qual_cost.startup;
	path->path.total_cost = join->jpath.path.total_cost + qual_cost.startup +
		outer->rows * (qual_cost.per_tuple + cpu_operator_cost);
	zz_path_set_disabled_nodes(&path->path, &join->jpath.path);
	path->path.pathkeys = NIL;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_paths = list_make1(join);
	zz_custom_path_set_restrictinfo(path, pair->restrictlist);
	path->custom_private = list_make1(pair);
	path->methods = &mark_join_path_methods;
	return path;
}

/*
 * The paths without workers: the cheapest outer path with the cheapest inner,
 * and, where rows are wanted soon, the outer path that starts soonest.
 */
static bool
add_paths(MarkPair *pair)
{
	Path	   *outer = pair->outerrel->cheapest_total_path;
	Path	   *startup = pair->outerrel->cheapest_startup_path;
	Path	   *inner = pair->innerrel->cheapest_total_path;

	if (PATH_REQ_OUTER(outer) != NULL || PATH_REQ_OUTER(inner) != NULL)
		return false;

	add_path(pair->joinrel, (Path *) make_mark_path(pair, outer, inner, false));
	if (startup != NULL && startup != outer && PATH_REQ_OUTER(startup) == NULL)
		add_path(pair->joinrel,
				 (Path *) make_mark_path(pair, startup, inner, false));
	return true;
}

/*
 * Does the answer depend on which rows there are in a part of the inner side?
 * Then each worker must read all of it.
 */
static bool
needs_whole_inner(const ZigzagMarkTag *tag)
{
	return tag->three_valued && tag->nkeys + tag->ncorrelated > 1;
}

/*
 * The partial paths, each worker doing a part of the outer rows.
 */
static void
add_partial_paths(MarkPair *pair)
{
	Path	   *outer;
	Path	   *inner = pair->innerrel->cheapest_total_path;

	if (!pair->joinrel->consider_parallel ||
		pair->outerrel->partial_pathlist == NIL)
		return;
	outer = linitial(pair->outerrel->partial_pathlist);

	if (inner->parallel_safe)
		add_partial_path(pair->joinrel,
						 (Path *) make_mark_path(pair, outer, inner, false));

	if (enable_parallel_hash && !needs_whole_inner(&pair->tag) &&
		pair->innerrel->partial_pathlist != NIL)
	{
		inner = linitial(pair->innerrel->partial_pathlist);
		add_partial_path(pair->joinrel,
						 (Path *) make_mark_path(pair, outer, inner, true));
	}
}

/*
 * Does path join rel directly?
 */
static bool
is_direct_join(const Path *path, const RelOptInfo *rel)
{
	const JoinPath *join = (const JoinPath *) path;

	if (!IsA(path, NestPath) && !IsA(path, MergePath) && !IsA(path, HashPath))
		return false;
	return join->outerjoinpath->parent == rel ||
		join->innerjoinpath->parent == rel;
}

/*
 * Split paths into those that join rel directly and the others.
 */
static List *
take_direct_joins(List *paths, const RelOptInfo *rel, List **others)
{
	List	   *direct = NIL;
	ListCell   *lc;

	*others = NIL;
	foreach(lc, paths)
	{
		Path	   *path = (Path *) lfirst(lc);

		if (is_direct_join(path, rel))
			direct = lappend(direct, path);
		else
			*others = lappend(*others, path);
	}
	return direct;
}

/*
 * The cost of a join that must not be used: more than any setting adds.
 */
#define MARK_NEVER_COST 1.0e15

static void
make_prohibitive(List *paths)
{
	ListCell   *lc;

	foreach(lc, paths)
	{
		Path	   *path = (Path *) lfirst(lc);

		path->startup_cost += MARK_NEVER_COST;
		path->total_cost += MARK_NEVER_COST;
		zz_path_prohibit(path);
	}
}

/*
 * Estimate the join: an outer row comes out once, if the filters let it.
 */
static void
estimate_rows(MarkPair *pair)
{
	RelOptInfo *joinrel = pair->joinrel;
	Selectivity selectivity = clauselist_selectivity(pair->root, pair->filters,
													 0, JOIN_LEFT,
													 pair->extra.sjinfo);
	double		rows = clamp_row_est(pair->outerrel->rows * selectivity);

	if (rows < joinrel->rows)
		joinrel->rows = rows;
}

/*
 * Make the MarkJoin paths of pair; false if that cannot be done.
 */
static bool
add_mark_paths(MarkPair *pair)
{
	if (!bms_is_empty(pair->joinrel->lateral_relids) ||
		!bms_is_empty(pair->innerrel->lateral_relids) ||
		!sort_clauses(pair, pair->restrictlist) ||
		(pair->tag.three_valued &&
		 (!collect_outer_keys(pair) || !outer_keys_are_final(pair))))
		return false;

	pair->extra.restrictlist = pair->joinclauses;
	pair->extra.inner_unique = true;
	compute_semi_anti_join_factors(pair->root, pair->joinrel,
								   pair->outerrel, pair->innerrel,
								   JOIN_LEFT, pair->extra.sjinfo,
								   pair->joinclauses,
								   &pair->extra.semifactors);
	estimate_rows(pair);

	if (!add_paths(pair))
		return false;
	add_partial_paths(pair);
	return true;
}

void
zz_mark_paths_add(PlannerInfo *root, RelOptInfo *joinrel,
				  RelOptInfo *outerrel, RelOptInfo *innerrel,
				  JoinType jointype, JoinPathExtraData *extra)
{
	ZigzagMarkTag tag;
	RelOptInfo *marked;
	MarkPair   *pair;
	List	   *direct;
	List	   *ignored;

	if (get_tag(root, innerrel, &tag))
		marked = innerrel;
	else if (get_tag(root, outerrel, &tag))
		marked = outerrel;
	else
		return;

	direct = take_direct_joins(joinrel->pathlist, marked, &joinrel->pathlist);
	ignored = take_direct_joins(joinrel->partial_pathlist, marked,
								&joinrel->partial_pathlist);
	list_free(ignored);

	/*
	 * With the sides swapped the join is a right join for core, of which we
	 * make the same paths once more: core's may have driven ours out by their
	 * cost.
	 */
	if ((marked == innerrel && jointype == JOIN_LEFT) ||
		(marked == outerrel && jointype == JOIN_RIGHT))
	{
		pair = palloc0(sizeof(MarkPair));
		pair->root = root;
		pair->joinrel = joinrel;
		pair->outerrel = marked == innerrel ? outerrel : innerrel;
		pair->innerrel = marked;
		pair->restrictlist = extra->restrictlist;
		pair->extra = *extra;
		pair->tag = tag;
		if (add_mark_paths(pair))
			return;
	}

	/* The planner may need some path. */
	make_prohibitive(direct);
	joinrel->pathlist = list_concat(joinrel->pathlist, direct);
}

/* ----------------------------------------------------------------
 *		Plans
 * ----------------------------------------------------------------
 */

static CustomScan *
make_node(CustomPath *path, Plan *child, List *tlist, const char *name)
{
	CustomScan *cscan = makeNode(CustomScan);

	cscan->scan.plan.targetlist = tlist;
	cscan->scan.scanrelid = 0;
	cscan->scan.plan.parallel_aware = path->path.parallel_aware;
	cscan->flags = path->flags;
	cscan->custom_plans = list_make1(child);
	cscan->custom_scan_tlist = copyObject(child->targetlist);
	cscan->methods = GetCustomScanMethods(name, false);
	return cscan;
}

/*
 * The column of a target list that is the given column of rel, or 0.
 */
static AttrNumber
find_column(List *tlist, Index rti, AttrNumber attno)
{
	ListCell   *lc;

	foreach(lc, tlist)
	{
		TargetEntry *tle = lfirst_node(TargetEntry, lc);
		Var		   *var = (Var *) tle->expr;

		if (IsA(var, Var) && var->varno == rti && var->varattno == attno)
			return tle->resno;
	}
	return 0;
}

static Plan *
plan_mark_join(PlannerInfo *root, RelOptInfo *rel, CustomPath *path,
			   List *tlist, List *clauses, List *custom_plans)
{
	MarkPair   *pair = linitial(path->custom_private);
	Plan	   *join = linitial(custom_plans);
	CustomScan *cscan = make_node(path, join, tlist, ZIGZAG_MARK_JOIN_NAME);
	Index		rti = pair->innerrel->relid;
	ZigzagMarkInfo info = {0};

	cscan->scan.plan.qual = extract_actual_clauses(pair->filters, false);

	info.id = pair->tag.id;
	info.three_valued = pair->tag.three_valued;
	info.hit = find_column(join->targetlist, rti, pair->tag.hit);
	if (pair->tag.three_valued)
		info.miss = find_column(join->targetlist, rti, pair->tag.miss);
	info.nkeys = pair->tag.nkeys;
	info.ncorrelated = pair->tag.ncorrelated;
	info.outer_keys = copyObject(pair->outer_keys);
	info.operators = list_copy(pair->operators);
	info.collations = list_copy(pair->collations);
	zz_mark_info_encode(&info, cscan);
	return (Plan *) cscan;
}

static Plan *
plan_mark_guard(PlannerInfo *root, RelOptInfo *rel, CustomPath *path,
				List *tlist, List *clauses, List *custom_plans)
{
	MarkPair   *pair = linitial(path->custom_private);
	Plan	   *inner = linitial(custom_plans);
	CustomScan *cscan = make_node(path, inner, tlist, ZIGZAG_MARK_GUARD_NAME);
	ZigzagMarkGuardInfo info = {0};

	info.nkeys = pair->tag.nkeys;
	info.ncorrelated = pair->tag.ncorrelated;
	for (int i = 0; i < info.nkeys + info.ncorrelated; i++)
	{
		AttrNumber	column = find_column(inner->targetlist,
										 pair->innerrel->relid,
										 pair->tag.first_key + i);

		if (column == 0)
			elog(ERROR, "key column %d not found in the inner side of a mark join",
				 i);
		info.columns = lappend_int(info.columns, column);
	}
	zz_mark_guard_info_encode(&info, cscan);
	return (Plan *) cscan;
}
