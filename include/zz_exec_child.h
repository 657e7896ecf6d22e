/*-------------------------------------------------------------------------
 *
 * zz_exec_child.h
 *	  The child plans of our nodes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_EXEC_CHILD_H
#define ZZ_EXEC_CHILD_H

#include "nodes/execnodes.h"

/*
 * Start a child of node and append it to custom_ps.
 *
 * recheck_in_parent: if this is a recheck by EvalPlanQual, the child belongs to
 * the statement that is rechecked and reads what that reads.
 */
extern PlanState *zz_child_init(CustomScanState *node, Plan *plan, int eflags,
								bool recheck_in_parent);

/* Prepare the child for being read from the start, for the node's ReScan. */
extern void zz_child_rescan(CustomScanState *node, PlanState *child);

/* End all children. */
extern void zz_children_end(CustomScanState *node);

/*
 * The number of the column that expr is, of those of the node's scan tuple, or
 * 0 where it is no plain column.
 */
extern AttrNumber zz_expr_column(Expr *expr);

/*
 * Compile expr to be evaluated on child slots of whatever kind, put into
 * ecxt_scantuple.
 */
extern ExprState *zz_init_scan_expr(CustomScanState *node, Expr *expr);

#endif							/* ZZ_EXEC_CHILD_H */
