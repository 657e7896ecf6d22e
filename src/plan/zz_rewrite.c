/*-------------------------------------------------------------------------
 *
 * zz_rewrite.c
 *	  Rewrite a query, plan both forms, keep the cheaper plan.
 *
 * Some joins hide in a form that the planner takes for an expression.  A
 * rewriter (see zz_rewrite.h) gives such an expression the shape of a join.
 * Whether that pays is not decided here by a rule: the statement is planned as
 * it was and as it is after the rewrite, and the plan of lower cost is kept.  So
 * no rewrite can take away the plan that the user had without it.
 *
 * The planner scribbles on its input: each planning gets a copy of its own.
 * What planning once more costs is foreseeable, and so is what it can gain: no
 * more than the first plan costs.  A plan in which no subquery is run as an
 * expression, or a cheap one, is therefore kept without a look for another.
 *
 * Several rewriters work one after the other, as the table of steps says:
 * with n steps that apply, n + 1 plans are made, not 2^n.
 *
 * To add a rewriter: write its file, declare it in zz_rewrite.h, add a step.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/planmain.h"
#include "rewrite/rewriteManip.h"

#include "zigzag.h"
#include "zz_hidden_cost.h"
#include "zz_rewrite.h"

/*
 * A plan that costs less than this for each of its relations is kept.  It takes
 * a millisecond or two for each; to plan it again takes a twentieth of that.
 */
#define CHEAP_COST_PER_RELATION 250.0

/* Which form a rewriter is given. */
typedef enum StepStart
{
	FROM_BEST,					/* that of the best plan so far */
	FROM_SAME,					/* that which the step before was given */
	FROM_RESULT					/* the result of the step before, if any */
} StepStart;

typedef struct RewriteStep
{
	const ZigzagRewriter *rewriter;
	StepStart	start;
} RewriteStep;

/* An OR is done in one of two ways; the second leaves marks outside of it. */
static const RewriteStep steps[] = {
	{&zz_notin_rewriter, FROM_BEST},
	{&zz_mark_rewriter, FROM_BEST},
	{&zz_probe_rewriter, FROM_SAME},
	{&zz_or_rewriter, FROM_SAME},
	{&zz_mark_rewriter, FROM_RESULT},
};

/* How often a rewriter was found switched off in the middle of a planning. */
static uint64 times_off[lengthof(steps)];

/*
 * Is there a sublink in the query or in one of its subqueries and CTEs?  A
 * sublink within a sublink needs no look: the outer one has told already.
 */
static bool
has_sublinks(const Query *query)
{
	ListCell   *lc;

	if (query->hasSubLinks)
		return true;

	foreach(lc, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (rte->rtekind == RTE_SUBQUERY && has_sublinks(rte->subquery))
			return true;
	}
	foreach(lc, query->cteList)
	{
		CommonTableExpr *cte = lfirst_node(CommonTableExpr, lc);

		if (has_sublinks(castNode(Query, cte->ctequery)))
			return true;
	}
	return false;
}

/*
 * Is there a sublink that asks for a truth value, as all do that a rewriter
 * takes?
 */
static bool
truth_sublink_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, SubLink))
	{
		SubLinkType type = ((SubLink *) node)->subLinkType;

		if (type == EXISTS_SUBLINK || type == ANY_SUBLINK || type == ALL_SUBLINK)
			return true;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, truth_sublink_walker, context, 0);
	return expression_tree_walker(node, truth_sublink_walker, context);
}

/*
 * Can there be another form of the statement?  The answer costs less than the
 * copy that is made for the sake of one.
 */
static bool
may_rewrite(const Query *query)
{
	bool		any_enabled = false;

	if (!zz_enable || !has_sublinks(query))
		return false;
	for (int i = 0; i < lengthof(steps); i++)
		any_enabled |= *steps[i].rewriter->enabled;
	return any_enabled && truth_sublink_walker((Node *) query, NULL);
}

/*
 * May rows be rechecked in a query at or below node, which is one that locks or
 * changes some?  It may be that of a CTE.
 */
static bool
rechecks_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		Query	   *query = (Query *) node;

		if (query->rowMarks != NIL ||
			query->commandType == CMD_UPDATE ||
			query->commandType == CMD_DELETE ||
			query->commandType == CMD_MERGE)
			return true;
		return query_tree_walker(query, rechecks_walker, context, 0);
	}
	return expression_tree_walker(node, rechecks_walker, context);
}

/*
 * Is there a column whose type is an anonymous record?  EXPLAIN looks for the
 * names of its fields in the plan of the subquery that it is a column of, and
 * knows of no way there from a custom node that does a join.
 */
static bool
record_column_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return ((Var *) node)->vartype == RECORDOID &&
			((Var *) node)->varattno > 0;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, record_column_walker,
								 context, 0);
	return expression_tree_walker(node, record_column_walker, context);
}

/*
 * Is there a CTE among what node reads?
 */
