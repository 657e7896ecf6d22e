/*-------------------------------------------------------------------------
 *
 * zz_mark.c
 *	  Sublinks whose value is needed, rewritten to left joins with a mark.
 *
 * The planner makes joins only of the sublinks that stand as conditions of their
 * own in WHERE.  Elsewhere (in the SELECT list, under OR, in CASE ...) they
 * are run as expressions: from a hash table if all of it is expected to fit
 * in memory, else once per row.  Here
 *
 *	SELECT x IN (SELECT y FROM s) FROM t
 *
 * becomes
 *
 *	SELECT COALESCE(m.hit, m.miss)
 *	FROM t LEFT JOIN (SELECT y, true AS hit, false AS miss FROM s) m ON x = y
 *
 * which is not the same by itself: a row would come out once per partner, and
 * miss would be NULL where it must be false.  The join must be done by the
 * MarkJoin node, and so
 *	- zz_mark_paths.c removes every other path for such a join,
 *	- zz_mark_accept, called with the finished plan, refuses a plan
 *	  in which one of the joins is not done that way (servers 15 and 16 do
 *	  not call the join hook where the query has a condition without variables).
 * Then the plan of the original query is used.
 *
 * COALESCE is not strict, which keeps the planner from concluding from a
 * condition on the mark that the join might be an inner one.
 *
 * Where a mark may be used: anywhere in an expression that is computed before
 * grouping.  That is WHERE, the arguments of aggregates and the grouping keys;
 * the rest of the target list only if there is no grouping.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"

#include "zigzag.h"
#include "zz_compat.h"
#include "zz_contract_mark.h"
#include "zz_mark.h"
#include "zz_rewrite.h"

/* The value of enrname that tells our range table entries. */
#define MARK_TAG_NAME "zigzag mark"

/* A sublink that has become a join of the level, and its value. */
typedef struct MarkedSublink
{
	SubLink    *sublink;
	bool		three_valued;
	Node	   *value;
} MarkedSublink;

/* A grouping key before and after the rewrite. */
typedef struct RewrittenKey
{
	Node	   *before;
	Node	   *after;
} RewrittenKey;

/* The rewrite of one query level. */
typedef struct MarkLevel
{
	Query	   *query;
	ZigzagRewriteContext *statement;
	List	   *marked;			/* of MarkedSublink * */
	List	   *keys;			/* of RewrittenKey * */
	Node	   *from;			/* the join tree so far */
	bool		single_source;	/* FROM has one item: WHERE is applied to it */
} MarkLevel;

/* Where in an expression the mutator is. */
typedef struct MarkPlace
{
	MarkLevel  *level;
	bool		allowed;		/* it is computed before grouping */
	ZigzagMarkUse use;
} MarkPlace;

static Node *mark_mutator(Node *node, void *arg);

/* ----------------------------------------------------------------
 *		Tags
 * ----------------------------------------------------------------
 */

void
zz_mark_tag_set(RangeTblEntry *rte, const ZigzagMarkTag *tag)
{
	rte->enrname = pstrdup(MARK_TAG_NAME);
	rte->enrtuples = tag->id;
	rte->coltypmods = list_make5_int((int) tag->three_valued, tag->nkeys,
									 tag->ncorrelated, tag->hit, tag->miss);
	rte->coltypmods = lappend_int(rte->coltypmods, tag->first_key);
}

/*
 * Is rte, in a query that is being planned, the inner side of a mark join?
 */
bool
zz_mark_tag_get(const RangeTblEntry *rte, ZigzagMarkTag *tag)
{
	if (rte->rtekind != RTE_SUBQUERY || rte->enrname == NULL ||
		strcmp(rte->enrname, MARK_TAG_NAME) != 0)
		return false;

	tag->id = (int) rte->enrtuples;
	tag->three_valued = (bool) linitial_int(rte->coltypmods);
	tag->nkeys = lsecond_int(rte->coltypmods);
	tag->ncorrelated = lthird_int(rte->coltypmods);
	tag->hit = lfourth_int(rte->coltypmods);
	tag->miss = list_nth_int(rte->coltypmods, 4);
	tag->first_key = list_nth_int(rte->coltypmods, 5);
	return true;
}

/* ----------------------------------------------------------------
 *		One sublink
 * ----------------------------------------------------------------
 */

/*
 * Join the inner side to what there is of the level's FROM; returns the index of
 * the join in the range table.
 */
