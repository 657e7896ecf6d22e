/*-------------------------------------------------------------------------
 *
 * zz_probe.c
 *	  The value of IN by index probes, for few outer rows.
 *
 * Where the value of x IN (SELECT y FROM s WHERE c) is needed, the planner reads
 * all of s, however few rows ask: it knows no other plan for IN outside of a join.
 * For EXISTS it does: a probe into an index for each row.  So it is made of
 * EXISTS, of which the last two do not depend on the row and run once, if at all:
 *
 *	CASE WHEN EXISTS (SELECT FROM s WHERE c AND y = x) THEN true
 *		 WHEN (x IS NULL AND EXISTS (SELECT FROM s WHERE c)) OR
 *			  EXISTS (SELECT FROM s WHERE c AND y IS NULL) THEN NULL
 *		 ELSE false END
 *
 * What cannot be NULL needs no question for it, and where only TRUE counts the
 * first EXISTS is all.  With several columns just these two cases are done: which
 * partial matches there are with a NULL, no index can tell.
 *
 * <> ALL is the NOT of it.  A condition of its own in WHERE is a join already.
 *
 * Subqueries that read a table with an index on y, and no more than rows that
 * WHERE decides on, are candidates.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_index.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/syscache.h"

#include "zigzag.h"
#include "zz_mayfail.h"
#include "zz_nonnull.h"
#include "zz_rewrite.h"
#include "zz_sublink.h"

/* Where in the expressions of a query the mutator is. */
typedef struct ProbePlace
{
	Query	   *query;
	Node	   *quals;			/* that every row in question satisfies */
	bool		true_only;		/* NULL will do where FALSE is meant */
	bool		guarded;		/* CASE and the like: evaluated only if chosen */
	bool	   *changed;
} ProbePlace;

/* ----------------------------------------------------------------
 *		What may be done
 * ----------------------------------------------------------------
 */

/*
 * Is a column of a table a key of one of its valid indexes?
 */
static bool
is_indexed(Oid relid, AttrNumber attno)
{
	Relation	rel = table_open(relid, NoLock);
	List	   *indexes = RelationGetIndexList(rel);
	bool		result = false;
	ListCell   *lc;

	foreach(lc, indexes)
	{
		HeapTuple	tuple = SearchSysCache1(INDEXRELID,
											ObjectIdGetDatum(lfirst_oid(lc)));
		Form_pg_index index;

		if (!HeapTupleIsValid(tuple))
			continue;
		index = (Form_pg_index) GETSTRUCT(tuple);
		for (int i = 0; i < index->indnkeyatts; i++)
			result |= index->indisvalid && index->indkey.values[i] == attno;
		ReleaseSysCache(tuple);
	}
	list_free(indexes);
	table_close(rel, NoLock);
	return result;
}

/*
 * Is expr a column of a table of the subquery?  *indexed is set if there is an
 * index on it.
 */
static bool
is_table_column(const Query *subquery, Node *expr, bool *indexed)
{
	RangeTblEntry *rte;

	while (IsA(expr, RelabelType))
		expr = (Node *) ((RelabelType *) expr)->arg;
	if (!IsA(expr, Var) || ((Var *) expr)->varlevelsup > 0 ||
		((Var *) expr)->varattno <= 0)
		return false;
	rte = rt_fetch(((Var *) expr)->varno, subquery->rtable);
	if (rte->rtekind != RTE_RELATION)
		return false;
	*indexed |= is_indexed(rte->relid, ((Var *) expr)->varattno);
	return true;
}

/*
 * May sublink be done by probes at this place?  Its left side may come to be
 * evaluated where there is no row to compare it with.
 */
