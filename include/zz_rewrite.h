/*-------------------------------------------------------------------------
 *
 * zz_rewrite.h
 *	  Rewrite a query, plan both forms, keep the cheaper plan.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_REWRITE_H
#define ZZ_REWRITE_H

#include "nodes/parsenodes.h"
#include "optimizer/planner.h"

#include "zz_compat.h"

/* What a rewriter may know of the whole statement. */
typedef struct ZigzagRewriteContext
{
	const Query *top;			/* the statement, being rewritten */

	/*
	 * Rows may be checked again by EvalPlanQual: UPDATE, DELETE, MERGE, or a
	 * row lock anywhere.  A subquery that becomes a join is then no longer
	 * read in full by the recheck, unless one of our nodes sees to it.
	 */
	bool		rechecks;

	/*
	 * A volatile function stands in a qual that a rewrite of the query at
	 * hand could make run more or less often.
	 */
	bool		volatile_quals;

	int			nmarks;			/* joins the mark rewriter has made so far */
} ZigzagRewriteContext;

/*
 * One way to rewrite.
 *
 * rewrite_level is handed each Query of the statement, subqueries before the
 * query that holds them, and changes it in place; it returns whether it did.
 * The Query is a private copy.  The result must mean exactly what the original
 * meant.
 *
 * preferred tells that the rewritten form is to be taken whatever it costs.
 *
 * accept (may be NULL) tells whether a plan of the rewritten form may be used
 * at all.
 */
typedef struct ZigzagRewriter
{
	const char *name;
	const bool *enabled;
	bool		(*rewrite_level) (Query *query, ZigzagRewriteContext *context);
	bool		(*preferred) (void);
	bool		(*accept) (const PlannedStmt *stmt,
						   const ZigzagRewriteContext *context);
} ZigzagRewriter;

extern PlannedStmt *zz_rewrite_and_plan(planner_hook_type planner,
										ZZ_PLANNER_PARAMS);

extern void zz_rewrite_watch_settings(void);

/*
 * Replace each WHERE and ON at and below jtnode by what rewrite makes of it;
 * WHERE is that of an inner join.
 */
typedef Node *(*ZigzagRewriteQuals) (Node *quals, JoinType jointype, void *arg);
extern void zz_rewrite_jointree(Node *jtnode, ZigzagRewriteQuals rewrite,
								void *arg);

extern Query *zz_rewrite_wrap(Query *subquery, const char *name);
extern bool zz_rewrite_reads_volatile(const Query *query);
extern bool zz_rewrite_reads_cte(Node *node, void *context);
extern bool zz_rewrite_reads_sample(Node *node, void *context);

/* The rewriters, one per file. */
extern const ZigzagRewriter zz_notin_rewriter;
extern const ZigzagRewriter zz_mark_rewriter;
extern const ZigzagRewriter zz_or_rewriter;
extern const ZigzagRewriter zz_probe_rewriter;

#endif							/* ZZ_REWRITE_H */
