/*-------------------------------------------------------------------------
 *
 * zz_mark_inner.c
 *	  One sublink turned into the inner side of a left join.
 *
 * From
 *
 *	x IN (SELECT y FROM s WHERE s.a = t.b AND p(s))
 *
 * comes the inner query
 *
 *	SELECT true AS hit, false AS miss, y, a FROM s WHERE p(s)
 *
 * to be joined ON x = y AND b = a.  The sub-select is used as it is where it is
 * a plain join, and becomes a subquery of the inner query otherwise (GROUP BY,
 * LIMIT, UNION ...); conditions that tie it to the outer query can be taken out
 * of the WHERE of a plain join only.
 *
 * A condition that ties the two sides together is
 *	- a key, if it compares a value of one side with one of the other for
 *	  hashable equality,
 *	- else a residual, which is tested on pairs of equal keys.  It is a
 *	  condition on what the set *is*, so a residual that is not TRUE for any pair
 *	  makes IN false, not NULL; a join that has seen only the pairs of equal keys
 *	  cannot tell.  Residuals are for two-valued marks.
 *
 * OFFSET 0 keeps the planner from dissolving the inner query: what is known of
 * its rows must be learned before any filter on them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"

#include "zz_compat.h"
#include "zz_contract_mark.h"
#include "zz_mark.h"
#include "zz_mayfail.h"
#include "zz_rewrite.h"
#include "zz_sublink.h"

/* The conversion of one sublink. */
typedef struct InnerBuild
{
	Index		rti;			/* of the inner side, in the outer query */
	Query	   *query;			/* the inner query */
	bool		plain;			/* it is the sub-select itself */
	List	   *columns;		/* of Expr *, its target list so far */
	List	   *quals;
	int			nkeys;
	int			ncorrelated;
	bool		outer_is_left;	/* in the first correlated key */
	bool		residual;
} InnerBuild;

/* ----------------------------------------------------------------
 *		What may be done
 * ----------------------------------------------------------------
 */

/*
 * May expr, of the outer query, raise an error where the sublink would not?  A
 * join evaluates it for every row.
 */
static bool
fails_unasked(Node *expr, const ZigzagMarkUse *use)
{
	return (use->maybe_skipped || use->guarded || use->before_filter) &&
		zz_may_fail(expr, use->query);
}

/*
 * An operator whose matches a hash join finds, and that never holds for NULL.
 */
static bool
is_hash_equality(Oid opno, Node *left)
{
	return OidIsValid(opno) &&
		op_hashjoinable(opno, exprType(left)) &&
		op_strict(opno);
}

/*
 * May this sub-select be a FROM item at all?
 */
static bool
is_usable_subselect(const Query *sub)
{
	return sub->commandType == CMD_SELECT &&
		sub->rowMarks == NIL &&
		!sub->hasModifyingCTE &&
		!sub->hasForUpdate &&
		!contain_aggs_of_level((Node *) sub, 1);
}

/* ----------------------------------------------------------------
 *		Columns and conditions
 * ----------------------------------------------------------------
 */

/*
 * A Var of the outer query for expr, a column of the inner query.
 */
static Var *
add_column(InnerBuild *build, Expr *expr)
{
	build->columns = lappend(build->columns, expr);
	return makeVar(build->rti, list_length(build->columns),
				   exprType((Node *) expr), exprTypmod((Node *) expr),
				   exprCollation((Node *) expr), 0);
}

/*
 * Move an expression of the sub-select to the outer query: its own columns
 * become columns of the inner side, those of the outer query come one level up.
 */
typedef struct LiftContext
{
	InnerBuild *build;
	bool		failed;
} LiftContext;

static Node *
lift_mutator(Node *node, void *arg)
{
	LiftContext *context = (LiftContext *) arg;

	if (node == NULL)
		return NULL;
	if (IsA(node, Var))
	{
		Var		   *var = (Var *) node;

		if (var->varlevelsup == 0)
		{
			if (var->varattno <= 0)
				context->failed = true;
			return (Node *) add_column(context->build, copyObject((Expr *) var));
		}
		var = copyObject(var);
		var->varlevelsup--;
		return (Node *) var;
	}
	if (IsA(node, SubLink) || IsA(node, Aggref) || IsA(node, GroupingFunc) ||
		IsA(node, CurrentOfExpr))
		context->failed = true;
	return expression_tree_mutator(node, lift_mutator, arg);
}

/*
 * Is qual (of the sub-select's WHERE) an equality between one expression of the
 * sub-select and one of the outer query?  *mine is the argument that is the
 * sub-select's, 0 or 1.
 */
