/*-------------------------------------------------------------------------
 *
 * zz_paths.c
 *	  ZigzagScan paths, and the plans made of them.
 *
 * Candidates that sort their entries in the same way form a group.  In each
 * group sides are taken greedily, most selective first, as long as they answer
 * a restriction that no side taken before does; of the two, three, ... sides so
 * found the cheapest number is offered to add_path, in each direction that is
 * of use.  The work is linear in the number of indexes times the number of
 * groups, which are told apart by comparing a few integers.
 *
 * No path is offered where one index answers all that the sides do: it reads
 * just the common entries.  Only if the zigzag gives an order that the query can
 * use and that index does not is it still offered, for the costs to decide.
 *
 * Every path is an offer; a query that does not qualify keeps its plan.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/sysattr.h"
#include "catalog/pg_am_d.h"
#include "catalog/pg_class.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "utils/rel.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"

#include "zigzag.h"
#include "zz_compat.h"
#include "zz_contract.h"
#include "zz_cost.h"
#include "zz_cursor_btree.h"
#include "zz_match.h"
#include "zz_paths.h"

/* What zigzag.debug_force leaves of the costs of a path. */
#define FORCED_COST		1e-9

/* Where a column of the table is stored: a side and a column of its index. */
typedef struct StoredColumn
{
	int			side;
	int			column;			/* 1-based */
} StoredColumn;

/* ----------------------------------------------------------------
 *		Plans
 * ----------------------------------------------------------------
 */

/*
 * The members of rinfos that remain to be tested on the rows, in their order:
 * neither bound by a side nor implied by the predicate of a side's index.
 *
 * All rows come through every side, so what one side's predicate implies holds.
 * Where rows may be rechecked core itself keeps such clauses in indrestrictinfo.
 */
List *
zz_paths_filter(const List *sides, List *rinfos)
{
	List	   *result = NIL;
	ListCell   *lc;

	foreach(lc, rinfos)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);
		bool		answered = false;
		ListCell   *lc2;

		foreach(lc2, sides)
		{
			ZigzagCandidate *side = lfirst(lc2);

			answered |= list_member_ptr(side->rinfos, rinfo) ||
				(side->index->indpred != NIL &&
				 list_member_ptr(side->index->rel->baserestrictinfo, rinfo) &&
				 !list_member_ptr(side->index->indrestrictinfo, rinfo));
		}
		if (!answered)
			result = lappend(result, rinfo);
	}

	return result;
}

/*
 * Find an index column of a side that stores a column of the table.
 */
static bool
find_stored_column(const List *sides, AttrNumber attno, StoredColumn *stored)
{
	ListCell   *lc;

	stored->side = 0;
	foreach(lc, sides)
	{
		IndexOptInfo *index = ((ZigzagCandidate *) lfirst(lc))->index;

		for (int i = 0; i < index->ncolumns; i++)
		{
			if (index->indexkeys[i] == attno && index->canreturn[i])
			{
				stored->column = i + 1;
				return true;
			}
		}
		stored->side++;
	}

	return false;
}

/*
 * The columns of the table that the plan needs the values of, as attribute
 * numbers offset by FirstLowInvalidHeapAttributeNumber.
 */
static Bitmapset *
needed_columns(const List *sides, RelOptInfo *rel)
{
	Bitmapset  *columns = NULL;
	ListCell   *lc;

	pull_varattnos((Node *) rel->reltarget->exprs, rel->relid, &columns);
	foreach(lc, zz_paths_filter(sides, rel->baserestrictinfo))
		pull_varattnos((Node *) lfirst_node(RestrictInfo, lc)->clause,
					   rel->relid, &columns);

	return columns;
}

/*
 * Can the rows be made from the indexes alone?
 */
static bool
covers_query(const List *sides, RelOptInfo *rel)
{
	Bitmapset  *columns;
	int			member = -1;

	if (!zz_allows_index_only(rel))
		return false;

	columns = needed_columns(sides, rel);
	while ((member = bms_next_member(columns, member)) >= 0)
	{
		AttrNumber	attno = member + FirstLowInvalidHeapAttributeNumber;
		StoredColumn stored;

		/* system columns and whole rows are in no index */
		if (attno <= 0 || !find_stored_column(sides, attno, &stored))
			return false;
	}

	return true;
}

/*
 * Describe the scan tuple of an index-only scan: the columns the query needs,
 * and those that are bound, for EXPLAIN to show their conditions.
 */
