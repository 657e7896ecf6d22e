/*-------------------------------------------------------------------------
 *
 * zz_compat.h
 *	  The differences between the supported servers, in one place.
 *
 * PG_VERSION_NUM appears here and nowhere else.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_COMPAT_H
#define ZZ_COMPAT_H

#if PG_VERSION_NUM < 150000 || PG_VERSION_NUM >= 200000
#error "zigzag supports PostgreSQL 15 to 19"
#endif

/* 18 lets a library tell its name and version. */
#if PG_VERSION_NUM < 180000
#define ZIGZAG_MODULE_MAGIC PG_MODULE_MAGIC
#else
#define ZIGZAG_MODULE_MAGIC \
	PG_MODULE_MAGIC_EXT(.name = "zigzag", .version = ZIGZAG_VERSION)
#endif

/*
 * Descend a btree to the leaf for key, share-locked; 16 added the heap relation,
 * which readers need not give, 17 removed the snapshot, 19 made the stack of
 * parents optional.
 */
#if PG_VERSION_NUM < 160000
#define zz_bt_search(index, key, buf, snapshot) \
	_bt_freestack(_bt_search(index, key, buf, BT_READ, snapshot))
#elif PG_VERSION_NUM < 170000
#define zz_bt_search(index, key, buf, snapshot) \
	_bt_freestack(_bt_search(index, NULL, key, buf, BT_READ, snapshot))
#elif PG_VERSION_NUM < 190000
#define zz_bt_search(index, key, buf, snapshot) \
	_bt_freestack(_bt_search(index, NULL, key, buf, BT_READ))
#else
#define zz_bt_search(index, key, buf, snapshot) \
	((void) _bt_search(index, NULL, key, buf, BT_READ, false))
#endif

/* old_snapshot_threshold was removed in 17. */
#if PG_VERSION_NUM < 170000
#define zz_test_for_old_snapshot(snapshot, rel, page) \
	TestForOldSnapshot(snapshot, rel, page)
#else
#define zz_test_for_old_snapshot(snapshot, rel, page) ((void) 0)
#endif

/* 18 tells the direction of the sort by a flag, not by a btree strategy. */
#if PG_VERSION_NUM < 180000
#define zz_prepare_sort_support_from_index(index, reverse, ssup) \
	PrepareSortSupportFromIndexRel(index, (reverse) ? \
								   BTGreaterStrategyNumber : \
								   BTLessStrategyNumber, ssup)
#else
#define zz_prepare_sort_support_from_index(index, reverse, ssup) \
	PrepareSortSupportFromIndexRel(index, reverse, ssup)
#endif

/* 19 added flags to the index-fetch API. */
#if PG_VERSION_NUM < 190000
#define zz_table_index_fetch_begin(rel)	table_index_fetch_begin(rel)
#else
#define zz_table_index_fetch_begin(rel)	table_index_fetch_begin(rel, SO_NONE)
#endif

/* 19 lets a scan tell that its slots keep to NOT NULL constraints. */
#if PG_VERSION_NUM < 190000
#define zz_init_scan_slot(estate, scanstate, desc, ops) \
	ExecInitScanTupleSlot(estate, scanstate, desc, ops)
#else
#define zz_init_scan_slot(estate, scanstate, desc, ops) \
	ExecInitScanTupleSlot(estate, scanstate, desc, ops, \
						  TTS_FLAG_OBEYS_NOT_NULL_CONSTRAINTS)
#endif

/* What a failed assertion tells; 16 removed the kind of error. */
#if PG_VERSION_NUM < 160000
#define ZZ_EXCEPTIONAL_CONDITION_PARAMS \
	const char *conditionName, const char *errorType, \
	const char *fileName, int lineNumber
#else
#define ZZ_EXCEPTIONAL_CONDITION_PARAMS \
	const char *conditionName, const char *fileName, int lineNumber
#endif

/* 19 wants to know when a tuple descriptor is complete. */
#if PG_VERSION_NUM < 190000
#define zz_tuple_desc_finalize(desc) ((void) 0)
#else
#define zz_tuple_desc_finalize(desc) TupleDescFinalize(desc)
#endif

/* A hint to the processor that memory at p is about to be read. */
#ifdef __GNUC__
#define zz_prefetch_memory(p) __builtin_prefetch(p, 0, 2)
#else
#define zz_prefetch_memory(p) ((void) (p))
#endif

