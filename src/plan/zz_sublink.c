/*-------------------------------------------------------------------------
 *
 * zz_sublink.c
 *	  What an IN or NOT IN compares, and with rows of what query.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "zz_sublink.h"

typedef struct SubstituteState
{
	List	   *targetlist;		/* what the comparison's Params stand for, */
	bool		as_vars;		/* or its columns seen from outside */
} SubstituteState;

List *
zz_sublink_comparisons(const SubLink *sublink)
{
	Node	   *testexpr = sublink->testexpr;
	bool		is_all = sublink->subLinkType == ALL_SUBLINK;
	List	   *args;
	List	   *result = NIL;
	ListCell   *lc;

	if (testexpr == NULL)
		return NIL;
	if (IsA(testexpr, BoolExpr))
	{
		if (((BoolExpr *) testexpr)->boolop != (is_all ? OR_EXPR : AND_EXPR))
			return NIL;
		args = ((BoolExpr *) testexpr)->args;
	}
	else
		args = list_make1(testexpr);

	foreach(lc, args)
	{
		OpExpr	   *op = lfirst(lc);

		if (!IsA(op, OpExpr) || list_length(op->args) != 2)
			return NIL;
		op = copyObject(op);
		if (is_all)
		{
			op->opno = get_negator(op->opno);
			if (!OidIsValid(op->opno))
				return NIL;
			op->opfuncid = get_opcode(op->opno);
		}
		if (!op_hashjoinable(op->opno, exprType(linitial(op->args))) ||
			!op_strict(op->opno))
			return NIL;
		result = lappend(result, op);
	}
	return result;
}

/*
 * Replace each Param that stands for a column of the subquery.
 */
static Node *
substitute_mutator(Node *node, void *arg)
{
	SubstituteState *state = (SubstituteState *) arg;

	if (node == NULL)
		return NULL;
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_SUBLINK)
	{
		Param	   *param = (Param *) node;
		TargetEntry *tle = get_tle_by_resno(state->targetlist, param->paramid);

		if (tle == NULL)
			elog(ERROR, "subquery has no column %d", param->paramid);
		if (state->as_vars)
			return (Node *) makeVarFromTargetEntry(1, tle);
		return (Node *) copyObject(tle->expr);
	}
	return expression_tree_mutator(node, substitute_mutator, arg);
}

Node *
zz_sublink_substitute(Node *node, List *targetlist, bool as_vars)
{
	SubstituteState state = {targetlist, as_vars};

	return substitute_mutator(node, &state);
}

bool
zz_sublink_is_plain(const Query *subquery)
{
	return subquery->setOperations == NULL &&
		subquery->groupClause == NIL &&
		subquery->groupingSets == NIL &&
		subquery->havingQual == NULL &&
		subquery->limitCount == NULL &&
		subquery->limitOffset == NULL &&
		!subquery->hasAggs &&
		!subquery->hasWindowFuncs &&
		!subquery->hasTargetSRFs &&
		!subquery->hasDistinctOn;
}