bool
zz_rewrite_reads_cte(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
		return ((RangeTblEntry *) node)->rtekind == RTE_CTE;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, zz_rewrite_reads_cte, context,
								 QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, zz_rewrite_reads_cte, context);
}

/*
 * Is there a sample of a table among what node reads?  Two copies of it would
 * be two samples.
 */
bool
zz_rewrite_reads_sample(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, TableSampleClause))
		return true;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, zz_rewrite_reads_sample,
								 context, 0);
	return expression_tree_walker(node, zz_rewrite_reads_sample, context);
}

/*
 * Is there a volatile function in the WHERE, ON or HAVING of the query itself?
 *
 * A target list is computed for the rows that come out, and those are the same
 * after a rewrite.  A volatile qual is run as often as the order of the quals
 * has it, which a rewrite may change.
 */
static bool
has_volatile_quals(const Query *query)
{
	return contain_volatile_functions((Node *) query->jointree) ||
		contain_volatile_functions(query->havingQual);
}

/*
 * Is there one in a query at or below node?
 */
static bool
volatile_quals_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return has_volatile_quals((Query *) node) ||
			query_tree_walker((Query *) node, volatile_quals_walker, context, 0);
	return expression_tree_walker(node, volatile_quals_walker, context);
}

typedef struct ApplyState
{
	const ZigzagRewriter *rewriter;
	ZigzagRewriteContext *context;
	bool		volatile_above; /* in the quals of a query around this one */
	bool		changed;
} ApplyState;

/*
 * Hand each Query below node to the rewriter, the innermost first.
 *
 * The quals that a rewrite of one level may reorder or cut short are its own,
 * those of the queries around it, into which it may be pulled up, and those of
 * what it reads.  A CTE stands elsewhere; for a query that reads one, all of the
 * statement counts.
 */
static bool
apply_walker(Node *node, void *arg)
{
	ApplyState *state = (ApplyState *) arg;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		Query	   *query = (Query *) node;
		ZigzagRewriteContext *context = state->context;
		bool		volatile_above = state->volatile_above;

		state->volatile_above |= has_volatile_quals(query);
		query_tree_walker(query, apply_walker, arg, 0);
		context->volatile_quals = state->volatile_above ||
			volatile_quals_walker((Node *) query, NULL) ||
			(zz_rewrite_reads_cte((Node *) query, NULL) &&
			 volatile_quals_walker((Node *) context->top, NULL));
		if (state->rewriter->rewrite_level(query, context))
			state->changed = true;
		state->volatile_above = volatile_above;
		return false;
	}
	return expression_tree_walker(node, apply_walker, arg);
}

/*
 * Rewrite query in place; returns whether it has changed.  *context is filled
 * in.
 */
static bool
apply_rewriter(const ZigzagRewriter *rewriter, Query *query,
			   ZigzagRewriteContext *context)
{
	ApplyState	state = {.rewriter = rewriter,.context = context};

	memset(context, 0, sizeof(*context));
	context->top = query;
	context->rechecks = rechecks_walker((Node *) query, NULL);

	apply_walker((Node *) query, &state);
	return state.changed;
}

/*
 * What the plan costs its user: all of it, or the part that a cursor is
 * expected to fetch.
 */
static Cost
cost_of(const PlannedStmt *stmt, int cursorOptions)
{
	const Plan *plan = stmt->planTree;
	double		fraction = 1.0;

	if (cursorOptions & CURSOR_OPT_FAST_PLAN)
		fraction = Max(cursor_tuple_fraction, 0.0);
	return plan->startup_cost +
		fraction * (plan->total_cost - plan->startup_cost +
					zz_hidden_cost(stmt));
}

static bool
is_cheaper(const PlannedStmt *a, const PlannedStmt *b, int cursorOptions)
{
	int			disabled_a = zz_plan_disabled_nodes(a->planTree);
	int			disabled_b = zz_plan_disabled_nodes(b->planTree);

	if (disabled_a != disabled_b)
		return disabled_a < disabled_b;
	return cost_of(a, cursorOptions) < cost_of(b, cursorOptions);
}

/*
 * Can another form of the statement be worth the planning?
 */
static bool
is_worth_trying(const PlannedStmt *stmt, int cursorOptions)
{
	if (stmt->subplans == NIL)
		return false;
	for (int i = 0; i < lengthof(steps); i++)
	{
		if (*steps[i].rewriter->enabled && steps[i].rewriter->preferred())
			return true;
	}
	if (cost_of(stmt, cursorOptions) >=
		CHEAP_COST_PER_RELATION * list_length(stmt->rtable))
		return true;
	elog(DEBUG1, "zigzag: the original form is cheap enough, no other is tried");
	return false;
}

/*
 * Does the level read from something that a volatile function makes?  A join
 * that ends early would not call it as often, a level planned in parts more
 * often.
 */
