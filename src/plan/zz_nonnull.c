/*-------------------------------------------------------------------------
 *
 * zz_nonnull.c
 *	  Proofs that an expression of a query is never NULL.
 *
 * A column is not NULL where its table says so by a valid constraint and no
 * outer join may have put a NULL in its place, or where a strict qual of the
 * same WHERE would have thrown the row away.  A subquery's column is followed
 * to where it comes from.
 *
 * A plan made with such a proof depends on the table, and the table stands in
 * the plan's range table: dropping the constraint makes a new plan.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "zz_compat.h"
#include "zz_nonnull.h"

/*
 * Does rel stand below jtnode?
 */
static bool
jointree_has_rel(Node *jtnode, Index varno)
{
	ListCell   *lc;

	if (jtnode == NULL)
		return false;
	if (IsA(jtnode, RangeTblRef))
		return ((RangeTblRef *) jtnode)->rtindex == varno;
	if (IsA(jtnode, FromExpr))
	{
		foreach(lc, ((FromExpr *) jtnode)->fromlist)
			if (jointree_has_rel(lfirst(lc), varno))
			return true;
		return false;
	}
	return jointree_has_rel(((JoinExpr *) jtnode)->larg, varno) ||
		jointree_has_rel(((JoinExpr *) jtnode)->rarg, varno);
}

/*
 * May an outer join below jtnode replace rel's columns by NULLs?
 */
static bool
rel_is_nullable(Node *jtnode, Index varno)
{
	ListCell   *lc;
	JoinExpr   *join;

	if (jtnode == NULL || IsA(jtnode, RangeTblRef))
		return false;
	if (IsA(jtnode, FromExpr))
	{
		foreach(lc, ((FromExpr *) jtnode)->fromlist)
			if (rel_is_nullable(lfirst(lc), varno))
			return true;
		return false;
	}

	join = castNode(JoinExpr, jtnode);
	if ((join->jointype == JOIN_LEFT || join->jointype == JOIN_FULL) &&
		jointree_has_rel(join->rarg, varno))
		return true;
	if ((join->jointype == JOIN_RIGHT || join->jointype == JOIN_FULL) &&
		jointree_has_rel(join->larg, varno))
		return true;
	return rel_is_nullable(join->larg, varno) ||
		rel_is_nullable(join->rarg, varno);
}

/*
 * Does the table guarantee that the column is not NULL?
 *
 * Of a table with inheritance children (other than partitions) a child may
 * lack the constraint; a foreign table only claims it.
 */
static bool
column_is_not_null(const RangeTblEntry *rte, AttrNumber attno)
{
	Relation	rel;
	bool		result;

	if (rte->relkind != RELKIND_RELATION &&
		rte->relkind != RELKIND_PARTITIONED_TABLE)
		return false;
	if (attno == InvalidAttrNumber)
		return false;
	if (attno < 0)
		return true;
	if (rte->inh && rte->relkind == RELKIND_RELATION &&
		has_subclass(rte->relid))
		return false;

	rel = table_open(rte->relid, NoLock);
	result = zz_attribute_is_not_null(RelationGetDescr(rel), attno);
	table_close(rel, NoLock);
	return result;
}

static Node *
strip_relabels(Node *node)
{
	while (node != NULL && (IsA(node, RelabelType) || IsA(node, CollateExpr)))
		node = IsA(node, RelabelType) ?
			(Node *) ((RelabelType *) node)->arg :
			(Node *) ((CollateExpr *) node)->arg;
	return node;
}

/*
 * Do the quals, taken as a WHERE, throw away every row in which expr is NULL?
 */
static bool
quals_reject_null(Node *quals, Node *expr)
{
	ListCell   *lc;

	if (quals == NULL)
		return false;
	if (IsA(quals, List))
	{
		foreach(lc, (List *) quals)
			if (quals_reject_null(lfirst(lc), expr))
			return true;
		return false;
	}
	if (is_andclause(quals))
		return quals_reject_null((Node *) ((BoolExpr *) quals)->args, expr);
	if (IsA(quals, NullTest))
	{
		NullTest   *test = (NullTest *) quals;

		return test->nulltesttype == IS_NOT_NULL && !test->argisrow &&
			equal(strip_relabels((Node *) test->arg), expr);
	}
	if (IsA(quals, OpExpr))
	{
		OpExpr	   *op = (OpExpr *) quals;

		if (!op_strict(op->opno))
			return false;
		foreach(lc, op->args)
			if (equal(strip_relabels(lfirst(lc)), expr))
			return true;
	}
	return false;
}

static bool
var_is_nonnull(const Query *query, Var *var)
{
	RangeTblEntry *rte = rt_fetch(var->varno, query->rtable);

	if (rte->rtekind == RTE_JOIN)
	{
		if (var->varattno <= 0)
			return false;
		return zz_expr_is_nonnull(query, list_nth(rte->joinaliasvars,
												  var->varattno - 1), NULL);
	}

	if (rel_is_nullable((Node *) query->jointree, var->varno))
		return false;

	if (rte->rtekind == RTE_RELATION)
		return column_is_not_null(rte, var->varattno);

	if (rte->rtekind == RTE_SUBQUERY)
	{
		Query	   *subquery = rte->subquery;
		TargetEntry *tle;

		if (var->varattno <= 0 || subquery->setOperations != NULL ||
			subquery->groupingSets != NIL)
			return false;
		tle = get_tle_by_resno(subquery->targetList, var->varattno);
		return tle != NULL &&
			zz_expr_is_nonnull(subquery, (Node *) tle->expr,
							   subquery->jointree->quals);
	}

	return false;
}

bool
zz_expr_is_nonnull(const Query *query, Node *expr, Node *quals)
{
	List	   *grouped;
	ListCell   *lc;

	expr = strip_relabels(expr);
	if (expr == NULL)
		return false;

	switch (nodeTag(expr))
	{
		case T_Const:
			return !((Const *) expr)->constisnull;
		case T_ArrayExpr:
			return true;		/* whatever its elements are */
		case T_Var:
			if (((Var *) expr)->varlevelsup > 0)
				return false;
			grouped = zz_group_exprs(rt_fetch(((Var *) expr)->varno,
											  query->rtable));
			if (grouped != NIL)
				return query->groupingSets == NIL &&
					zz_expr_is_nonnull(query,
									   list_nth(grouped, ((Var *) expr)->varattno - 1),
									   quals);
			return quals_reject_null(quals, expr) ||
				var_is_nonnull(query, (Var *) expr);
		case T_CoalesceExpr:
			foreach(lc, ((CoalesceExpr *) expr)->args)
				if (zz_expr_is_nonnull(query, lfirst(lc), quals))
				return true;
			return false;
		case T_Aggref:
			return ((Aggref *) expr)->agglevelsup == 0 &&
				(((Aggref *) expr)->aggfnoid == F_COUNT_ ||
				 ((Aggref *) expr)->aggfnoid == F_COUNT_ANY);
		default:
			return quals_reject_null(quals, expr);
	}
}