static bool
can_probe(const SubLink *sublink, List *comparisons, const ProbePlace *place)
{
	Query	   *subquery = castNode(Query, sublink->subselect);
	bool		indexed = false;
	ListCell   *lc;

	if (comparisons == NIL ||
		subquery->commandType != CMD_SELECT ||
		subquery->cteList != NIL || subquery->rowMarks != NIL ||
		!zz_sublink_is_plain(subquery) ||
		contain_volatile_functions((Node *) sublink) ||
		zz_rewrite_reads_cte((Node *) subquery, NULL) ||
		zz_rewrite_reads_sample((Node *) subquery, NULL) ||
		contain_aggs_of_level((Node *) subquery, 1) ||
		(place->guarded && zz_may_fail((Node *) sublink, place->query)))
		return false;

	foreach(lc, comparisons)
	{
		OpExpr	   *op = lfirst_node(OpExpr, lc);
		Node	   *left = linitial(op->args);

		if (checkExprHasSubLink(left) || contain_aggs_of_level(left, 0) ||
			contain_windowfuncs(left) || expression_returns_set(left) ||
			zz_may_fail(left, place->query) ||
			!is_table_column(subquery,
							 zz_sublink_substitute(lsecond(op->args),
												   subquery->targetList, false),
							 &indexed))
			return false;
	}
	return indexed;
}

/* ----------------------------------------------------------------
 *		The new form
 * ----------------------------------------------------------------
 */

/*
 * EXISTS (subquery with quals in its WHERE), of copies.  OFFSET 0 keeps the planner
 * from reading all of the subquery into a hash table after all, which it may do
 * where it does not see that LIMIT leaves few rows.
 */
static Node *
make_exists(Query *subquery, List *quals)
{
	Query	   *query = copyObject(subquery);
	SubLink    *exists = makeNode(SubLink);
	ListCell   *lc;

	foreach(lc, quals)
		query->jointree->quals = make_and_qual(query->jointree->quals,
											   copyObject(lfirst(lc)));
	query->targetList = NIL;
	query->distinctClause = NIL;
	query->sortClause = NIL;
	query->limitOffset = (Node *) makeConst(INT8OID, -1, InvalidOid, sizeof(int64),
											Int64GetDatum(0), false,
											FLOAT8PASSBYVAL);
	exists->subLinkType = EXISTS_SUBLINK;
	exists->subselect = (Node *) query;
	exists->location = -1;
	return (Node *) exists;
}

static Node *
make_null_test(Node *expr)
{
	NullTest   *test = makeNode(NullTest);

	test->arg = copyObject((Expr *) expr);
	test->nulltesttype = IS_NULL;
	test->argisrow = false;
	test->location = -1;
	return (Node *) test;
}

static CaseWhen *
make_when(Node *condition, Node *value)
{
	CaseWhen   *when = makeNode(CaseWhen);

	when->expr = (Expr *) condition;
	when->result = (Expr *) value;
	when->location = -1;
	return when;
}

/*
 * When the IN of x = y that has found no row is NULL; or NULL if it never is.
 */
static Node *
make_unknown(const SubLink *sublink, const OpExpr *op, const ProbePlace *place)
{
	Query	   *subquery = castNode(Query, sublink->subselect);
	Node	   *x = linitial(op->args);
	Node	   *y = zz_sublink_substitute(lsecond(op->args),
										  subquery->targetList, false);
	List	   *cases = NIL;

	if (!zz_expr_is_nonnull(place->query, x, place->quals))
		cases = lappend(cases,
						makeBoolExpr(AND_EXPR,
									 list_make2(make_null_test(x),
												make_exists(subquery, NIL)),
									 -1));
	if (!zz_expr_is_nonnull(subquery, y, subquery->jointree->quals))
		cases = lappend(cases,
						make_exists(subquery, list_make1(make_null_test(y))));
	if (list_length(cases) < 2)
		return cases == NIL ? NULL : linitial(cases);
	return (Node *) make_orclause(cases);
}

/*
 * The value of sublink by probes; or sublink itself.
 */