static void
build_scan_tuple(const ZigzagScanPath *path, CustomScan *cscan,
				 ZigzagScanInfo *info)
{
	RelOptInfo *rel = path->cpath.path.parent;
	Bitmapset  *columns = needed_columns(path->sides, rel);
	int			member = -1;
	int			nside = 0;
	ListCell   *lc;

	foreach(lc, path->sides)
	{
		ZigzagCandidate *side = lfirst(lc);

		for (int i = 0; i < side->nfixed; i++)
		{
			AttrNumber	attno = side->index->indexkeys[i];
			Node	   *clause = list_nth(side->clauses, i);
			Node	   *key;
			TargetEntry *tle;

			if (attno != 0)
			{
				columns = bms_add_member(columns,
										 attno - FirstLowInvalidHeapAttributeNumber);
				continue;
			}

			/*
			 * The expression as the condition has it: it may differ from the
			 * index's own in a cast that does nothing, and setrefs.c
			 * compares.
			 */
			key = IsA(clause, NullTest) ? (Node *) ((NullTest *) clause)->arg :
				get_leftop(clause);
			tle = makeTargetEntry((Expr *) copyObject(key),
								  list_length(cscan->custom_scan_tlist) + 1,
								  NULL, false);
			cscan->custom_scan_tlist = lappend(cscan->custom_scan_tlist, tle);
			info->value_sides = lappend_int(info->value_sides, nside);
			info->value_columns = lappend_int(info->value_columns, i + 1);
		}
		nside++;
	}

	while ((member = bms_next_member(columns, member)) >= 0)
	{
		AttrNumber	attno = member + FirstLowInvalidHeapAttributeNumber;
		StoredColumn stored;
		IndexOptInfo *index;
		TargetEntry *column;
		TargetEntry *tle;

		if (!find_stored_column(path->sides, attno, &stored))
			elog(ERROR, "column %d is in no index of the ZigzagScan", attno);
		index = ((ZigzagCandidate *) list_nth(path->sides, stored.side))->index;
		column = list_nth_node(TargetEntry, index->indextlist, stored.column - 1);
		tle = makeTargetEntry(copyObject(column->expr),
							  list_length(cscan->custom_scan_tlist) + 1,
							  NULL, false);
		cscan->custom_scan_tlist = lappend(cscan->custom_scan_tlist, tle);
		info->value_sides = lappend_int(info->value_sides, stored.side);
		info->value_columns = lappend_int(info->value_columns, stored.column);
	}
}

/*
 * PlanCustomPath.
 */
static Plan *
plan_scan(PlannerInfo *root, RelOptInfo *rel, CustomPath *best_path,
		  List *tlist, List *clauses, List *custom_plans)
{
	ZigzagScanPath *path = linitial(best_path->custom_private);
	CustomScan *cscan = makeNode(CustomScan);
	ZigzagScanInfo info = {0};
	ListCell   *lc;

	cscan->scan.scanrelid = rel->relid;
	cscan->scan.plan.targetlist = tlist;
	cscan->scan.plan.qual =
		extract_actual_clauses(zz_paths_filter(path->sides, clauses), false);
	cscan->flags = best_path->flags;
	cscan->methods = GetCustomScanMethods(ZIGZAG_SCAN_NAME, false);

	info.direction = path->direction;
	info.nsuffix = zz_match_nsuffix(linitial(path->sides));
	info.index_only = path->index_only;
	foreach(lc, path->sides)
	{
		ZigzagCandidate *candidate = lfirst(lc);
		ZigzagSideInfo *side = palloc(sizeof(ZigzagSideInfo));

		side->indexid = candidate->index->indexoid;
		side->clauses = copyObject(candidate->clauses);
		info.sides = lappend(info.sides, side);
	}
	if (path->index_only)
		build_scan_tuple(path, cscan, &info);
	zz_scan_info_encode(&info, cscan);

	return &cscan->scan.plan;
}

static const CustomPathMethods zz_scan_path_methods = {
	.CustomName = ZIGZAG_SCAN_NAME,
	.PlanCustomPath = plan_scan,
};

/* ----------------------------------------------------------------
 *		Paths
 * ----------------------------------------------------------------
 */

/*
 * The order of the output, as far as the query has a use for it.
 *
 * To build_index_pathkeys the index is shown as if it began behind the bound
 * columns: they are constant, also where no equivalence class says so (IS NULL).
 */
static List *
useful_pathkeys(PlannerInfo *root, RelOptInfo *rel,
				const ZigzagCandidate *side, ScanDirection direction)
{
	IndexOptInfo suffix = *side->index;
	int			nfixed = side->nfixed;
	int			nexprs = 0;

	if (zz_match_nsuffix(side) == 0)
		return NIL;

	for (int i = 0; i < nfixed; i++)
		nexprs += suffix.indexkeys[i] == 0;
	suffix.ncolumns -= nfixed;
	suffix.nkeycolumns -= nfixed;
	suffix.indexkeys += nfixed;
	suffix.indexcollations += nfixed;
	suffix.opfamily += nfixed;
	suffix.opcintype += nfixed;
	suffix.sortopfamily += nfixed;
	suffix.reverse_sort += nfixed;
	suffix.nulls_first += nfixed;
	suffix.indexprs = list_copy_tail(suffix.indexprs, nexprs);
	suffix.indextlist = list_copy_tail(suffix.indextlist, nfixed);

	return truncate_useless_pathkeys(root, rel,
									 build_index_pathkeys(root, &suffix, direction));
}

