/*-------------------------------------------------------------------------
 *
 * zz_mayfail.c
 *	  Whether an expression may raise an error.
 *
 * An expression that is evaluated for more rows than the user asked for (CASE
 * and OR skip it for some) must not raise an error.  Of functions, only those
 * marked leakproof are known not to.
 *
 * A column is not always a value that lies ready.  That of a subquery which the
 * planner dissolves is an expression, evaluated where the column stands; so is a
 * virtual generated column, and the merged column of a join.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relation.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "zz_compat.h"
#include "zz_mayfail.h"

typedef struct MayFailContext
{
	const Query *query;			/* what the columns at depth belong to */
	int			depth;			/* of subqueries we are in */
	bool		outer_only;		/* look only at what the query's columns are
								 * used for, and trust equality */
} MayFailContext;

static bool
is_leaky_function(Oid funcid, void *context)
{
	return !get_func_leakproof(funcid);
}

/*
 * Is it an equality that a join is made by?
 */
static bool
is_equality(Node *node)
{
	OpExpr	   *op = (OpExpr *) node;

	return IsA(node, OpExpr) && list_length(op->args) == 2 &&
		op_hashjoinable(op->opno, exprType(linitial(op->args)));
}

/*
 * May the planner put the expressions of the subquery's target list in place of
 * its columns?
 */
static bool
is_dissolvable(const Query *subquery)
{
	return !subquery->hasAggs && !subquery->hasWindowFuncs &&
		!subquery->hasTargetSRFs &&
		subquery->groupClause == NIL && subquery->groupingSets == NIL &&
		subquery->havingQual == NULL && subquery->distinctClause == NIL &&
		subquery->limitCount == NULL && subquery->limitOffset == NULL &&
		subquery->rowMarks == NIL;
}

static bool
output_may_fail(const Query *subquery, AttrNumber attno)
{
	TargetEntry *tle;

	if (!is_dissolvable(subquery))
		return false;
	if (subquery->setOperations != NULL || subquery->commandType != CMD_SELECT)
		return true;
	tle = get_tle_by_resno(subquery->targetList, attno);
	return tle == NULL || zz_may_fail((Node *) tle->expr, subquery);
}

/*
 * May the evaluation of one of the query's columns fail?
 */
static bool
column_may_fail(const Query *query, const Var *var)
{
	RangeTblEntry *rte;
	ListCell   *lc;

	/* A relation that is not there yet is read as it is. */
	if (var->varno > list_length(query->rtable))
		return false;

	rte = rt_fetch(var->varno, query->rtable);
	switch (rte->rtekind)
	{
		case RTE_RELATION:
			return var->varattno == 0 ||
				zz_column_is_virtual(rte->relid, var->varattno);
		case RTE_SUBQUERY:
			return output_may_fail(rte->subquery, var->varattno);
		case RTE_JOIN:
			return var->varattno <= 0 ||
				zz_may_fail(list_nth(rte->joinaliasvars, var->varattno - 1),
							query);
		case RTE_VALUES:
			return zz_may_fail((Node *) rte->values_lists, query);
		case RTE_CTE:
			if (rte->self_reference || rte->ctelevelsup > 0)
				return !rte->self_reference;
			foreach(lc, query->cteList)
			{
				CommonTableExpr *cte = lfirst_node(CommonTableExpr, lc);

				if (strcmp(cte->ctename, rte->ctename) == 0)
					return output_may_fail(castNode(Query, cte->ctequery),
										   var->varattno);
			}
			return true;
		default:
			return false;
	}
}

/*
 * Has a table of the query virtual generated columns?
 */
static bool
reads_virtual_columns(const Query *query)
{
	bool		result = false;
	ListCell   *lc;

	foreach(lc, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (rte->rtekind == RTE_RELATION)
		{
			Relation	rel = relation_open(rte->relid, NoLock);

			result = zz_has_virtual_columns(RelationGetDescr(rel));
			relation_close(rel, NoLock);
			if (result)
				break;
		}
	}
	return result;
}

static bool
may_fail_walker(Node *node, void *arg)
{
	MayFailContext *context = (MayFailContext *) arg;
	bool		result;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		if (reads_virtual_columns((Query *) node))
			return true;
		context->depth++;
		result = query_tree_walker((Query *) node, may_fail_walker, arg, 0);
		context->depth--;
		return result;
	}
	if (IsA(node, Var))
		return ((Var *) node)->varlevelsup == context->depth &&
			column_may_fail(context->query, (Var *) node);
	if (context->outer_only && !contain_vars_of_level(node, context->depth))
		return false;
	if (check_functions_in_node(node, is_leaky_function, NULL) &&
		!(context->outer_only && is_equality(node)))
		return true;

	switch (nodeTag(node))
	{
		case T_SubLink:
			if (((SubLink *) node)->subLinkType == EXPR_SUBLINK ||
				((SubLink *) node)->subLinkType == ROWCOMPARE_SUBLINK)
				return true;	/* of several rows */
			return expression_tree_walker(node, may_fail_walker, arg);
		case T_ArrayExpr:
			return ((ArrayExpr *) node)->multidims ||	/* dimensions may differ */
				expression_tree_walker(node, may_fail_walker, arg);
		case T_ArrayCoerceExpr:
		case T_CoerceToDomain:
		case T_ConvertRowtypeExpr:
		case T_MinMaxExpr:
		case T_SQLValueFunction:
		case T_XmlExpr:
		case T_SubscriptingRef:
		case T_TableFunc:
		case T_TableSampleClause:
			return true;
		default:
			return zz_is_json_function(node) ||
				expression_tree_walker(node, may_fail_walker, arg);
	}
}

bool
zz_may_fail(Node *node, const Query *query)
{
	MayFailContext context = {query, 0, false};

	return may_fail_walker(node, &context);
}

bool
zz_correlation_may_fail(SubLink *sublink, const Query *query)
{
	MayFailContext context = {query, 0, true};

	return expression_tree_walker((Node *) sublink, may_fail_walker, &context);
}

/*
 * Is node made of a row, of the query or of the subquery that it is compared with?
 */
static bool
row_column_walker(Node *node, void *context)
{
	if (node == NULL || IsA(node, SubLink))
		return false;
	if (IsA(node, Var) && ((Var *) node)->varlevelsup == 0)
		return true;
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_SUBLINK)
		return true;
	return expression_tree_walker(node, row_column_walker, context);
}

static bool
without_row_walker(Node *node, void *context)
{
	if (node == NULL || IsA(node, Query))
		return false;
	if (!IsA(node, List) && !row_column_walker(node, NULL) &&
		!contain_vars_of_level(node, 0))
		return zz_may_fail(node, (const Query *) context);
	return expression_tree_walker(node, without_row_walker, context);
}

bool
zz_may_fail_without_row(Node *node, const Query *query)
{
	return without_row_walker(node, (void *) query);
}
