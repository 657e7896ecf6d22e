/*-------------------------------------------------------------------------
 *
 * zz_notin.c
 *	  Rewrite NOT IN into a NOT EXISTS that means the same.
 *
 *	  (x1, .. xk) NOT IN (SELECT y1, .. yk FROM S WHERE c)
 *
 * is true exactly when no row of S that satisfies c makes the comparison true
 * or NULL.  So, where only "true" counts (in a WHERE, in the ON of an inner
 * join) it is
 *
 *	  NOT EXISTS (SELECT FROM S WHERE c
 *				  AND (x1 = y1) IS NOT FALSE .. AND (xk = yk) IS NOT FALSE)
 *
 * for AND is not false exactly when none of its arms is.  This is plain
 * three-valued logic and holds for every operator and every NULL.  Core's own
 * pull-up of NOT EXISTS makes it an anti join, correct with whatever path; the
 * paths that make it fast are added in zz_nullaware_paths.c.
 *
 * A column that cannot be NULL on either side gets the plain x = y, which core
 * can hash and look up in an index.  Not so in a statement whose rows may be
 * rechecked (EvalPlanQual): there core's anti join takes its inner side for
 * empty, and only our nodes know better.
 *
 * x <> ALL (S) and NOT (x = ANY (S)) are other spellings.
 *
 * Left alone, with the reason at DEBUG1, is what could change the answer or the
 * number of times a volatile function runs, and what could not become a join.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_inherits.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"

#include "zigzag.h"
#include "zz_nonnull.h"
#include "zz_rewrite.h"
#include "zz_sublink.h"

typedef struct LevelState
{
	Query	   *query;
	ZigzagRewriteContext *context;
	bool		changed;
} LevelState;

static Node *rewrite_quals(LevelState *level, Node *quals, Node *all_quals);

/*
 * Does EXISTS of the subquery with one more qual in its WHERE differ from the
 * qual applied to the subquery's rows?  Then it is left whole, and the qual is
 * put around it.
 */
static bool
needs_wrapping(const Query *subquery)
{
	return !zz_sublink_is_plain(subquery) || subquery->cteList != NIL ||
		checkExprHasSubLink((Node *) subquery->targetList);
}

/*
 * Is there an arm of the WHERE without any column?  The planner evaluates it
 * once and, up to 16, then asks no extension for paths.
 */
static bool
has_constant_qual(const Query *subquery)
{
	ListCell   *lc;
	List	   *arms = make_ands_implicit((Expr *) subquery->jointree->quals);

	foreach(lc, arms)
	{
		if (!contain_vars_of_level(lfirst(lc), 0) &&
			!contain_vars_of_level(lfirst(lc), 1))
			return true;
	}
	return false;
}

/*
 * Does the query change a table with children?  The planner then identifies rows
 * by Vars that a custom join cannot hand on: see zz_nullaware_add_paths.
 */
static bool
changes_children(const Query *query)
{
	RangeTblEntry *rte;

	if (query->commandType != CMD_UPDATE && query->commandType != CMD_DELETE)
		return false;

	rte = rt_fetch(query->resultRelation, query->rtable);
	return rte->inh && has_subclass(rte->relid);
}

/*
 * Why the sublink must stay what it is; NULL if it can be rewritten.
 */
static const char *
reason_to_leave(const LevelState *level, const SubLink *sublink)
{
	Query	   *subquery = castNode(Query, sublink->subselect);

	if (zz_sublink_comparisons(sublink) == NIL)
		return "its comparison is not made of hashable equality operators";
	if (changes_children(level->query))
		return "the query changes a table with children";
	if (checkExprHasSubLink(sublink->testexpr))
		return "its left side holds a subquery";
	if (contain_volatile_functions(sublink->testexpr) ||
		contain_volatile_functions((Node *) subquery))
		return "it holds a volatile function";
	if (level->context->volatile_quals || zz_rewrite_reads_volatile(level->query))
		return "the query holds a volatile function besides its target list";
	if (subquery->commandType != CMD_SELECT || subquery->hasModifyingCTE ||
		subquery->rowMarks != NIL)
		return "its subquery locks or modifies rows";
	if (needs_wrapping(subquery) &&
		contain_vars_of_level((Node *) subquery, 1))
		return "its subquery is correlated and more than a join";
	if (level->context->rechecks && has_constant_qual(subquery))
		return "its subquery has a constant condition and rows may be rechecked";
	return NULL;
}

/*
 * SELECT FROM (subquery).  The subquery moves one level down.
 */
static Query *
wrap_subquery(Query *subquery)
{
	Query	   *query = zz_rewrite_wrap(subquery, "not_in");

	query->targetList =
		list_make1(makeTargetEntry((Expr *) makeConst(INT4OID, -1, InvalidOid,
													  sizeof(int32),
													  Int32GetDatum(1),
													  false, true),
								   1, pstrdup("?column?"), false));
	return query;
}

/*
 * Is neither side of the comparison ever NULL?
 */
static bool
comparison_is_nonnull(const LevelState *level, Node *all_quals,
					  const OpExpr *comparison, Query *subquery)
{
	Node	   *inner = zz_sublink_substitute(lsecond(comparison->args),
											  subquery->targetList, false);

	return zz_expr_is_nonnull(level->query, linitial(comparison->args),
							  all_quals) &&
		zz_expr_is_nonnull(subquery, inner, subquery->havingQual != NULL ||
						   subquery->setOperations != NULL ? NULL :
						   subquery->jointree->quals);
}