/*
 * May the index be walked by TID?  It is opened for that, so only indexes that
 * would be part of a path are asked.
 */
static bool
orders_tids(const IndexOptInfo *index)
{
	Relation	relation = index_open(index->indexoid, NoLock);
	bool		result = zz_btree_orders_tids(relation);

	index_close(relation, NoLock);
	return result;
}

/*
 * Does one index answer all that the sides answer, and give the order that they
 * give, if any?
 */
static bool
one_index_answers(PlannerInfo *root, RelOptInfo *rel, const List *candidates,
				  const Bitmapset *answered, ScanDirection direction,
				  List *pathkeys)
{
	ListCell   *lc;

	foreach(lc, candidates)
	{
		const ZigzagCandidate *candidate = lfirst(lc);

		if (bms_is_subset(answered, candidate->answered) &&
			(pathkeys == NIL ||
			 pathkeys_contained_in(pathkeys,
								   useful_pathkeys(root, rel, candidate, direction))))
			return true;
	}
	return false;
}

/*
 * A path over the given sides, with its costs; not yet offered.
 */
static ZigzagScanPath *
create_path(PlannerInfo *root, RelOptInfo *rel, List *sides,
			ScanDirection direction, List *pathkeys)
{
	ZigzagScanPath *path = palloc0(sizeof(ZigzagScanPath));
	CustomPath *cpath = &path->cpath;

	NodeSetTag(cpath, T_CustomPath);
	cpath->path.pathtype = T_CustomScan;
	cpath->path.parent = rel;
	cpath->path.pathtarget = rel->reltarget;
	cpath->path.param_info =
		get_baserel_parampathinfo(root, rel, rel->lateral_relids);
	cpath->path.parallel_aware = false;
	cpath->path.parallel_safe = rel->consider_parallel;
	cpath->path.parallel_workers = 0;
	cpath->path.pathkeys = pathkeys;
	cpath->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	cpath->methods = &zz_scan_path_methods;
	cpath->custom_private = list_make1(path);
	path->sides = sides;
	path->direction = direction;
	path->index_only = covers_query(sides, rel);
	zz_cost_scan(root, path);

	return path;
}

/*
 * Offer a path to add_path.  Under zigzag.debug_force it is made to win, though
 * not over a zigzag that costs less.
 */
static void
offer_path(RelOptInfo *rel, ZigzagScanPath *path)
{
	if (zz_debug_force)
	{
		path->cpath.path.startup_cost *= FORCED_COST;
		path->cpath.path.total_cost *= FORCED_COST;
	}
	add_path(rel, &path->cpath.path);
}

/*
 * Take sides from a group, most selective first, as long as they answer
 * something new.  Returns a list of ZigzagCandidate.
 */
static List *
choose_sides(List *group)
{
	List	   *sides = NIL;
	Bitmapset  *answered = NULL;
	ListCell   *lc;

	foreach(lc, group)
	{
		ZigzagCandidate *candidate = lfirst(lc);

		if (bms_is_subset(candidate->answered, answered) ||
			!orders_tids(candidate->index))
			continue;
		answered = bms_add_members(answered, candidate->answered);
		sides = lappend(sides, candidate);
		if (list_length(sides) == zz_max_sides)
			break;
	}

	return sides;
}

/*
 * Offer the best path over the candidates of one group in one direction.
 */
static void
add_group_path(PlannerInfo *root, RelOptInfo *rel, List *candidates,
			   List *sides, ScanDirection direction, List *pathkeys)
{
	ZigzagScanPath *best = NULL;
	List	   *taken = NIL;
	Bitmapset  *answered = NULL;
	ListCell   *lc;

	foreach(lc, sides)
	{
		ZigzagCandidate *side = lfirst(lc);
		ZigzagScanPath *path;

		taken = lappend(taken, side);
		answered = bms_add_members(answered, side->answered);
		if (list_length(taken) < 2 ||
			one_index_answers(root, rel, candidates, answered, direction, pathkeys))
			continue;

		path = create_path(root, rel, list_copy(taken), direction, pathkeys);
		if (!path->pays && !zz_debug_force)
			continue;
		if (best == NULL || zz_debug_force ||
			path->cpath.path.total_cost < best->cpath.path.total_cost)
			best = path;
	}

	if (best != NULL)
		offer_path(rel, best);
}

