/*-------------------------------------------------------------------------
 *
 * zz_cost.c
 *	  What a ZigzagScan costs.
 *
 * Work is priced, not output: what the cursors read and compare, then the rows
 * they agree on.  The prices are core's own, so that the estimates compare with
 * core's estimates for its scans:
 *
 *	descents	as in btcostestimate: comparisons down the tree and the handling
 *				of its pages
 *	leaf pages	between random_page_cost and seq_page_cost, the nearer to the
 *				latter the larger a share of the range is read, as
 *				cost_bitmap_heap_scan does for the pages of a table; and the
 *				handling of the page
 *	entries		a small part of cpu_index_tuple_cost: a merge step takes a few
 *				nanoseconds where the unit stands for several tens
 *	heap pages	of the rows that all sides agree on; in TID order, or as far as
 *				the suffix follows the order of the table, the price of a page
 *				falls from random to sequential as in a bitmap heap scan; and
 *				cpu_index_tuple_cost for each visit
 *	rows		cpu_tuple_cost and the filter, as in every scan
 *
 * How much of a side is read depends on the others.  The side with the fewest
 * entries is read whole.  Each of its n entries makes the others seek once at
 * most, so of a side with P leaf pages they touch P * (1 - (1 - 1/P)^n), which
 * is all of it if n is large; and what is touched in isolation takes a descent.
 *
 * These costs are dominated by pages that core's model takes to be on disk.
 * Where all is in memory, the rival to beat is simple: read the leading side and
 * visit the heap for each of its entries.  So a path must also pay in that case:
 * what the other sides have to do, counted in heap visits, must not exceed the
 * heap visits they save, of the rows that the query will ask for.  A path that
 * loses there is not offered, whatever its cost.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/nbtree.h"
#include "catalog/pg_statistic.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/spccache.h"
#include "utils/syscache.h"

#include "zz_cost.h"
#include "zz_match.h"

/* cpu_operator_costs for handling one page, as in btcostestimate. */
#define PAGE_CPU_MULTIPLIER		50.0

/* Parts of cpu_index_tuple_cost for one entry, by what decides its order. */
#define ENTRY_TID				0.10
#define ENTRY_SUFFIX			0.30

/* Entries a cursor loads around a seek that stands alone. */
#define ENTRIES_PER_SEEK		64.0

/* Work in memory as bench/ shows it, in visits of a heap page that is cached. */
#define WARM_STARTUP			10.0	/* cursors, their first pages */
#define WARM_DESCENT			2.5
#define WARM_PAGE				2.0
#define WARM_ENTRY_TID			0.004
#define WARM_ENTRY_SUFFIX		0.012

/* What a side has to do. */
typedef struct SideWork
{
	double		leaf_pages;		/* of its range */
	double		touched;		/* of these, how many are read */
	double		descents;
	double		entries;		/* loaded */
} SideWork;

/*
 * What a side has to do, given the number of seeks the others make it do (the
 * number of its own entries, if it leads).
 */
static SideWork
estimate_work(const ZigzagCandidate *side, double seeks)
{
	IndexOptInfo *index = side->index;
	double		tuples = Max(index->tuples, 1.0);
	double		entries = Min(clamp_row_est(side->selectivity * index->rel->tuples),
							  tuples);
	SideWork	work;

	work.leaf_pages = Max(ceil(entries * index->pages / tuples), 1.0);
	work.touched = work.leaf_pages *
		(1.0 - pow(1.0 - 1.0 / work.leaf_pages, seeks));
	work.touched = Min(Max(work.touched, 1.0), work.leaf_pages);
	work.descents = 1.0 + work.touched * (1.0 - work.touched / work.leaf_pages);
	work.entries = Min(entries, Max(seeks, 1.0) * ENTRIES_PER_SEEK);

	return work;
}

/*
 * What reading a side costs.  *startup is increased by the part that comes
 * before its first entry: a descent and a page, of which a LIMIT saves nothing.
 */
static Cost
cost_side(const ZigzagCandidate *side, const SideWork *work, Cost *startup)
{
	IndexOptInfo *index = side->index;
	double		tuples = Max(index->tuples, 2.0);
	double		random_cost;
	double		seq_cost;
	double		page_cost;
	Cost		descent_cost;
	Cost		entry_cost;

	get_tablespace_page_costs(index->reltablespace, &random_cost, &seq_cost);
	page_cost = random_cost;
	if (work->touched >= 2.0)
		page_cost -= (random_cost - seq_cost) * sqrt(work->touched / work->leaf_pages);
	descent_cost = ceil(log(tuples) / log(2.0)) * cpu_operator_cost +
		(Max(index->tree_height, 0) + 1) * PAGE_CPU_MULTIPLIER * cpu_operator_cost;
	entry_cost = cpu_index_tuple_cost *
		(zz_match_nsuffix(side) == 0 ? ENTRY_TID : ENTRY_SUFFIX);

	page_cost += PAGE_CPU_MULTIPLIER * cpu_operator_cost;

	*startup += descent_cost + page_cost;
	return work->descents * descent_cost + work->touched * page_cost +
		work->entries * entry_cost;
}

/*
 * How far the order of the output follows the order of the table: 1 in TID
 * order, else the square of the correlation of the first suffix column.
 */