static bool
is_correlation_key(Node *qual, int *mine)
{
	OpExpr	   *op = (OpExpr *) qual;

	if (!IsA(qual, OpExpr) || list_length(op->args) != 2 ||
		!is_hash_equality(op->opno, linitial(op->args)))
		return false;

	for (int i = 0; i < 2; i++)
	{
		Node	   *inner = list_nth(op->args, i);
		Node	   *outer = list_nth(op->args, 1 - i);

		if (contain_vars_of_level(inner, 0) && !contain_vars_of_level(inner, 1) &&
			contain_vars_of_level(outer, 1) && !contain_vars_of_level(outer, 0))
		{
			*mine = i;
			return true;
		}
	}
	return false;
}

/*
 * A correlation key as a condition of the join.  Its own side becomes one
 * column, so that the path side finds it by number.
 */
static bool
add_correlation_key(InnerBuild *build, OpExpr *op, int mine,
					const ZigzagMarkUse *use)
{
	LiftContext context = {build, false};
	OpExpr	   *result = copyObject(op);
	Node	   *inner = list_nth(op->args, mine);
	Node	   *outer = lift_mutator(list_nth(op->args, 1 - mine), &context);
	Var		   *column;

	if (context.failed || checkExprHasSubLink(inner) ||
		fails_unasked(outer, use))
		return false;

	column = add_column(build, copyObject((Expr *) inner));
	lfirst(list_nth_cell(result->args, mine)) = column;
	lfirst(list_nth_cell(result->args, 1 - mine)) = outer;
	build->quals = lappend(build->quals, result);
	if (build->ncorrelated++ == 0)
		build->outer_is_left = mine == 1;
	return true;
}

/*
 * Take out of the WHERE of a plain join what ties it to the outer query, keys
 * first (residuals add columns after them).  False if that cannot be done.
 */
static bool
take_correlation(InnerBuild *build, const ZigzagMarkUse *use)
{
	FromExpr   *jointree = build->query->jointree;
	List	   *stay = NIL;
	List	   *residuals = NIL;
	ListCell   *lc;

	foreach(lc, make_ands_implicit((Expr *) jointree->quals))
	{
		Node	   *qual = lfirst(lc);
		int			mine;

		if (!contain_vars_of_level(qual, 1))
			stay = lappend(stay, qual);
		else if (!is_correlation_key(qual, &mine))
			residuals = lappend(residuals, qual);
		else if (!add_correlation_key(build, (OpExpr *) qual, mine, use))
			return false;
	}
	foreach(lc, residuals)
	{
		LiftContext context = {build, false};
		Node	   *qual = lift_mutator(lfirst(lc), &context);

		if (context.failed || fails_unasked(qual, use))
			return false;
		build->quals = lappend(build->quals, qual);
		build->residual = true;
	}

	jointree->quals = (Node *) (stay != NIL ? make_ands_explicit(stay) : NULL);
	return true;
}

static bool
has_sublink_param_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Param))
		return ((Param *) node)->paramkind == PARAM_SUBLINK;
	return expression_tree_walker(node, has_sublink_param_walker, context);
}

static bool
has_other_param_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Param))
		return ((Param *) node)->paramkind != PARAM_SUBLINK;
	return expression_tree_walker(node, has_other_param_walker, context);
}

/*
 * The comparison of one column, x = y, as a condition of the join.
 */
static bool
add_key(InnerBuild *build, OpExpr *op, const ZigzagMarkUse *use)
{
	Node	   *left = linitial(op->args);
	Node	   *right = lsecond(op->args);

	if (!contain_vars_of_level(left, 0) ||
		has_sublink_param_walker(left, NULL) || checkExprHasSubLink(left) ||
		contain_aggs_of_level(left, 0) || contain_windowfuncs(left) ||
		!has_sublink_param_walker(right, NULL) ||
		has_other_param_walker(right, NULL) ||
		contain_var_clause(right) || checkExprHasSubLink(right))
		return false;
	if (fails_unasked(left, use))
		return false;

	right = zz_sublink_substitute(right, build->query->targetList, false);
	lsecond(op->args) = add_column(build, (Expr *) right);
	build->quals = lappend(build->quals, op);
	build->nkeys++;
	return true;
}

/*
 * All comparisons of an IN or <> ALL.
 */
static bool
add_keys(InnerBuild *build, const SubLink *sublink, const ZigzagMarkUse *use)
{
	List	   *comparisons = zz_sublink_comparisons(sublink);
	ListCell   *lc;

	foreach(lc, comparisons)
	{
		if (!add_key(build, lfirst(lc), use))
			return false;
	}
	return comparisons != NIL;
}

/* ----------------------------------------------------------------
 *		The inner query
 * ----------------------------------------------------------------
 */

/*
 * A query that reads all output columns of sub, which has no ties to the query
 * around the sublink.  It stands between the two, so sub moves one level down.
 */