static int
compare_selectivity(const ListCell *a, const ListCell *b)
{
	const ZigzagCandidate *ca = lfirst(a);
	const ZigzagCandidate *cb = lfirst(b);

	if (ca->selectivity != cb->selectivity)
		return ca->selectivity < cb->selectivity ? -1 : 1;
	if (ca->nfixed != cb->nfixed)
		return ca->nfixed > cb->nfixed ? -1 : 1;
	return ca->index->pages < cb->index->pages ? -1 :
		ca->index->pages > cb->index->pages;
}

/*
 * Offer the paths over one group of candidates.
 */
static void
add_group_paths(PlannerInfo *root, RelOptInfo *rel, List *candidates,
				List *group)
{
	List	   *sides;
	List	   *pathkeys;
	ListCell   *lc;

	foreach(lc, group)
	{
		ZigzagCandidate *candidate = lfirst(lc);

		candidate->selectivity =
			clauselist_selectivity(root,
								   add_predicate_to_index_quals(candidate->index,
																candidate->rinfos),
								   rel->relid, JOIN_INNER, NULL);
	}
	list_sort(group, compare_selectivity);
	sides = choose_sides(group);
	if (list_length(sides) < 2)
		return;

	pathkeys = useful_pathkeys(root, rel, linitial(sides), ForwardScanDirection);
	add_group_path(root, rel, candidates, sides, ForwardScanDirection, pathkeys);

	pathkeys = useful_pathkeys(root, rel, linitial(sides), BackwardScanDirection);
	if (pathkeys != NIL)
		add_group_path(root, rel, candidates, sides, BackwardScanDirection, pathkeys);
}

/*
 * Is the table a heap?  Of another access method we know neither what a TID
 * tells nor how its visibility is mapped.
 *
 * And are its rows in it?  A table with children that is not taken for one here
 * may be ONLY that table, but TimescaleDB shows its tables in the same way when
 * it is going to put the rows of the chunks in place itself.
 */
static bool
is_heap_with_rows(const RelOptInfo *rel, Oid relid)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	Form_pg_class form;
	bool		result;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for relation %u", relid);
	form = (Form_pg_class) GETSTRUCT(tuple);
	result = form->relam == HEAP_TABLE_AM_OID &&
		(!form->relhassubclass || rel->reloptkind != RELOPT_BASEREL);
	ReleaseSysCache(tuple);

	return result;
}

/*
 * Does a restriction need a TID scan (WHERE CURRENT OF)?
 */
static bool
needs_tid_scan(const RelOptInfo *rel)
{
	ListCell   *lc;

	foreach(lc, rel->baserestrictinfo)
	{
		if (IsA(lfirst_node(RestrictInfo, lc)->clause, CurrentOfExpr))
			return true;
	}
	return false;
}

/*
 * Split candidates into groups of the same suffix: a list of lists.
 */
static List *
group_by_suffix(List *candidates)
{
	List	   *groups = NIL;
	ListCell   *lc;

	foreach(lc, candidates)
	{
		ZigzagCandidate *candidate = lfirst(lc);
		ListCell   *lc2;

		foreach(lc2, groups)
		{
			List	   *group = lfirst(lc2);

			if (zz_match_same_suffix(linitial(group), candidate))
			{
				lfirst(lc2) = lappend(group, candidate);
				break;
			}
		}
		if (lc2 == NULL)
			groups = lappend(groups, list_make1(candidate));
	}

	return groups;
}

/*
 * Offer ZigzagScan paths for rel, a plain table.
 */
void
zz_paths_add_scans(PlannerInfo *root, RelOptInfo *rel, RangeTblEntry *rte)
{
	List	   *candidates = zz_match_candidates(root, rel);
	List	   *core_paths = NIL;
	List	   *core_partial_paths = NIL;
	ListCell   *lc;

	if (list_length(candidates) < 2 || needs_tid_scan(rel) ||
		!is_heap_with_rows(rel, rte->relid))
		return;

	if (zz_debug_force)
	{
		core_paths = rel->pathlist;
		core_partial_paths = rel->partial_pathlist;
		rel->pathlist = rel->partial_pathlist = NIL;
	}

	foreach(lc, group_by_suffix(candidates))
	{
		List	   *group = lfirst(lc);

		if (list_length(group) >= 2)
			add_group_paths(root, rel, candidates, group);
	}

	if (zz_debug_force && rel->pathlist == NIL)
	{
		rel->pathlist = core_paths;
		rel->partial_pathlist = core_partial_paths;
	}
}