/* Where a relation's file is; 16 renamed it. */
#if PG_VERSION_NUM < 160000
#define zz_relation_locator(rel)	((rel)->rd_node)
#else
#define zz_relation_locator(rel)	((rel)->rd_locator)
#endif

/*
 * Before and after hints are set on a page that is share-locked.  begin: may
 * they be?  19 has another kind of lock for it.
 */
#if PG_VERSION_NUM < 190000
#define zz_begin_hints(buf)		true
#define zz_finish_hints(buf)	MarkBufferDirtyHint(buf, true)
#else
#define zz_begin_hints(buf)		BufferBeginSetHintBits(buf)
#define zz_finish_hints(buf)	BufferFinishSetHintBits(buf, true, true)
#endif

/* 19 asks which kind of nested loop it is. */
#if PG_VERSION_NUM < 190000
#define zz_initial_cost_nestloop(root, workspace, jointype, outer, inner, extra) \
	initial_cost_nestloop(root, workspace, jointype, outer, inner, extra)
#else
#define zz_initial_cost_nestloop(root, workspace, jointype, outer, inner, extra) \
	initial_cost_nestloop(root, workspace, jointype, PGS_NESTLOOP_PLAIN, \
						  outer, inner, extra)
#endif

/* 19 can disable single indexes. */
#if PG_VERSION_NUM < 190000
#define zz_index_is_disabled(index)	false
#else
#define zz_index_is_disabled(index)	((index)->disabled)
#endif

/*
 * May indexes of rel be scanned, and without the table?  enable_indexscan rules
 * both, as in core; 19 keeps what the settings and other libraries say with the
 * relation.
 */
#if PG_VERSION_NUM < 190000
#define zz_allows_index_scan(rel)	enable_indexscan
#define zz_allows_index_only(rel)	enable_indexonlyscan
#else
#define zz_allows_index_scan(rel) \
	(((rel)->pgs_mask & (PGS_INDEXSCAN | PGS_INDEXONLYSCAN)) != 0)
#define zz_allows_index_only(rel) \
	(((rel)->pgs_mask & PGS_CONSIDER_INDEXONLY) != 0)
#endif

/* 18 moved the pieces of EXPLAIN into headers of their own. */
#ifdef ZIGZAG_USES_EXPLAIN
#include "commands/explain.h"
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#endif
#endif

/* The parameters of planner(); 19 lets EXPLAIN look on. */
#if PG_VERSION_NUM < 190000
#define ZZ_PLANNER_PARAMS \
	Query *parse, const char *query_string, int cursorOptions, \
	ParamListInfo boundParams
#define ZZ_PLANNER_ARGS(query) (query), query_string, cursorOptions, boundParams
#else
#define ZZ_PLANNER_PARAMS \
	Query *parse, const char *query_string, int cursorOptions, \
	ParamListInfo boundParams, struct ExplainState *es
#define ZZ_PLANNER_ARGS(query) \
	(query), query_string, cursorOptions, boundParams, es
#endif

/* enable_* settings count the nodes they disable since 18; before, they cost. */
#if PG_VERSION_NUM < 180000
#define zz_plan_disabled_nodes(plan) 0
#else
#define zz_plan_disabled_nodes(plan) ((plan)->disabled_nodes)
#endif

/* A Var says which outer joins may make it NULL, since 16. */
#if PG_VERSION_NUM < 160000
#define zz_set_nulling_rel(var, rti) ((void) (rti))
#else
#define zz_set_nulling_rel(var, rti) \
	((var)->varnullingrels = bms_make_singleton(rti))
#endif

/* Permissions to check stand beside the range table since 16. */
#if PG_VERSION_NUM < 160000
#define zz_copy_perminfos(to, from) ((void) 0)
#define zz_clear_perminfos(query) ((void) 0)
#else
#define zz_copy_perminfos(to, from) \
	((to)->rteperminfos = copyObject((from)->rteperminfos))
#define zz_clear_perminfos(query) ((void) ((query)->rteperminfos = NIL))
#endif

/* 16 removed an argument. */
#if PG_VERSION_NUM < 160000
#define zz_find_placeholder_info(root, phv) \
	find_placeholder_info(root, phv, false)
#else
#define zz_find_placeholder_info(root, phv) find_placeholder_info(root, phv)
#endif