bool
zz_rewrite_reads_volatile(const Query *query)
{
	ListCell   *lc;

	foreach(lc, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (contain_volatile_functions((Node *) rte->subquery) ||
			contain_volatile_functions((Node *) rte->functions) ||
			contain_volatile_functions((Node *) rte->tablefunc) ||
			contain_volatile_functions((Node *) rte->values_lists))
			return true;
	}
	return false;
}

void
zz_rewrite_jointree(Node *jtnode, ZigzagRewriteQuals rewrite, void *arg)
{
	ListCell   *lc;

	if (jtnode == NULL || IsA(jtnode, RangeTblRef))
		return;
	if (IsA(jtnode, FromExpr))
	{
		FromExpr   *from = (FromExpr *) jtnode;

		foreach(lc, from->fromlist)
			zz_rewrite_jointree(lfirst(lc), rewrite, arg);
		if (from->quals != NULL)
			from->quals = rewrite(from->quals, JOIN_INNER, arg);
	}
	else
	{
		JoinExpr   *join = castNode(JoinExpr, jtnode);

		zz_rewrite_jointree(join->larg, rewrite, arg);
		zz_rewrite_jointree(join->rarg, rewrite, arg);
		if (join->quals != NULL)
			join->quals = rewrite(join->quals, join->jointype, arg);
	}
}

/*
 * SELECT FROM (subquery) name, for a rewriter: the target list is the caller's
 * to fill, with Vars of relation 1.  The subquery moves one level down.
 */
Query *
zz_rewrite_wrap(Query *subquery, const char *name)
{
	Query	   *query = makeNode(Query);
	RangeTblEntry *rte = makeNode(RangeTblEntry);
	RangeTblRef *ref = makeNode(RangeTblRef);
	List	   *columns = NIL;
	ListCell   *lc;

	IncrementVarSublevelsUp((Node *) subquery, 1, 1);

	foreach(lc, subquery->targetList)
	{
		TargetEntry *tle = lfirst_node(TargetEntry, lc);

		if (!tle->resjunk)
			columns = lappend(columns,
							  makeString(pstrdup(tle->resname ? tle->resname :
												 "?column?")));
	}

	rte->rtekind = RTE_SUBQUERY;
	rte->subquery = subquery;
	rte->alias = makeAlias(name, NIL);
	rte->eref = makeAlias(name, columns);
	rte->inFromCl = true;
	ref->rtindex = 1;

	query->commandType = CMD_SELECT;
	query->querySource = QSRC_ORIGINAL;
	query->canSetTag = true;
	query->hasRowSecurity = subquery->hasRowSecurity;
	query->rtable = list_make1(rte);
	query->jointree = makeFromExpr(list_make1(ref), NULL);
	return query;
}

/*
 * Look at the settings while a statement is being planned.  Another library may
 * change them for just that time, as pg_hint_plan does for a hint, when the
 * decision to rewrite has been made already.
 */
void
zz_rewrite_watch_settings(void)
{
	for (int i = 0; i < lengthof(steps); i++)
		times_off[i] += !zz_enable || !*steps[i].rewriter->enabled;
}

/*
 * Plan parse with the given planner, and each rewritten form of it.  The
 * cheapest plan is returned; parse is used up, as by the planner itself.
 */
PlannedStmt *
zz_rewrite_and_plan(planner_hook_type planner, ZZ_PLANNER_PARAMS)
{
	PlannedStmt *best;
	Query	   *form = parse;	/* what best is the plan of */
	Query	   *given = parse;	/* what a step was given */
	Query	   *result = NULL;	/* what it made of it */

	if (!may_rewrite(parse))
		return planner(ZZ_PLANNER_ARGS(parse));

	best = planner(ZZ_PLANNER_ARGS(copyObject(parse)));
	if (!is_worth_trying(best, cursorOptions) ||
		record_column_walker((Node *) parse, NULL))
		return best;

	for (int i = 0; i < lengthof(steps); i++)
	{
		const ZigzagRewriter *rewriter = steps[i].rewriter;
		ZigzagRewriteContext context;
		PlannedStmt *stmt;
		uint64		off_before = times_off[i];

		if (steps[i].start == FROM_BEST)
			given = form;
		else if (steps[i].start == FROM_RESULT)
			given = result;

		result = NULL;
		if (given == NULL || !*rewriter->enabled)
			continue;
		result = copyObject(given);
		if (!apply_rewriter(rewriter, result, &context))
		{
			result = NULL;
			continue;
		}
		stmt = planner(ZZ_PLANNER_ARGS(copyObject(result)));

		if (times_off[i] != off_before)
			elog(DEBUG1, "zigzag: %s is switched off for this statement",
				 rewriter->name);
		else if (rewriter->accept != NULL && !rewriter->accept(stmt, &context))
			elog(DEBUG1, "zigzag: the planner found no plan for the form of %s",
				 rewriter->name);
		else if (rewriter->preferred() || is_cheaper(stmt, best, cursorOptions))
		{
			best = stmt;
			form = result;
		}
		else
			elog(DEBUG1, "zigzag: the form so far is cheaper than that of %s",
				 rewriter->name);
	}
	return best;
}
