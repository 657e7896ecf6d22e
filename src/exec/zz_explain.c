/*-------------------------------------------------------------------------
 *
 * zz_explain.c
 *	  EXPLAIN of the nodes.
 *
 * Labels are core's own where the meaning is core's.  Ours are:
 *
 *	Zigzag Key	the order the sides are walked in, which is also the order of
 *				the output; "ctid" is the row's location in the table
 *	Side		an index, with what binds its leading columns
 *	Pages		leaf pages read
 *	Steps		index entries looked at
 *
 * Counts are totals over all loops, as core's Index Searches and Heap Fetches
 * are.  Index Searches, Pages and Steps are those of the process that explains:
 * a node that runs in parallel workers has no memory in common with them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_index.h"
#include "commands/explain.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"
#include "utils/syscache.h"

#define ZIGZAG_USES_EXPLAIN
#include "zz_compat.h"
#include "zz_explain.h"

/*
 * The name of an index as core's EXPLAIN gives it: an extension that invents
 * indexes may name them.
 */
static const char *
index_name(Oid indexid)
{
	const char *name = NULL;

	if (explain_get_index_name_hook)
		name = (*explain_get_index_name_hook) (indexid);
	if (name == NULL)
		name = get_rel_name(indexid);
	if (name == NULL)
		elog(ERROR, "cache lookup failed for index %u", indexid);
	return name;
}

/*
 * One column of the zigzag key, as it would stand in ORDER BY.
 */
static char *
key_column(Oid indexid, int column, bool backward)
{
	HeapTuple	tuple;
	Datum		datum;
	bool		isnull;
	int			option;
	bool		desc;
	bool		nulls_first;
	char	   *expr;

	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(indexid));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for index %u", indexid);
	datum = SysCacheGetAttr(INDEXRELID, tuple, Anum_pg_index_indoption, &isnull);
	Assert(!isnull);
	option = ((int2vector *) DatumGetPointer(datum))->values[column];
	ReleaseSysCache(tuple);

	desc = ((option & INDOPTION_DESC) != 0) != backward;
	nulls_first = ((option & INDOPTION_NULLS_FIRST) != 0) != backward;
	expr = TextDatumGetCString(DirectFunctionCall3(pg_get_indexdef_ext,
												   ObjectIdGetDatum(indexid),
												   Int32GetDatum(column + 1),
												   BoolGetDatum(true)));

	return psprintf("%s%s%s", expr, desc ? " DESC" : "",
					nulls_first == desc ? "" :
					nulls_first ? " NULLS FIRST" : " NULLS LAST");
}

static void
explain_key(const ZigzagScanInfo *info, ExplainState *es)
{
	ZigzagSideInfo *side = linitial(info->sides);
	bool		backward = ScanDirectionIsBackward(info->direction);
	int			nfixed = list_length(side->clauses);
	List	   *columns = NIL;

	for (int i = 0; i < info->nsuffix; i++)
		columns = lappend(columns,
						  key_column(side->indexid, nfixed + i, backward));
	columns = lappend(columns, backward ? "ctid DESC" : "ctid");
	ExplainPropertyList("Zigzag Key", columns, es);
}

static void
explain_side(const ZigzagSideInfo *side, const ZigzagCounters *counters,
			 List *context, bool useprefix, ExplainState *es)
{
	const char *name = index_name(side->indexid);
	char	   *cond = deparse_expression((Node *) make_ands_explicit(side->clauses),
										  context, useprefix, false);

	ExplainOpenGroup("Side", NULL, true, es);
	if (es->format == EXPLAIN_FORMAT_TEXT)
	{
		ExplainPropertyText("Side", quote_identifier(name), es);
		es->indent++;
	}
	else
		ExplainPropertyText("Index Name", name, es);

	ExplainPropertyText("Index Cond", cond, es);
	if (es->analyze && counters != NULL)
	{
		ExplainPropertyUInteger("Index Searches", NULL, counters->descents, es);
		ExplainPropertyUInteger("Pages", NULL, counters->pages, es);
		ExplainPropertyUInteger("Steps", NULL, counters->entries, es);
	}

	if (es->format == EXPLAIN_FORMAT_TEXT)
		es->indent--;
	ExplainCloseGroup("Side", NULL, true, es);
}

/*
 * What core does not print for a ZigzagScan by itself: everything but the
 * filter and its count.
 */
void
zz_explain_scan(CustomScanState *css, const ZigzagScanInfo *info,
				const ZigzagCounters *counters, List *ancestors,
				struct ExplainState *es)
{
	bool		useprefix = es->verbose;	/* as core's Index Cond */
	List	   *context = set_deparse_context_plan(es->deparse_cxt,
												   css->ss.ps.plan, ancestors);
	int			i = 0;
	ListCell   *lc;

	explain_key(info, es);
	if (es->format != EXPLAIN_FORMAT_TEXT || info->index_only)
		ExplainPropertyBool("Index Only", info->index_only, es);

	ExplainOpenGroup("Sides", "Sides", false, es);
	foreach(lc, info->sides)
	{
		explain_side(lfirst(lc), counters ? &counters[i] : NULL,
					 context, useprefix, es);
		i++;
	}
	ExplainCloseGroup("Sides", "Sides", false, es);

	if (es->analyze && info->index_only && css->ss.ps.instrument)
		ExplainPropertyFloat("Heap Fetches", NULL,
							 css->ss.ps.instrument->ntuples2, 0, es);
}
