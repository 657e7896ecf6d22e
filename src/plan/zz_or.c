/*-------------------------------------------------------------------------
 *
 * zz_or.c
 *	  An OR with a subquery in it, planned arm by arm.
 *
 *	SELECT .. FROM t WHERE q AND (p OR x IN (SELECT y FROM s))
 *
 * is a filter on every row of t, whatever indexes there are.  The same rows, each
 * once, are
 *
 *	SELECT .. FROM (SELECT .. FROM t WHERE q AND p
 *					UNION ALL
 *					SELECT .. FROM t WHERE q AND x IN (SELECT y FROM s)
 *									 AND p IS NOT TRUE)
 *
 * where each arm has the plan that suits it: an index on p, a semi join on x.  No
 * duplicates need be removed, for a row belongs to the first arm that is true.
 *
 * Each arm is a copy of the whole level, FROM and all; the level itself keeps
 * what comes after WHERE (grouping, windows, order, limit) and reads the columns
 * that it needs from the union.  Whether it pays to read the FROM several times
 * is decided by the cost.
 *
 * Left alone is what must not be read more than once (volatile functions,
 * samples, CTEs), and rows that may be locked or rechecked.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"

#include "zigzag.h"
#include "zz_compat.h"
#include "zz_mayfail.h"
#include "zz_rewrite.h"

/* More arms than this read FROM too often. */
#define MAX_ARMS 4

/* Where the level has its grouping keys, if they have an entry: after the union. */
#define GROUP_RTI 2

/* ----------------------------------------------------------------
 *		The arms
 * ----------------------------------------------------------------
 */

/*
 * Is expr a condition that the planner makes a semi or anti join of?
 */
static bool
is_join_condition(Node *expr)
{
	SubLink    *sublink;
	ListCell   *lc;

	if (is_andclause(expr))
	{
		foreach(lc, ((BoolExpr *) expr)->args)
		{
			if (is_join_condition(lfirst(lc)))
				return true;
		}
		return false;
	}
	if (is_notclause(expr))
	{
		sublink = (SubLink *) get_notclausearg((Expr *) expr);
		return IsA(sublink, SubLink) && sublink->subLinkType == EXISTS_SUBLINK;
	}
	sublink = (SubLink *) expr;
	return IsA(sublink, SubLink) &&
		(sublink->subLinkType == EXISTS_SUBLINK ||
		 sublink->subLinkType == ANY_SUBLINK);
}

/*
 * May expr, in WHERE of query, raise an error?  What a subquery computes by
 * itself is not asked for.
 */
static bool
arm_may_fail(Node *expr, const Query *query)
{
	ListCell   *lc;

	if (IsA(expr, BoolExpr))
	{
		foreach(lc, ((BoolExpr *) expr)->args)
		{
			if (arm_may_fail(lfirst(lc), query))
				return true;
		}
		return false;
	}
	if (is_join_condition(expr))
		return zz_correlation_may_fail((SubLink *) expr, query);
	return zz_may_fail(expr, query);
}

/*
 * Is a qual of one function at most, so that the executor evaluates it before
 * whatever may fail?
 */
static bool
is_cheap(Node *qual)
{
	QualCost	cost;

	if (checkExprHasSubLink(qual))
		return false;
	cost_qual_eval_node(&cost, qual, NULL);
	return cost.startup == 0 && cost.per_tuple <= cpu_operator_cost;
}

/*
 * Is an arm evaluated just for the rows that the OR would be?  The OR, with a
 * subquery in it, comes after every join and every other of quals.
 */
static bool
is_arm_evaluated_last(const Query *query, List *quals)
{
	ListCell   *lc;

	if (list_length(query->jointree->fromlist) != 1 ||
		!IsA(linitial(query->jointree->fromlist), RangeTblRef))
		return false;
	foreach(lc, quals)
	{
		if (!is_cheap(lfirst(lc)))
			return false;
	}
	return true;
}

/*
 * The arms of qual, an OR in WHERE of query that has quals besides: those that can be
 * joins, each by itself, after one that has all the others; NIL if there are none
 * that can, or too many, or if that could raise an error that the OR does not.
 */
static List *
split_or(Node *qual, const Query *query, List *quals)
{
	bool		evaluated_last = is_arm_evaluated_last(query, quals);
	List	   *joins = NIL;
	List	   *others = NIL;
	ListCell   *lc;

	foreach(lc, ((BoolExpr *) qual)->args)
	{
		Node	   *arm = lfirst(lc);
		bool		may_fail = arm_may_fail(arm, query);

		if (zz_may_fail_without_row(arm, query))
			return NIL;
		if (is_join_condition(arm) && !may_fail)
			joins = lappend(joins, arm);
		else if (!may_fail || (evaluated_last && joins == NIL))
			others = lappend(others, arm);
		else
			return NIL;
	}
	if (joins == NIL)
		return NIL;
	if (others != NIL)
		joins = lcons(make_orclause(others), joins);
	return list_length(joins) <= MAX_ARMS ? joins : NIL;
}