static Index
add_join(MarkLevel *level, ZigzagMarkInner *inner)
{
	Query	   *query = level->query;
	RangeTblEntry *rte = makeNode(RangeTblEntry);
	RangeTblEntry *joinrte = makeNode(RangeTblEntry);
	RangeTblRef *rtr = makeNode(RangeTblRef);
	JoinExpr   *join = makeNode(JoinExpr);
	List	   *names = NIL;
	ListCell   *lc;

	foreach(lc, inner->query->targetList)
		names = lappend(names,
						makeString(pstrdup(lfirst_node(TargetEntry, lc)->resname)));

	rte->rtekind = RTE_SUBQUERY;
	rte->subquery = inner->query;
	rte->eref = makeAlias(psprintf("mark_%d", inner->tag.id), names);
	rte->inFromCl = false;
	zz_mark_tag_set(rte, &inner->tag);
	query->rtable = lappend(query->rtable, rte);
	rtr->rtindex = list_length(query->rtable);

	joinrte->rtekind = RTE_JOIN;
	joinrte->jointype = JOIN_LEFT;
	joinrte->eref = makeAlias("unnamed_join", NIL);
	joinrte->inFromCl = false;
	query->rtable = lappend(query->rtable, joinrte);

	join->jointype = JOIN_LEFT;
	join->larg = level->from;
	join->rarg = (Node *) rtr;
	join->quals = (Node *) make_ands_explicit(inner->quals);
	join->rtindex = list_length(query->rtable);
	level->from = (Node *) join;

	return join->rtindex;
}

/*
 * The value of a sublink, from the columns hit and miss of its inner side.
 */
static Node *
mark_value(Index rti, Index joinrti, const ZigzagMarkTag *tag,
		   SubLinkType type)
{
	Var		   *hit = makeVar(rti, tag->hit, BOOLOID, -1, InvalidOid, 0);
	CoalesceExpr *mark = makeNode(CoalesceExpr);
	Node	   *otherwise = makeBoolConst(false, false);

	zz_set_nulling_rel(hit, joinrti);
	if (tag->three_valued)
	{
		Var		   *miss = makeVar(rti, tag->miss, BOOLOID, -1, InvalidOid, 0);

		zz_set_nulling_rel(miss, joinrti);
		otherwise = (Node *) miss;
	}

	mark->coalescetype = BOOLOID;
	mark->coalescecollid = InvalidOid;
	mark->args = list_make2(hit, otherwise);
	mark->location = -1;

	if (type == ALL_SUBLINK)
		return (Node *) makeBoolExpr(NOT_EXPR, list_make1(mark), -1);
	return (Node *) mark;
}

/*
 * The expression that stands for sublink from now on: its mark, or itself.
 */
static Node *
replace_sublink(SubLink *sublink, MarkPlace *place)
{
	MarkLevel  *level = place->level;
	ZigzagMarkUse use = place->use;
	bool		three_valued;
	Index		rti = list_length(level->query->rtable) + 1;
	ZigzagMarkInner inner;
	MarkedSublink *marked;
	Index		joinrti;
	ListCell   *lc;

	if (!place->allowed)
		return (Node *) sublink;

	/* <> ALL is the NOT of IN: where it must be TRUE, IN must be FALSE. */
	if (sublink->subLinkType == ALL_SUBLINK)
		use.true_only = false;
	three_valued = sublink->subLinkType != EXISTS_SUBLINK && !use.true_only;

	foreach(lc, level->marked)
	{
		marked = (MarkedSublink *) lfirst(lc);
		if (marked->three_valued == three_valued &&
			equal(marked->sublink, sublink))
			return copyObject(marked->value);
	}

	if (!zz_mark_make_inner(sublink, &use, rti, &inner))
	{
		elog(DEBUG1, "zigzag: a subquery expression cannot be a mark join");
		return (Node *) sublink;
	}

	inner.tag.id = ++level->statement->nmarks;
	joinrti = add_join(level, &inner);

	marked = palloc(sizeof(MarkedSublink));
	marked->sublink = sublink;
	marked->three_valued = three_valued;
	marked->value = mark_value(rti, joinrti, &inner.tag, sublink->subLinkType);
	level->marked = lappend(level->marked, marked);
	return copyObject(marked->value);
}

/* ----------------------------------------------------------------
 *		Expressions
 * ----------------------------------------------------------------
 */

static List *
mutate_list(List *list, MarkPlace *place)
{
	List	   *result = NIL;
	ListCell   *lc;

	foreach(lc, list)
		result = lappend(result, mark_mutator(lfirst(lc), place));
	return result;
}

/*
 * AND, OR: each argument may go unevaluated.  Where only TRUE counts, it does so
 * for their arguments.  NOT asks for the exact value.
 */
static Node *
mutate_bool(BoolExpr *expr, MarkPlace place)
{
	BoolExpr   *result = makeNode(BoolExpr);

	if (expr->boolop == NOT_EXPR)
		place.use.true_only = false;
	else
		place.use.maybe_skipped = true;

	*result = *expr;
	result->args = mutate_list(expr->args, &place);
	return (Node *) result;
}

/*
 * CASE promises that a branch is evaluated only if it is chosen.
 */
