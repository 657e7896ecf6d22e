/*-------------------------------------------------------------------------
 *
 * zz_mark_array.c
 *	  Sublinks under OR, rewritten so that an index can answer the OR.
 *
 *	p OR x IN (SELECT y FROM s)
 *
 * is a filter for the planner, whatever indexes there are on p and x.  As
 *
 *	p OR x = ANY (ARRAY(SELECT y FROM s))
 *
 * it is two index conditions: the array is computed first, once, and the rows of
 * both are found by a BitmapOr.  EXISTS with one equality to the outer query is
 * the same.  Where only TRUE counts, as in WHERE, the two forms agree: x is
 * equal to an element or not.
 *
 * It is of use only in an index.  As a filter, each row would be compared with
 * each element: a plan that does so is refused (accept_plan).  The planner
 * takes every such array for one of ten elements; what more are expected is
 * charged when the plans are compared (hidden_cost).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"

#include "zigzag.h"
#include "zz_compat.h"
#include "zz_mark.h"
#include "zz_rewrite.h"

/* What the planner takes for the length of an array that it does not know. */
#define ARRAY_DEFAULT_LENGTH	10

/* Longer arrays are not made: they would have to be right about the size. */
#define ARRAY_MAX_LENGTH		1000

/* ----------------------------------------------------------------
 *		The rewrite
 * ----------------------------------------------------------------
 */

/*
 * The sublink as a comparison with an array, or NULL.
 */
static Node *
make_array_comparison(const SubLink *sublink)
{
	ZigzagMarkUse use = {.true_only = true,.maybe_skipped = true};
	ZigzagMarkInner inner;
	ScalarArrayOpExpr *result;
	SubLink    *array;
	OpExpr	   *op;
	TargetEntry *key;
	int			outer;
	Oid			opno;
	Oid			array_type;

	if (sublink->subLinkType == ALL_SUBLINK ||
		!zz_mark_make_inner(sublink, &use, 1, &inner) ||
		inner.tag.nkeys + inner.tag.ncorrelated != 1 ||
		list_length(inner.quals) != 1)
		return NULL;

	op = linitial_node(OpExpr, inner.quals);
	key = list_nth(inner.query->targetList, inner.tag.first_key - 1);

	/* A key of the correlation may have the outer value on either side. */
	outer = inner.tag.nkeys == 1 || inner.tag.outer_is_left ? 0 : 1;
	opno = outer == 0 ? op->opno : get_commutator(op->opno);
	array_type = get_promoted_array_type(exprType((Node *) key->expr));
	if (!IsA(list_nth(op->args, outer), Var) || !OidIsValid(opno) ||
		!OidIsValid(array_type) ||
		array_type == exprType((Node *) key->expr))
		return NULL;

	key->resno = 1;
	inner.query->targetList = list_make1(key);

	array = makeNode(SubLink);
	array->subLinkType = ARRAY_SUBLINK;
	array->subselect = (Node *) inner.query;
	array->location = -1;

	result = makeNode(ScalarArrayOpExpr);
	result->opno = opno;
	result->opfuncid = get_opcode(opno);
	result->useOr = true;
	result->inputcollid = op->inputcollid;
	result->args = list_make2(list_nth(op->args, outer), array);
	result->location = -1;
	return (Node *) result;
}

/*
 * Replace the sublinks that are arms of an OR, within ANDs and ORs; *changed
 * tells whether there were any.
 */
static Node *
rewrite_qual(Node *qual, bool below_or, bool *changed)
{
	Node	   *result;
	ListCell   *lc;

	if (qual != NULL && IsA(qual, SubLink) && below_or)
	{
		result = make_array_comparison((SubLink *) qual);
		if (result == NULL)
			return qual;
		*changed = true;
		return result;
	}
	if (is_orclause(qual) || is_andclause(qual))
	{
		bool		is_or = is_orclause(qual);

		foreach(lc, ((BoolExpr *) qual)->args)
			lfirst(lc) = rewrite_qual(lfirst(lc), below_or || is_or, changed);
	}
	return qual;
}

static bool
rewrite_level(Query *query, ZigzagRewriteContext *context)
{
	bool		changed = false;

	if (query->commandType != CMD_SELECT || !query->hasSubLinks ||
		query->jointree == NULL || query->jointree->quals == NULL ||
		context->volatile_quals)
		return false;

	query->jointree->quals = rewrite_qual(query->jointree->quals, false, &changed);
	return changed;
}