static Query *
wrap_subselect(Query *sub)
{
	Query	   *result = zz_rewrite_wrap(sub, "in_query");
	ListCell   *lc;

	foreach(lc, sub->targetList)
	{
		TargetEntry *tle = lfirst_node(TargetEntry, lc);

		if (!tle->resjunk)
			result->targetList =
				lappend(result->targetList,
						makeTargetEntry((Expr *) makeVarFromTargetEntry(1, tle),
										tle->resno, tle->resname, false));
	}
	return result;
}

/*
 * A LIMIT of an EXISTS says nothing unless it is zero.
 */
static void
drop_useless_limit(Query *sub)
{
	Const	   *limit = (Const *) sub->limitCount;

	if (sub->limitOffset == NULL && limit != NULL && IsA(limit, Const) &&
		(limit->constisnull || DatumGetInt64(limit->constvalue) > 0))
		sub->limitCount = NULL;
}

/*
 * Add hit and miss.  They come where the planner will ask for them: it goes
 * through the target list, then the join conditions and WHERE.  A subquery that
 * gives just the columns asked for needs no projection.
 */
static void
add_mark_columns(InnerBuild *build, ZigzagMarkTag *tag)
{
	(void) add_column(build, (Expr *) makeBoolConst(true, false));
	tag->hit = list_length(build->columns);
	if (tag->three_valued)
	{
		(void) add_column(build, (Expr *) makeBoolConst(false, false));
		tag->miss = list_length(build->columns);
	}
}

/*
 * Give the inner query its target list, and keep it from being pulled up.
 */
static void
finish_inner(InnerBuild *build, ZigzagMarkTag *tag)
{
	Query	   *query = build->query;
	ListCell   *lc;

	tag->nkeys = build->nkeys;
	tag->ncorrelated = build->ncorrelated;
	tag->outer_is_left = build->outer_is_left;

	query->targetList = NIL;
	foreach(lc, build->columns)
	{
		int			resno = foreach_current_index(lc) + 1;
		char	   *name;

		if (resno == tag->hit)
			name = pstrdup("hit");
		else if (resno == tag->miss)
			name = pstrdup("miss");
		else
			name = psprintf("c%d", resno - tag->first_key + 1);
		query->targetList = lappend(query->targetList,
									makeTargetEntry((Expr *) lfirst(lc), resno,
													name, false));
	}
	query->sortClause = NIL;
	query->distinctClause = NIL;
	query->limitOffset = (Node *) makeConst(INT8OID, -1, InvalidOid,
											sizeof(int64), Int64GetDatum(0),
											false, FLOAT8PASSBYVAL);
}

/*
 * Turn sublink into the inner side of a left join, *inner, whose inner relation
 * is to be number rti of the query that has the sublink.  False if it cannot be
 * done, or not without a change of the answer; the sublink is never changed.
 *
 *	value of	row with partner	row without
 *	EXISTS		true				false
 *	IN			true				false, or NULL where a comparison with some
 *									row is NULL (three_valued: the executor tells)
 *	<> ALL		the opposite of IN
 */
bool
zz_mark_make_inner(const SubLink *sublink, const ZigzagMarkUse *use,
				   Index rti, ZigzagMarkInner *inner)
{
	bool		is_exists = sublink->subLinkType == EXISTS_SUBLINK;
	bool		columns_first = !use->in_where || ZZ_LEFT_JOIN_QUALS_COME_LAST;
	InnerBuild	build = {0};
	Query	   *sub;

	if (!is_exists && sublink->subLinkType != ANY_SUBLINK &&
		sublink->subLinkType != ALL_SUBLINK)
		return false;
	if (!is_usable_subselect(castNode(Query, sublink->subselect)) ||
		contain_volatile_functions((Node *) sublink) ||
		(use->guarded && zz_may_fail((Node *) sublink, use->query)))
		return false;

	sub = copyObject(castNode(Query, sublink->subselect));
	if (is_exists)
		drop_useless_limit(sub);

	build.rti = rti;
	build.plain = zz_sublink_is_plain(sub) && sub->jointree->fromlist != NIL;
	build.query = build.plain ? sub : wrap_subselect(sub);

	memset(inner, 0, sizeof(*inner));
	inner->tag.three_valued = !is_exists && !use->true_only;
	if (columns_first)
		add_mark_columns(&build, &inner->tag);
	inner->tag.first_key = list_length(build.columns) + 1;
	if (!is_exists && !add_keys(&build, sublink, use))
		return false;
	if (build.plain && !take_correlation(&build, use))
		return false;
	if (build.nkeys + build.ncorrelated == 0)
		return false;

	if (inner->tag.three_valued &&
		(build.residual || build.nkeys > ZIGZAG_MARK_MAX_KEYS))
		return false;

	if (!columns_first)
		add_mark_columns(&build, &inner->tag);
	finish_inner(&build, &inner->tag);
	if (contain_vars_of_level((Node *) build.query, 1))
		return false;

	inner->query = build.query;
	inner->quals = build.quals;
	return true;
}