/*
 * The condition that arm is false or NULL.
 */
static Node *
make_not_true(Node *arm)
{
	BooleanTest *test;

	/* EXISTS is never NULL, and as a condition of its own it is a join. */
	if (IsA(arm, SubLink) && ((SubLink *) arm)->subLinkType == EXISTS_SUBLINK)
		return (Node *) make_notclause((Expr *) arm);

	test = makeNode(BooleanTest);
	test->arg = (Expr *) arm;
	test->booltesttype = IS_NOT_TRUE;
	test->location = -1;
	return (Node *) test;
}

/*
 * The level as it reads one arm: its FROM and WHERE, and the columns asked for.
 * The arms before it are excluded.  It comes to stand two levels further down.
 */
static Query *
make_arm(const Query *level, List *quals, List *arms, int number,
		 List *columns)
{
	Query	   *arm = makeNode(Query);
	ListCell   *lc;

	quals = lappend(list_copy(quals), list_nth(arms, number));
	for (int i = 0; i < number; i++)
		quals = lappend(quals, make_not_true(list_nth(arms, i)));

	arm->commandType = CMD_SELECT;
	arm->querySource = level->querySource;
	arm->canSetTag = true;
	arm->hasSubLinks = true;
	arm->hasRowSecurity = level->hasRowSecurity;
	arm->rtable = copyObject(level->rtable);
	foreach(lc, arm->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (zz_is_group_rte(rte))	/* an arm does not group */
		{
			zz_group_set_exprs(rte, NIL);
			rte->rtekind = RTE_RESULT;
		}
	}
	zz_copy_perminfos(arm, level);
	arm->jointree =
		makeFromExpr(copyObject(level->jointree->fromlist),
					 copyObject((Node *) make_ands_explicit(quals)));
	foreach(lc, columns)
	{
		int			resno = foreach_current_index(lc) + 1;

		arm->targetList = lappend(arm->targetList,
								  makeTargetEntry(copyObject(lfirst(lc)), resno,
												  psprintf("c%d", resno), false));
	}
	IncrementVarSublevelsUp((Node *) arm, 2, 1);
	return arm;
}

/* ----------------------------------------------------------------
 *		The union
 * ----------------------------------------------------------------
 */

static RangeTblEntry *
make_subquery_rte(Query *subquery, const char *name)
{
	RangeTblEntry *rte = makeNode(RangeTblEntry);
	List	   *names = NIL;
	ListCell   *lc;

	foreach(lc, subquery->targetList)
		names = lappend(names,
						makeString(pstrdup(lfirst_node(TargetEntry, lc)->resname)));
	rte->rtekind = RTE_SUBQUERY;
	rte->subquery = subquery;
	rte->eref = makeAlias(name, names);
	return rte;
}

/*
 * The operand of a UNION ALL for relation rti of the union.
 */
static Node *
make_operand(int rti)
{
	RangeTblRef *ref = makeNode(RangeTblRef);

	ref->rtindex = rti;
	return (Node *) ref;
}

/*
 * The UNION ALL of the arms.
 */
static Query *
make_union(List *arms, List *columns)
{
	Query	   *result = makeNode(Query);
	Node	   *tree = make_operand(1);
	List	   *types = NIL;
	List	   *typmods = NIL;
	List	   *collations = NIL;
	ListCell   *lc;

	foreach(lc, arms)
		result->rtable = lappend(result->rtable,
								 make_subquery_rte(lfirst(lc),
												   psprintf("arm_%d",
															foreach_current_index(lc) + 1)));
	foreach(lc, linitial_node(Query, arms)->targetList)
	{
		TargetEntry *tle = lfirst_node(TargetEntry, lc);

		result->targetList =
			lappend(result->targetList,
					makeTargetEntry((Expr *) makeVarFromTargetEntry(1, tle),
									tle->resno, pstrdup(tle->resname), false));
		types = lappend_oid(types, exprType((Node *) tle->expr));
		typmods = lappend_int(typmods, exprTypmod((Node *) tle->expr));
		collations = lappend_oid(collations, exprCollation((Node *) tle->expr));
	}
	for (int i = 2; i <= list_length(arms); i++)
	{
		SetOperationStmt *op = makeNode(SetOperationStmt);

		op->op = SETOP_UNION;
		op->all = true;
		op->larg = tree;
		op->rarg = make_operand(i);
		op->colTypes = list_copy(types);
		op->colTypmods = list_copy(typmods);
		op->colCollations = list_copy(collations);
		tree = (Node *) op;
	}

	result->commandType = CMD_SELECT;
	result->querySource = QSRC_ORIGINAL;
	result->canSetTag = true;
	result->setOperations = tree;
	result->jointree = makeFromExpr(NIL, NULL);
	return result;
}