/* ----------------------------------------------------------------
 *		The finished plan
 * ----------------------------------------------------------------
 */

typedef struct ArrayCheck
{
	const PlannedStmt *stmt;
	Bitmapset  *params;			/* that are arrays from a subquery */
	bool		in_filter;		/* one of them is used outside of an index */
	Cost		extra;			/* for the elements beyond the default */
} ArrayCheck;

static bool
uses_array_walker(Node *node, void *arg)
{
	ArrayCheck *check = (ArrayCheck *) arg;

	if (node == NULL)
		return false;
	if (IsA(node, Param))
		return ((Param *) node)->paramkind == PARAM_EXEC &&
			bms_is_member(((Param *) node)->paramid, check->params);
	return expression_tree_walker(node, uses_array_walker, arg);
}

static void check_plan(Plan *plan, ArrayCheck *check);

static void
check_plans(List *plans, ArrayCheck *check)
{
	ListCell   *lc;

	foreach(lc, plans)
		check_plan(lfirst(lc), check);
}

/*
 * Take note of the arrays that are computed for a plan node.
 */
static void
note_arrays(Plan *plan, ArrayCheck *check)
{
	ListCell   *lc;

	foreach(lc, plan->initPlan)
	{
		SubPlan    *subplan = lfirst_node(SubPlan, lc);
		Plan	   *array;

		if (subplan->subLinkType != ARRAY_SUBLINK)
			continue;
		array = list_nth(check->stmt->subplans, subplan->plan_id - 1);
		check->params = bms_add_member(check->params,
									   linitial_int(subplan->setParam));
		if (array->plan_rows > ARRAY_MAX_LENGTH)
			check->in_filter = true;
		if (array->plan_rows > ARRAY_DEFAULT_LENGTH)
			check->extra += (array->plan_rows - ARRAY_DEFAULT_LENGTH) *
				2 * random_page_cost;
	}
}

static void
check_plan(Plan *plan, ArrayCheck *check)
{
	List	   *exprs;

	if (plan == NULL)
		return;

	note_arrays(plan, check);
	exprs = list_make2(plan->targetlist, plan->qual);
	switch (nodeTag(plan))
	{
		case T_NestLoop:
		case T_MergeJoin:
		case T_HashJoin:
			exprs = lappend(exprs, ((Join *) plan)->joinqual);
			break;
		case T_Result:
			exprs = lappend(exprs, ((Result *) plan)->resconstantqual);
			break;
		case T_Append:
			check_plans(((Append *) plan)->appendplans, check);
			break;
		case T_MergeAppend:
			check_plans(((MergeAppend *) plan)->mergeplans, check);
			break;
		case T_SubqueryScan:
			check_plan(((SubqueryScan *) plan)->subplan, check);
			break;
		case T_CustomScan:
			exprs = lappend(exprs, ((CustomScan *) plan)->custom_exprs);
			check_plans(((CustomScan *) plan)->custom_plans, check);
			break;
		default:
			break;
	}
	if (uses_array_walker((Node *) exprs, check))
		check->in_filter = true;

	check_plan(plan->lefttree, check);
	check_plan(plan->righttree, check);
}

static ArrayCheck
check_statement(const PlannedStmt *stmt)
{
	ArrayCheck	check = {.stmt = stmt};

	check_plan(stmt->planTree, &check);
	check_plans(stmt->subplans, &check);
	return check;
}

/*
 * Are the arrays used in indexes alone?
 */
static bool
accept_plan(const PlannedStmt *stmt, const ZigzagRewriteContext *context)
{
	return !check_statement(stmt).in_filter;
}

/*
 * What the planner has not charged.
 */
static Cost
hidden_cost(const PlannedStmt *stmt)
{
	return check_statement(stmt).extra;
}

/*
 * Can the rewrite pay, given the best plan so far?
 */
static bool
worth_trying(const PlannedStmt *best)
{
	return zz_debug_force || best->planTree->total_cost >= ZIGZAG_MARK_MIN_COST;
}

const ZigzagRewriter zz_mark_array_rewriter = {
	.name = "the array form",
	.enabled = &zz_enable_mark,
	.from_original = true,
	.rewrite_level = rewrite_level,
	.worth_trying = worth_trying,
	.hidden_cost = hidden_cost,
	.accept = accept_plan,
};