/* A path over another has at least its disabled nodes, since 18. */
#if PG_VERSION_NUM < 180000
#define zz_path_set_disabled_nodes(path, child) ((void) 0)
#else
#define zz_path_set_disabled_nodes(path, child) \
	((path)->disabled_nodes = (child)->disabled_nodes)
#endif

/* A disabled node is worse than any cost, since 18. */
#if PG_VERSION_NUM < 180000
#define zz_path_prohibit(path) ((void) 0)
#else
#define zz_path_prohibit(path) ((path)->disabled_nodes += 1000)
#endif

/* Since 18 a NOT NULL constraint may exist and not be valid. */
#if PG_VERSION_NUM < 180000
#define zz_attribute_is_not_null(desc, attno) \
	(TupleDescAttr(desc, (attno) - 1)->attnotnull)
#else
#define zz_attribute_is_not_null(desc, attno) \
	(TupleDescCompactAttr(desc, (attno) - 1)->attnullability == ATTNULLABLE_VALID)
#endif

/* What makes JSON and takes it apart is a node of its own, since 16 and 17. */
#if PG_VERSION_NUM < 160000
#define zz_is_json_function(node) ((void) (node), false)
#elif PG_VERSION_NUM < 170000
#define zz_is_json_function(node) IsA(node, JsonConstructorExpr)
#else
#define zz_is_json_function(node) \
	(IsA(node, JsonConstructorExpr) || IsA(node, JsonExpr))
#endif

/* A column may be computed whenever it is read, since 18. */
#if PG_VERSION_NUM < 180000
#define zz_column_is_virtual(relid, attno) false
#define zz_has_virtual_columns(desc) false
#else
#define zz_column_is_virtual(relid, attno) \
	(get_attgenerated(relid, attno) == ATTRIBUTE_GENERATED_VIRTUAL)
#define zz_has_virtual_columns(desc) \
	((desc)->constr != NULL && (desc)->constr->has_generated_virtual)
#endif

/*
 * Since 18 the grouping expressions of a query stand in a range table entry of
 * their own, and whatever is computed after grouping refers to it.
 */
#if PG_VERSION_NUM < 180000
#define zz_is_group_rte(rte) ((void) (rte), false)
#define zz_group_exprs(rte) ((void) (rte), NIL)
#define zz_group_set_exprs(rte, exprs) ((void) (exprs))
#else
#define zz_is_group_rte(rte) ((rte)->rtekind == RTE_GROUP)
#define zz_group_exprs(rte) \
	(zz_is_group_rte(rte) ? (rte)->groupexprs : NIL)
#define zz_group_set_exprs(rte, exprs) ((rte)->groupexprs = (exprs))
#endif

/*
 * A RestrictInfo for a join clause of our own making; 16 rebuilt the handling
 * of outer joins.
 */
#if PG_VERSION_NUM < 160000
#define zz_make_join_restrictinfo(root, clause, outer_relids) \
	make_restrictinfo(root, clause, false, false, false, 0, \
					  NULL, outer_relids, NULL)
#else
#define zz_make_join_restrictinfo(root, clause, outer_relids) \
	make_restrictinfo(root, clause, false, false, false, false, 0, \
					  NULL, NULL, outer_relids)
#endif

/* An anti join with its sides swapped exists since 16. */
#if PG_VERSION_NUM < 160000
#define zz_jointype_is_right_anti(jointype) false
#else
#define zz_jointype_is_right_anti(jointype) ((jointype) == JOIN_RIGHT_ANTI)
#endif

/* The conditions of a left join are looked at after WHERE since 16. */
#if PG_VERSION_NUM < 160000
#define ZZ_LEFT_JOIN_QUALS_COME_LAST false
#else
#define ZZ_LEFT_JOIN_QUALS_COME_LAST true
#endif

/* A path counts its disabled nodes since 18. */
#if PG_VERSION_NUM < 180000
#define zz_path_add_disabled_nodes(path, child) ((void) 0)
#else
#define zz_path_add_disabled_nodes(path, child) \
	((void) ((path)->disabled_nodes += (child)->disabled_nodes))
#endif

/* Since 17 a join's CustomPath names the clauses it takes care of. */
#if PG_VERSION_NUM < 170000
#define zz_custom_path_set_restrictinfo(cpath, clauses) ((void) 0)
#else
#define zz_custom_path_set_restrictinfo(cpath, clauses) \
	((void) ((cpath)->custom_restrictinfo = (clauses)))
#endif

#endif							/* ZZ_COMPAT_H */