/* ----------------------------------------------------------------
 *		The level
 * ----------------------------------------------------------------
 */

/* Vars of the level in what stays of it. */
typedef struct ColumnsContext
{
	List	   *columns;		/* distinct ones, each as seen from the level */
	int			depth;			/* of the subquery being looked at */
	Index		group;			/* of the grouping keys in the range table, or
								 * 0 */
	bool		failed;			/* a whole row is asked for */
} ColumnsContext;

/*
 * Replace each Var of the level by one of the union, and note what it was.  A
 * grouping key that stands in the range table keeps its number there.
 */
static Node *
columns_mutator(Node *node, void *arg)
{
	ColumnsContext *context = (ColumnsContext *) arg;

	if (node == NULL)
		return NULL;
	if (IsA(node, Query))
	{
		Query	   *result;

		context->depth++;
		result = query_tree_mutator((Query *) node, columns_mutator, arg, 0);
		context->depth--;
		return (Node *) result;
	}
	if (IsA(node, Var) && ((Var *) node)->varlevelsup == context->depth)
	{
		Var		   *column = copyObject((Var *) node);
		int			number = 1;
		ListCell   *lc;

		if (context->group != 0 && column->varno == context->group)
		{
			column->varno = GROUP_RTI;
			return (Node *) column;
		}
		context->failed |= column->varattno == 0;
		column->varlevelsup = 0;
		column->location = -1;
		foreach(lc, context->columns)
		{
			if (equal(lfirst(lc), column))
				break;
			number++;
		}
		if (lc == NULL)
			context->columns = lappend(context->columns, column);
		return (Node *) makeVar(1, number, column->vartype, column->vartypmod,
								column->varcollid, context->depth);
	}
	return expression_tree_mutator(node, columns_mutator, arg);
}

static bool
is_suitable(Query *query, const ZigzagRewriteContext *context)
{
	return query->commandType == CMD_SELECT && query->hasSubLinks &&
		query->setOperations == NULL && query->cteList == NIL &&
		query->jointree != NULL && query->jointree->fromlist != NIL &&
		!context->rechecks && !context->volatile_quals &&
		!zz_rewrite_reads_volatile(query) &&
		!zz_rewrite_reads_sample((Node *) query, NULL) &&
		!zz_rewrite_reads_cte((Node *) query, NULL);	/* references are
														 * counted */
}

/*
 * Rewrite the first OR that can be of one query of the statement; see
 * zz_rewrite.h.
 */
static bool
rewrite_level(Query *query, ZigzagRewriteContext *context)
{
	RangeTblEntry *group = NULL;
	ColumnsContext outer = {0};
	List	   *ands;
	List	   *quals = NIL;
	List	   *arms = NIL;
	List	   *queries = NIL;
	List	   *targetlist;
	Node	   *having;
	ListCell   *lc;

	if (!is_suitable(query, context))
		return false;

	ands = make_ands_implicit((Expr *) query->jointree->quals);
	foreach(lc, ands)
	{
		if (!is_orclause(lfirst(lc)) || !checkExprHasSubLink(lfirst(lc)))
			continue;
		quals = list_delete_nth_cell(list_copy(ands), foreach_current_index(lc));
		arms = split_or(lfirst(lc), query, quals);
		if (arms != NIL)
			break;
	}
	if (arms == NIL)
		return false;

	foreach(lc, query->rtable)
	{
		if (zz_is_group_rte(lfirst_node(RangeTblEntry, lc)))
		{
			group = copyObject(lfirst_node(RangeTblEntry, lc));
			outer.group = foreach_current_index(lc) + 1;
		}
	}
	targetlist = (List *) columns_mutator((Node *) query->targetList, &outer);
	having = columns_mutator(query->havingQual, &outer);
	if (group != NULL)
		zz_group_set_exprs(group, (List *)
						   columns_mutator((Node *) zz_group_exprs(group), &outer));
	if (outer.failed)
		return false;

	for (int i = 0; i < list_length(arms); i++)
		queries = lappend(queries,
						  make_arm(query, quals, arms, i, outer.columns));

	query->targetList = targetlist;
	query->havingQual = having;
	query->rtable =
		list_make1(make_subquery_rte(make_union(queries, outer.columns), "arms"));
	if (group != NULL)
		query->rtable = lappend(query->rtable, group);
	zz_clear_perminfos(query);
	query->jointree = makeFromExpr(list_make1(make_operand(1)), NULL);
	return true;
}

/*
 * A test wants our plan; a MarkJoin goes before.
 */
static bool
is_preferred(void)
{
	return zz_debug_force && !zz_enable_mark;
}

const ZigzagRewriter zz_or_rewriter = {
	.name = "OR",
	.enabled = &zz_enable_or,
	.rewrite_level = rewrite_level,
	.preferred = is_preferred,
};