/*
 * The NOT EXISTS for the sublink, or NULL where it stays.  all_quals are the
 * WHERE it stands in.
 */
static Node *
rewrite_sublink(LevelState *level, SubLink *sublink, Node *all_quals)
{
	Query	   *subquery = castNode(Query, sublink->subselect);
	const char *reason = reason_to_leave(level, sublink);
	List	   *targetlist = subquery->targetList;
	bool		wrapped = needs_wrapping(subquery);
	List	   *nonnull = NIL;
	List	   *clauses = NIL;
	ListCell   *lc;
	SubLink    *exists;
	List	   *comparisons;

	if (reason != NULL)
	{
		ereport(DEBUG1,
				(errmsg_internal("zigzag: a NOT IN is not rewritten: %s",
								 reason)));
		return NULL;
	}

	comparisons = zz_sublink_comparisons(sublink);
	foreach(lc, comparisons)
		nonnull = lappend_int(nonnull,
							  !subquery->setOperations &&
							  !subquery->groupingSets &&
							  comparison_is_nonnull(level, all_quals,
													lfirst(lc), subquery));

	if (wrapped)
		subquery = wrap_subquery(subquery);

	for (int i = 0; i < list_length(comparisons); i++)
	{
		Node	   *clause = list_nth(comparisons, i);

		/* The subquery is one level further down than the comparison was. */
		IncrementVarSublevelsUp(clause, 1, 0);
		clause = zz_sublink_substitute(clause, targetlist, wrapped);

		if (!list_nth_int(nonnull, i) || level->context->rechecks)
		{
			BooleanTest *test = makeNode(BooleanTest);

			test->arg = (Expr *) clause;
			test->booltesttype = IS_NOT_FALSE;
			test->location = -1;
			clause = (Node *) test;
		}
		clauses = lappend(clauses, clause);
	}

	foreach(lc, clauses)
		subquery->jointree->quals = make_and_qual(subquery->jointree->quals,
												  lfirst(lc));

	exists = makeNode(SubLink);
	exists->subLinkType = EXISTS_SUBLINK;
	exists->subselect = (Node *) subquery;
	exists->location = -1;

	level->changed = true;
	return (Node *) makeBoolExpr(NOT_EXPR, list_make1(exists), -1);
}

/*
 * Rewrite below a NOT: NOT IN, and NOT (p OR x IN ..) as its two arms.
 */
static Node *
rewrite_negated(LevelState *level, BoolExpr *not, Node *all_quals)
{
	Node	   *arg = linitial(not->args);
	Node	   *rewritten = NULL;

	if (IsA(arg, SubLink) && ((SubLink *) arg)->subLinkType == ANY_SUBLINK)
		rewritten = rewrite_sublink(level, (SubLink *) arg, all_quals);
	else if (is_orclause(arg))
	{
		List	   *arms = NIL;
		ListCell   *lc;
		bool		changed = level->changed;

		level->changed = false;
		foreach(lc, ((BoolExpr *) arg)->args)
		{
			Expr	   *arm = makeBoolExpr(NOT_EXPR, list_make1(lfirst(lc)), -1);

			arms = lappend(arms, rewrite_quals(level, (Node *) arm, all_quals));
		}
		if (level->changed)
			rewritten = (Node *) makeBoolExpr(AND_EXPR, arms, -1);
		level->changed |= changed;
	}

	return rewritten != NULL ? rewritten : (Node *) not;
}

/*
 * Rewrite what stands at the AND level of a WHERE or ON.
 */
static Node *
rewrite_quals(LevelState *level, Node *quals, Node *all_quals)
{
	ListCell   *lc;

	if (quals == NULL)
		return NULL;

	if (is_andclause(quals))
	{
		foreach(lc, ((BoolExpr *) quals)->args)
			lfirst(lc) = rewrite_quals(level, lfirst(lc), all_quals);
		return quals;
	}
	if (is_notclause(quals))
		return rewrite_negated(level, (BoolExpr *) quals, all_quals);
	if (IsA(quals, SubLink) && ((SubLink *) quals)->subLinkType == ALL_SUBLINK)
	{
		Node	   *rewritten = rewrite_sublink(level, (SubLink *) quals,
												all_quals);

		return rewritten != NULL ? rewritten : quals;
	}
	return quals;
}

/*
 * Rewrite a WHERE, or the ON of an inner join.  In the ON of an outer join a row
 * that fails is kept, with NULLs: core would not make that a join.
 */
static Node *
rewrite_join_quals(Node *quals, JoinType jointype, void *arg)
{
	return jointype == JOIN_INNER ? rewrite_quals(arg, quals, quals) : quals;
}

/*
 * MERGE's own condition is the ON of an outer join.
 */
static bool
rewrite_level(Query *query, ZigzagRewriteContext *context)
{
	LevelState	level = {query, context, false};

	if (!query->hasSubLinks || query->commandType == CMD_UTILITY ||
		query->commandType == CMD_MERGE)
		return false;

	zz_rewrite_jointree((Node *) query->jointree, rewrite_join_quals, &level);
	return level.changed;
}

/*
 * A test wants our plan, and so does a user who asked what the NULLs do.
 */
static bool
is_preferred(void)
{
	return zz_debug_force || zz_warn_null;
}

const ZigzagRewriter zz_notin_rewriter = {
	.name = "NOT IN",
	.enabled = &zz_enable_notin,
	.rewrite_level = rewrite_level,
	.preferred = is_preferred,
};
