/*-------------------------------------------------------------------------
 *
 * zz_nullaware_index.c
 *	  Answer a NOT IN from an index on the inner column.
 *
 * With a btree on y, "is there y = x" is one descent, "is any y NULL" another,
 * and "is there any row" a third question that a scan answers with its first
 * row.  The scans are core's, made from index clauses of our making.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "access/sysattr.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "zz_compat.h"
#include "zz_nullaware_index.h"

/*
 * Can the scan of a plain table be repeated under other conditions?
 */
static bool
is_suitable_rel(PlannerInfo *root, const RelOptInfo *rel)
{
	const RangeTblEntry *rte;
	ListCell   *lc;

	if (rel->reloptkind != RELOPT_BASEREL || rel->rtekind != RTE_RELATION ||
		rel->indexlist == NIL || root->qual_security_level > 0)
		return false;

	/*
	 * An index of a partitioned table, known to the planner since 16, cannot
	 * be scanned; that of a sampled table has more rows than the sample.
	 */
	rte = planner_rt_fetch(rel->relid, root);
	if (rte->relkind == RELKIND_PARTITIONED_TABLE || rte->tablesample != NULL)
		return false;

	foreach(lc, rel->baserestrictinfo)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);

		if (rinfo->pseudoconstant || contain_subplans((Node *) rinfo->clause))
			return false;
	}
	return true;
}

/*
 * Does the index lead with y, and does its order know the operator?
 */
static bool
index_matches(const IndexOptInfo *index, const OpExpr *inner_first)
{
	return index->relam == BTREE_AM_OID &&
		!index->hypothetical &&
		!zz_index_is_disabled(index) &&
		(index->indpred == NIL || index->predOK) &&
		(!OidIsValid(index->indexcollations[0]) ||
		 index->indexcollations[0] == inner_first->inputcollid) &&
		get_op_opfamily_strategy(inner_first->opno,
								 index->opfamily[0]) == BTEqualStrategyNumber &&
		match_index_to_operand(linitial(inner_first->args), 0,
							   (IndexOptInfo *) index);
}

/*
 * Can the index tell every column that is asked for?
 */
static bool
is_index_only(const RelOptInfo *rel, const IndexOptInfo *index)
{
	Bitmapset  *used = NULL;
	Bitmapset  *returned = NULL;
	ListCell   *lc;

	if (!enable_indexonlyscan)
		return false;

	pull_varattnos((Node *) rel->reltarget->exprs, rel->relid, &used);
	foreach(lc, rel->baserestrictinfo)
		pull_varattnos((Node *) lfirst_node(RestrictInfo, lc)->clause,
					   rel->relid, &used);
	for (int i = 0; i < index->ncolumns; i++)
	{
		if (index->indexkeys[i] != 0 && index->canreturn[i])
			returned = bms_add_member(returned, index->indexkeys[i] -
									  FirstLowInvalidHeapAttributeNumber);
	}
	return bms_is_subset(used, returned);
}

/*
 * The table remembers for which parameters it has been planned, so that must live
 * as long as the table does: GEQO tries each join in a context of its own.
 */
static Path *
make_probe(PlannerInfo *root, IndexOptInfo *index, RestrictInfo *rinfo,
		   Relids required_outer, double loops)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(GetMemoryChunkContext(index->rel));
	IndexClause *clause = makeNode(IndexClause);
	Path	   *path;

	clause->rinfo = rinfo;
	clause->indexquals = list_make1(rinfo);
	clause->lossy = false;
	clause->indexcol = 0;

	path = (Path *) create_index_path(root, index, list_make1(clause),
									  NIL, NIL, NIL, ForwardScanDirection,
									  is_index_only(index->rel, index),
									  bms_copy(required_outer), loops, false);
	MemoryContextSwitchTo(oldcontext);
	return path;
}

/*
 * The probe for y = x need not check (x = y) IS NOT FALSE again, which is among
 * the clauses that could be pushed into a scan with these parameters.
 */
static void
drop_redundant_clause(const ZigzagAntiJoin *join, Path *path)
{
	ParamPathInfo *info = makeNode(ParamPathInfo);
	ListCell   *lc;

	*info = *path->param_info;
	info->ppi_clauses = NIL;
	foreach(lc, path->param_info->ppi_clauses)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);

		if (!list_member_ptr(join->extra->restrictlist, rinfo) ||
			!IsA(rinfo->clause, BooleanTest))
			info->ppi_clauses = lappend(info->ppi_clauses, rinfo);
	}
	path->param_info = info;
}

bool
zz_nullaware_find_index(PlannerInfo *root, const ZigzagAntiJoin *join,
						double outer_rows, ZigzagIndexProbes *probes)
{
	RelOptInfo *rel = join->innerrel;
	OpExpr	   *op = copyObject(linitial_node(OpExpr, join->nullaware));
	Relids		required_outer = pull_varnos(root, linitial(op->args));
	IndexOptInfo *best = NULL;
	NullTest   *test;
	ListCell   *lc;

	if (!is_suitable_rel(root, rel) || !OidIsValid(get_commutator(op->opno)))
		return false;

	CommuteOpExpr(op);
	foreach(lc, rel->indexlist)
	{
		IndexOptInfo *index = lfirst_node(IndexOptInfo, lc);

		if (index_matches(index, op) &&
			(best == NULL || index->pages < best->pages))
			best = index;
	}
	if (best == NULL)
		return false;

	test = makeNode(NullTest);
	test->arg = copyObject(linitial(op->args));
	test->nulltesttype = IS_NULL;
	test->argisrow = false;
	test->location = -1;

	probes->equal = make_probe(root, best,
							   zz_make_join_restrictinfo(root, (Expr *) op,
														 join->outerrel->relids),
							   required_outer, outer_rows);
	drop_redundant_clause(join, probes->equal);
	probes->null = make_probe(root, best,
							  make_simple_restrictinfo(root, (Expr *) test),
							  NULL, 1.0);
	probes->any = rel->cheapest_startup_path;
	if (probes->any == NULL || probes->any->param_info != NULL)
		probes->any = rel->cheapest_total_path;
	return true;
}