static double
order_follows_table(PlannerInfo *root, const ZigzagCandidate *side)
{
	IndexOptInfo *index = side->index;
	RangeTblEntry *rte;
	HeapTuple	tuple;
	AttStatsSlot slot;
	double		correlation = 0.0;

	if (zz_match_nsuffix(side) == 0)
		return 1.0;
	if (index->indexkeys[side->nfixed] == 0)
		return 0.0;

	rte = planner_rt_fetch(index->rel->relid, root);
	tuple = SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(rte->relid),
							Int16GetDatum(index->indexkeys[side->nfixed]),
							BoolGetDatum(false));
	if (!HeapTupleIsValid(tuple))
		return 0.0;
	if (get_attstatsslot(&slot, tuple, STATISTIC_KIND_CORRELATION, InvalidOid,
						 ATTSTATSSLOT_NUMBERS))
	{
		correlation = slot.numbers[0];
		free_attstatsslot(&slot);
	}
	ReleaseSysCache(tuple);

	return correlation * correlation;
}

/*
 * What visiting the heap for that many rows costs: the pages, and the way from
 * each entry to its row, which is what cpu_index_tuple_cost stands for.
 */
static Cost
cost_heap_visits(PlannerInfo *root, const ZigzagScanPath *path, double rows)
{
	RelOptInfo *rel = path->cpath.path.parent;
	double		table_pages = Max(rel->pages, 1.0);
	double		pages;
	double		random_cost;
	double		seq_cost;
	double		ordered_cost;
	double		follows = order_follows_table(root, linitial(path->sides));

	/* Distinct pages, by Mackert and Lohman. */
	pages = Min(2.0 * table_pages * rows / (2.0 * table_pages + rows), table_pages);
	if (path->index_only)
	{
		pages *= 1.0 - rel->allvisfrac;
		rows *= 1.0 - rel->allvisfrac;
	}
	pages = ceil(pages);

	get_tablespace_page_costs(rel->reltablespace, &random_cost, &seq_cost);
	ordered_cost = random_cost;
	if (pages >= 2.0)
		ordered_cost -= (random_cost - seq_cost) * sqrt(pages / table_pages);

	return rows * cpu_index_tuple_cost + follows * pages * ordered_cost +
		(1.0 - follows) * index_pages_fetched(rows, rel->pages, 0, root) * random_cost;
}

/*
 * The part of the rows of path that the query will ask for, as far as that can
 * be told here: one table, and nothing above that needs all rows.
 */
static double
fraction_wanted(PlannerInfo *root, const Path *path)
{
	Query	   *parse = root->parse;

	if (root->tuple_fraction <= 0 ||
		bms_membership(root->all_baserels) != BMS_SINGLETON ||
		parse->groupClause || parse->groupingSets || parse->distinctClause ||
		parse->hasAggs || parse->hasWindowFuncs || parse->hasTargetSRFs ||
		root->hasHavingQual ||
		!pathkeys_contained_in(root->query_pathkeys, path->pathkeys))
		return 1.0;

	if (root->tuple_fraction < 1.0)
		return root->tuple_fraction;
	return Min(root->tuple_fraction / Max(path->rows, 1.0), 1.0);
}

/*
 * Set rows and costs of path, and whether it pays.  Its sides, parent, target
 * and parameters are set already.
 */
void
zz_cost_scan(PlannerInfo *root, ZigzagScanPath *path)
{
	Path	   *p = &path->cpath.path;
	RelOptInfo *rel = p->parent;
	ZigzagCandidate *leader = linitial(path->sides);
	double		lead_entries;
	double		rows;
	double		warm_work = 0;
	double		fraction;
	List	   *bound = NIL;
	QualCost	filter_cost;
	Cost		startup = 0;
	Cost		total = 0;
	ListCell   *lc;

	p->rows = p->param_info ? p->param_info->ppi_rows : rel->rows;

	lead_entries = clamp_row_est(leader->selectivity * rel->tuples);
	foreach(lc, path->sides)
	{
		ZigzagCandidate *side = lfirst(lc);
		SideWork	work = estimate_work(side, lead_entries);

		total += cost_side(side, &work, &startup);
		if (side != leader)
			warm_work += WARM_DESCENT * work.descents +
				WARM_PAGE * work.touched + work.entries *
				(zz_match_nsuffix(side) == 0 ? WARM_ENTRY_TID : WARM_ENTRY_SUFFIX);
		bound = add_predicate_to_index_quals(side->index,
											 list_union_ptr(bound, side->rinfos));
	}

	/* Rows that the sides agree on, before the filter. */
	rows = clauselist_selectivity(root, bound, rel->relid, JOIN_INNER, NULL) *
		rel->tuples;
	rows = Min(clamp_row_est(rows), lead_entries);
	total += cost_heap_visits(root, path, rows);

	warm_work += path->index_only ? rows * (1.0 - rel->allvisfrac) : rows;
	fraction = fraction_wanted(root, p);
	path->pays = WARM_STARTUP + fraction * warm_work <= fraction * lead_entries;

	cost_qual_eval(&filter_cost, zz_paths_filter(path->sides, rel->baserestrictinfo),
				   root);
	total += (cpu_tuple_cost + filter_cost.per_tuple) * rows;
	total += p->pathtarget->cost.per_tuple * p->rows;

	/* The startup of the sides is part of their costs already. */
	filter_cost.startup += p->pathtarget->cost.startup;
	p->startup_cost = startup + filter_cost.startup;
	p->total_cost = total + filter_cost.startup;
}