static Node *
mutate_case(CaseExpr *expr, MarkPlace place)
{
	CaseExpr   *result = makeNode(CaseExpr);
	MarkPlace	test = place;
	ListCell   *lc;

	*result = *expr;
	test.use.true_only = false;
	result->arg = (Expr *) mark_mutator((Node *) expr->arg, &test);

	place.use.guarded = true;
	test = place;
	test.use.true_only = expr->arg == NULL;

	result->args = NIL;
	foreach(lc, expr->args)
	{
		CaseWhen   *when = makeNode(CaseWhen);

		*when = *lfirst_node(CaseWhen, lc);
		when->expr = (Expr *) mark_mutator((Node *) when->expr, &test);
		when->result = (Expr *) mark_mutator((Node *) when->result, &place);
		result->args = lappend(result->args, when);
	}
	result->defresult = (Expr *) mark_mutator((Node *) expr->defresult, &place);
	return (Node *) result;
}

/*
 * What an aggregate of this level is given is computed before grouping.  With
 * FILTER, its arguments are not computed for the rows filtered out.
 */
static Node *
mutate_aggref(Aggref *expr, MarkPlace place)
{
	Aggref	   *result;
	MarkPlace	filter;

	if (expr->agglevelsup > 0)
		return (Node *) expr;

	place.allowed = true;
	place.use.true_only = false;
	filter = place;
	filter.use.true_only = true;
	if (expr->aggfilter != NULL)
		place.use.guarded = true;

	result = makeNode(Aggref);
	*result = *expr;
	result->args = mutate_list(expr->args, &place);
	result->aggfilter = (Expr *) mark_mutator((Node *) expr->aggfilter, &filter);
	return (Node *) result;
}

/*
 * The node with the sublinks in it replaced, where that is possible.
 */
static Node *
mark_mutator(Node *node, void *arg)
{
	MarkPlace	place = *(MarkPlace *) arg;

	if (node == NULL)
		return NULL;

	if (!place.allowed)
	{
		ListCell   *lc;

		foreach(lc, place.level->keys)
		{
			RewrittenKey *key = (RewrittenKey *) lfirst(lc);

			if (equal(key->before, node))
				return copyObject(key->after);
		}
	}

	switch (nodeTag(node))
	{
		case T_SubLink:
			return replace_sublink((SubLink *) node, &place);
		case T_BoolExpr:
			return mutate_bool((BoolExpr *) node, place);
		case T_CaseExpr:
			return mutate_case((CaseExpr *) node, place);
		case T_Aggref:
			return mutate_aggref((Aggref *) node, place);
		case T_BooleanTest:
			{
				BoolTestType type = ((BooleanTest *) node)->booltesttype;

				place.use.true_only = type == IS_TRUE || type == IS_NOT_TRUE;
				break;
			}
		case T_CoalesceExpr:
		case T_WindowFunc:		/* may have a FILTER */
			place.use.guarded = true;
			place.use.true_only = false;
			break;
		case T_TargetEntry:
			break;
		default:
			place.use.true_only = false;
			break;
	}
	return expression_tree_mutator(node, mark_mutator, &place);
}

/* ----------------------------------------------------------------
 *		One query level
 * ----------------------------------------------------------------
 */

/*
 * WHERE.  A sublink that is a condition of its own, or the NOT of one, is a join
 * for the planner already, or for the NOT IN rewriter.
 */
static void
rewrite_where(MarkLevel *level)
{
	FromExpr   *jointree = level->query->jointree;
	MarkPlace	place = {level, true, {level->query,.true_only = true,.in_where = true}};
	List	   *quals = make_ands_implicit((Expr *) jointree->quals);
	ListCell   *lc;

	place.use.before_filter = !level->single_source;
	foreach(lc, quals)
	{
		Node	   *qual = lfirst(lc);
		Node	   *arg = is_notclause(qual) ?
		(Node *) get_notclausearg((Expr *) qual) : qual;

		if (!IsA(arg, SubLink))
			lfirst(lc) = mark_mutator(qual, &place);
	}
	jointree->quals = (Node *) (quals != NIL ? make_ands_explicit(quals) : NULL);
}

static bool
is_grouped(const Query *query)
{
	return query->hasAggs || query->groupClause != NIL ||
		query->groupingSets != NIL || query->havingQual != NULL;
}

static bool
is_grouping_key(const TargetEntry *tle, const Query *query)
{
	return tle->ressortgroupref != 0 && query->groupingSets == NIL &&
		get_sortgroupref_clause_noerr(tle->ressortgroupref,
									  query->groupClause) != NULL;
}

/*
 * The grouping keys where they stand in a range table entry.
 */
static void
rewrite_group_entry(Query *query, MarkPlace *place)
{
	ListCell   *lc;
	ListCell   *lc2;

	foreach(lc, query->rtable)
	{
		foreach(lc2, zz_group_exprs(lfirst_node(RangeTblEntry, lc)))
			lfirst(lc2) = mark_mutator(lfirst(lc2), place);
	}
}

