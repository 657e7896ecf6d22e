/*-------------------------------------------------------------------------
 *
 * zz_explain_nullaware.c
 *	  EXPLAIN of the NullAwareAntiJoin node.
 *
 *	Null-Aware Key		x, where core's join below shows the rest of x = y
 *	Null-Aware Cond		each x = y that may be NULL
 *	Join Cond			each x = y that must be true
 *	Join Filter			further conditions
 *	Inner Rows			rows of the subquery read; fewer than it has where a
 *						NULL ended the join
 *	Patterns			different sets of NULL columns among them
 *	Lookups				searches in the hash tables; Partial ones are those
 *						that a NULL keeps from using every column
 *	Batches				how often the outer rows were passed
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "utils/ruleutils.h"

#define ZIGZAG_USES_EXPLAIN
#include "zz_compat.h"
#include "zz_explain_nullaware.h"

static void
explain_clauses(const char *label, List *clauses, List *context,
				ExplainState *es)
{
	bool		useprefix = list_length(es->rtable) > 1 || es->verbose;

	if (clauses != NIL)
		ExplainPropertyText(label,
							deparse_expression((Node *) make_ands_explicit(clauses),
											   context, useprefix, false),
							es);
}

static void
explain_count(const char *label, const char *unit, int64 count,
			  ExplainState *es)
{
	if (count >= 0)
		ExplainPropertyInteger(label, unit, count, es);
}

void
zz_explain_nullaware(CustomScanState *css, const ZigzagNullAwareInfo *info,
					 const ZigzagNullAwareCounters *counters,
					 List *ancestors, struct ExplainState *es)
{
	List	   *context = set_deparse_context_plan(es->deparse_cxt,
												   css->ss.ps.plan, ancestors);

	if (info->strategy == ZIGZAG_NULLAWARE_PATTERN)
	{
		explain_clauses("Null-Aware Cond", info->nullaware, context, es);
		explain_clauses("Join Cond", info->equal, context, es);
		explain_clauses("Join Filter", info->residual, context, es);
	}
	else
		explain_clauses("Null-Aware Key", list_make1(info->outer_key),
						context, es);

	if (!es->analyze || counters == NULL)
		return;

	explain_count("Inner Rows", NULL, counters->inner_rows, es);
	explain_count("Inner NULL Rows", NULL, counters->inner_null_rows, es);
	if (counters->ended_at_null || es->format != EXPLAIN_FORMAT_TEXT)
		ExplainPropertyBool("Ended at First NULL", counters->ended_at_null, es);
	explain_count("Patterns", NULL, counters->patterns, es);
	explain_count("Lookups", NULL, counters->lookups, es);
	explain_count("Partial Lookups", NULL, counters->partial_lookups, es);
	explain_count("Batches", NULL, counters->batches, es);
	if (counters->memory >= 0)
		explain_count("Memory Usage", "kB", (counters->memory + 1023) / 1024,
					  es);
}