static Node *
replace_sublink(SubLink *sublink, const ProbePlace *place)
{
	Query	   *subquery = castNode(Query, sublink->subselect);
	bool		is_all = sublink->subLinkType == ALL_SUBLINK;
	bool		true_only = place->true_only && !is_all;
	List	   *comparisons = NIL;
	List	   *matches = NIL;
	Node	   *unknown = NULL;
	Node	   *value;
	ListCell   *lc;

	if (is_all || sublink->subLinkType == ANY_SUBLINK)
		comparisons = zz_sublink_comparisons(sublink);
	if (!can_probe(sublink, comparisons, place))
		return (Node *) sublink;

	foreach(lc, comparisons)
	{
		Node	   *match;

		if (!true_only)
			unknown = make_unknown(sublink, lfirst(lc), place);
		if (unknown != NULL && list_length(comparisons) > 1)
			return (Node *) sublink;

		/* The subquery is one level further down than the comparison was. */
		match = zz_sublink_substitute(lsecond(lfirst_node(OpExpr, lc)->args),
									  subquery->targetList, false);
		IncrementVarSublevelsUp((Node *) linitial(lfirst_node(OpExpr, lc)->args),
								1, 0);
		lsecond(lfirst_node(OpExpr, lc)->args) = match;
		matches = lappend(matches, lfirst(lc));
	}

	value = make_exists(subquery, matches);
	if (unknown != NULL)
	{
		CaseExpr   *expr = makeNode(CaseExpr);

		expr->casetype = BOOLOID;
		expr->args = list_make2(make_when(value, makeBoolConst(true, false)),
								make_when(unknown, makeBoolConst(false, true)));
		expr->defresult = (Expr *) makeBoolConst(false, false);
		expr->location = -1;
		value = (Node *) expr;
	}
	*place->changed = true;
	return is_all ? (Node *) makeBoolExpr(NOT_EXPR, list_make1(value), -1) : value;
}

/* ----------------------------------------------------------------
 *		Expressions and the query level
 * ----------------------------------------------------------------
 */

static Node *
probe_mutator(Node *node, void *arg)
{
	ProbePlace	place = *(ProbePlace *) arg;

	if (node == NULL)
		return NULL;

	switch (nodeTag(node))
	{
		case T_SubLink:
			return replace_sublink((SubLink *) node, &place);
		case T_Query:
		case T_Aggref:
			return node;
		case T_BoolExpr:
			place.true_only &= ((BoolExpr *) node)->boolop != NOT_EXPR;
			break;
		case T_List:
		case T_TargetEntry:
			break;
		case T_CaseExpr:
		case T_CoalesceExpr:
		case T_WindowFunc:		/* may have a FILTER */
			place.guarded = true;
			place.true_only = false;
			break;
		default:
			place.true_only = false;
			break;
	}
	return expression_tree_mutator(node, probe_mutator, &place);
}

/*
 * A WHERE or ON.  An IN or EXISTS that is a condition of its own stays.
 */
static Node *
rewrite_quals(Node *quals, JoinType jointype, void *arg)
{
	ListCell   *lc;

	if (is_andclause(quals))
	{
		foreach(lc, ((BoolExpr *) quals)->args)
			lfirst(lc) = rewrite_quals(lfirst(lc), jointype, arg);
		return quals;
	}
	if (IsA(quals, SubLink) &&
		((SubLink *) quals)->subLinkType != ALL_SUBLINK)
		return quals;
	return probe_mutator(quals, arg);
}

/*
 * Rewrite one query of the statement in place; see zz_rewrite.h.
 *
 * Above grouping a column can only stand in what is grouped by, as a whole, and
 * not in the WHERE of a subquery: what is computed there is left alone.
 */
static bool
rewrite_level(Query *query, ZigzagRewriteContext *context)
{
	bool		changed = false;
	ProbePlace	place = {.query = query,.changed = &changed};

	if (!query->hasSubLinks || query->commandType == CMD_UTILITY ||
		query->commandType == CMD_MERGE || query->setOperations != NULL ||
		context->volatile_quals)
		return false;

	place.true_only = true;
	zz_rewrite_jointree((Node *) query->jointree, rewrite_quals, &place);

	if (!query->hasAggs && query->groupClause == NIL &&
		query->groupingSets == NIL && query->havingQual == NULL)
	{
		place.true_only = false;
		place.quals = query->jointree->quals;
		query->targetList = (List *)
			expression_tree_mutator((Node *) query->targetList,
									probe_mutator, &place);
	}
	return changed;
}

/*
 * A test wants our plan; a MarkJoin goes before.
 */
static bool
is_preferred(void)
{
	return zz_debug_force && !zz_enable_mark;
}

const ZigzagRewriter zz_probe_rewriter = {
	.name = "index probes",
	.enabled = &zz_enable_probe,
	.rewrite_level = rewrite_level,
	.preferred = is_preferred,
};