/*
 * The target list, and HAVING.  Grouping keys come first: the planner finds them
 * in other expressions by comparison, so these must change as they do.
 */
static void
rewrite_outputs(MarkLevel *level)
{
	Query	   *query = level->query;
	bool		grouped = is_grouped(query);
	MarkPlace	place = {level, true, {query}};
	ListCell   *lc;

	place.use.before_filter = !level->single_source;

	if (grouped)
	{
		foreach(lc, query->targetList)
		{
			TargetEntry *tle = lfirst_node(TargetEntry, lc);
			RewrittenKey *key;

			if (!is_grouping_key(tle, query))
				continue;
			key = palloc(sizeof(RewrittenKey));
			key->before = (Node *) tle->expr;
			key->after = mark_mutator(key->before, &place);
			tle->expr = (Expr *) key->after;
			if (!equal(key->before, key->after))
				level->keys = lappend(level->keys, key);
		}
		if (query->groupingSets == NIL)
			rewrite_group_entry(query, &place);
		place.allowed = false;
	}

	foreach(lc, query->targetList)
	{
		TargetEntry *tle = lfirst_node(TargetEntry, lc);

		if (!grouped || !is_grouping_key(tle, query))
			tle->expr = (Expr *) mark_mutator((Node *) tle->expr, &place);
	}
	query->havingQual = mark_mutator(query->havingQual, &place);
}

/*
 * Rewrite one query of the statement in place; see zz_rewrite.h.
 */
static bool
rewrite_level(Query *query, ZigzagRewriteContext *context)
{
	MarkLevel	level = {0};
	List	   *from;

	if (query->commandType != CMD_SELECT || !query->hasSubLinks ||
		query->setOperations != NULL || query->jointree == NULL ||
		query->jointree->fromlist == NIL ||
		context->rechecks || context->volatile_quals)
		return false;

	from = query->jointree->fromlist;
	level.query = query;
	level.statement = context;
	level.single_source = list_length(from) == 1 &&
		IsA(linitial(from), RangeTblRef);
	level.from = list_length(from) == 1 ? (Node *) linitial(from) :
		(Node *) makeFromExpr(from, NULL);

	rewrite_where(&level);
	rewrite_outputs(&level);
	if (level.marked == NIL)
		return false;

	query->jointree->fromlist = list_make1(level.from);
	return true;
}

/* ----------------------------------------------------------------
 *		The finished plan
 * ----------------------------------------------------------------
 */

/*
 * The ids of the MarkJoin nodes at and below a plan node.
 */
static Bitmapset *
collect_marks(Plan *plan, Bitmapset *ids)
{
	ListCell   *lc;

	if (plan == NULL)
		return ids;

	switch (nodeTag(plan))
	{
		case T_CustomScan:
			{
				CustomScan *cscan = (CustomScan *) plan;

				if (strcmp(cscan->methods->CustomName,
						   ZIGZAG_MARK_JOIN_NAME) == 0)
					ids = bms_add_member(ids, zz_mark_info_decode(cscan)->id);
				foreach(lc, cscan->custom_plans)
					ids = collect_marks(lfirst(lc), ids);
				break;
			}
		case T_Append:
			foreach(lc, ((Append *) plan)->appendplans)
				ids = collect_marks(lfirst(lc), ids);
			break;
		case T_MergeAppend:
			foreach(lc, ((MergeAppend *) plan)->mergeplans)
				ids = collect_marks(lfirst(lc), ids);
			break;
		case T_SubqueryScan:
			ids = collect_marks(((SubqueryScan *) plan)->subplan, ids);
			break;
		default:
			break;
	}
	ids = collect_marks(plan->lefttree, ids);
	return collect_marks(plan->righttree, ids);
}

/*
 * Is every join of the rewrite done by a MarkJoin?  Each is done once in a plan,
 * so it is enough that the node is there.
 */
static bool
accept_plan(const PlannedStmt *stmt, const ZigzagRewriteContext *context)
{
	Bitmapset  *ids = collect_marks(stmt->planTree, NULL);
	ListCell   *lc;

	foreach(lc, stmt->subplans)
		ids = collect_marks(lfirst(lc), ids);
	elog(DEBUG1, "zigzag: %d of %d mark joins are in the plan",
		 bms_num_members(ids), context->nmarks);
	return bms_num_members(ids) == context->nmarks;
}

static bool
is_preferred(void)
{
	return zz_debug_force;
}

const ZigzagRewriter zz_mark_rewriter = {
	.name = "MarkJoin",
	.enabled = &zz_enable_mark,
	.rewrite_level = rewrite_level,
	.preferred = is_preferred,
	.accept = accept_plan,
};
