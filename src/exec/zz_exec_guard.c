/*-------------------------------------------------------------------------
 *
 * zz_exec_guard.c
 *	  NullGuard: watches the rows that go into a hash table.
 *
 * A hash table does not hold what NOT IN depends on: rows whose key is NULL are
 * not in it, and an empty one looks like one that has no match.  The guard sits
 * between the table and the plan that fills it, lets the rows through untouched
 * and remembers whether it saw any row and whether a key was NULL.
 *
 * The first NULL decides everything: NOT IN is true for no row.  The guard then
 * ends its output, and makes the join's outer side end as well, so that neither
 * side is read any further.
 *
 * In a parallel hash join each participant's guard sees a part of the rows; what
 * they see goes into shared memory.  It is read only by who has got a row from
 * the join, and no participant gets one before all have ended their part of the
 * build.
 *
 * When the join is rescanned, core may keep the hash table.  Then this node is
 * not rescanned either, and what it has seen stays true.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/parallel.h"
#include "executor/executor.h"
#include "nodes/extensible.h"
#include "port/atomics.h"

#include "zz_contract_nullaware.h"
#include "zz_exec_child.h"
#include "zz_exec_guard.h"

typedef struct GuardShared
{
	pg_atomic_uint32 saw_row;
	pg_atomic_uint32 saw_null;
	pg_atomic_uint64 rows;
	pg_atomic_uint64 null_rows;
} GuardShared;

struct ZigzagGuardState
{
	CustomScanState css;
	ZigzagGuardInfo *info;
	PlanState  *child;
	AttrNumber	key_column;		/* of the child's rows, or 0: */
	ExprState  *key;

	uint64		rows;
	uint64		null_rows;
	bool		done;			/* nothing more to come */
	GuardShared *shared;		/* NULL where this guard sees every row */

	PlanState  *outer;			/* the join's other side */
	ExecProcNodeMtd outer_exec; /* its method, while it is stopped */
};

static const CustomExecMethods guard_exec_methods;

static Node *
guard_create(CustomScan *cscan)
{
	ZigzagGuardState *guard =
		(ZigzagGuardState *) newNode(sizeof(ZigzagGuardState),
									 T_CustomScanState);

	guard->css.methods = &guard_exec_methods;
	guard->info = zz_guard_info_decode(cscan);
	return (Node *) guard;
}

static void
guard_begin(CustomScanState *node, EState *estate, int eflags)
{
	ZigzagGuardState *guard = (ZigzagGuardState *) node;
	CustomScan *cscan = (CustomScan *) node->ss.ps.plan;

	guard->child = zz_child_init(node, linitial(cscan->custom_plans), eflags,
								 guard->info->recheck_in_parent);
	guard->key_column = zz_expr_column(guard->info->key);
	if (guard->key_column == 0)
		guard->key = zz_init_scan_expr(node, guard->info->key);

	/* The slots handed on are the child's. */
	node->ss.ps.resultops = ExecGetResultSlotOps(guard->child,
												 &node->ss.ps.resultopsfixed);
	node->ss.ps.resultopsset = true;
}

static TupleTableSlot *
exec_nothing(PlanState *pstate)
{
	return NULL;
}

static void
stop_outer(ZigzagGuardState *guard)
{
	if (guard->outer == NULL || guard->outer_exec != NULL)
		return;
	guard->outer_exec = guard->outer->ExecProcNodeReal;
	ExecSetExecProcNode(guard->outer, exec_nothing);
}

/*
 * No more rows: tell the others what was seen.
 */
static void
finish(ZigzagGuardState *guard)
{
	if (guard->done)
		return;
	guard->done = true;
	if (guard->shared != NULL)
	{
		pg_atomic_fetch_add_u64(&guard->shared->rows, guard->rows);
		pg_atomic_fetch_add_u64(&guard->shared->null_rows, guard->null_rows);
	}
	if (zz_guard_saw_null(guard))
		stop_outer(guard);
}

static bool
key_is_null(ZigzagGuardState *guard, TupleTableSlot *slot)
{
	ExprContext *econtext;
	bool		isnull;

	if (guard->key_column > 0)
		return slot_attisnull(slot, guard->key_column);

	econtext = guard->css.ss.ps.ps_ExprContext;
	ResetExprContext(econtext);
	econtext->ecxt_scantuple = slot;
	(void) ExecEvalExprSwitchContext(guard->key, econtext, &isnull);
	return isnull;
}

static TupleTableSlot *
guard_exec(CustomScanState *node)
{
	ZigzagGuardState *guard = (ZigzagGuardState *) node;
	TupleTableSlot *slot;

	if (guard->done || (guard->shared != NULL && zz_guard_saw_null(guard)))
	{
		finish(guard);
		return NULL;
	}

	slot = ExecProcNode(guard->child);
	if (TupIsNull(slot))
	{
		finish(guard);
		return NULL;
	}

	if (guard->rows++ == 0 && guard->shared != NULL)
		pg_atomic_write_u32(&guard->shared->saw_row, 1);

	if (key_is_null(guard, slot))
	{
		guard->null_rows++;
		if (guard->shared != NULL)
			pg_atomic_write_u32(&guard->shared->saw_null, 1);
		finish(guard);
		return NULL;
	}
	return slot;
}

static void
guard_end(CustomScanState *node)
{
	zz_children_end(node);
}

static void
guard_rescan(CustomScanState *node)
{
	ZigzagGuardState *guard = (ZigzagGuardState *) node;

	guard->rows = 0;
	guard->null_rows = 0;
	guard->done = false;
	zz_child_rescan(node, guard->child);
}

static Size
guard_estimate_dsm(CustomScanState *node, ParallelContext *pcxt)
{
	return sizeof(GuardShared);
}

static void
guard_initialize_dsm(CustomScanState *node, ParallelContext *pcxt,
					 void *coordinate)
{
	ZigzagGuardState *guard = (ZigzagGuardState *) node;
	GuardShared *shared = (GuardShared *) coordinate;

	pg_atomic_init_u32(&shared->saw_row, 0);
	pg_atomic_init_u32(&shared->saw_null, 0);
	pg_atomic_init_u64(&shared->rows, 0);
	pg_atomic_init_u64(&shared->null_rows, 0);
	guard->shared = shared;
}

static void
guard_reinitialize_dsm(CustomScanState *node, ParallelContext *pcxt,
					   void *coordinate)
{
	guard_initialize_dsm(node, pcxt, coordinate);
}

static void
guard_initialize_worker(CustomScanState *node, shm_toc *toc, void *coordinate)
{
	ZigzagGuardState *guard = (ZigzagGuardState *) node;

	guard->shared = (GuardShared *) coordinate;
}

/*
 * Shared memory is about to go: keep what EXPLAIN will ask for.
 */
static void
guard_shutdown(CustomScanState *node)
{
	ZigzagGuardState *guard = (ZigzagGuardState *) node;

	if (guard->shared != NULL)
	{
		GuardShared *shared = guard->shared;

		guard->rows = pg_atomic_read_u64(&shared->rows);
		guard->null_rows = pg_atomic_read_u64(&shared->null_rows);
		guard->done = true;
		guard->shared = NULL;
	}
}

static void
guard_explain(CustomScanState *node, List *ancestors, struct ExplainState *es)
{
	/* NullAwareAntiJoin tells what was seen. */
}

ZigzagGuardState *
zz_guard_attach(PlanState *hashjoin)
{
	PlanState  *node = innerPlanState(hashjoin);

	while (node != NULL)
	{
		if (IsA(node, CustomScanState) &&
			((CustomScanState *) node)->methods == &guard_exec_methods)
		{
			ZigzagGuardState *guard = (ZigzagGuardState *) node;

			guard->outer = outerPlanState(hashjoin);
			return guard;
		}
		node = outerPlanState(node);
	}
	elog(ERROR, "NullGuard not found below hash join");
	return NULL;
}

/*
 * Not left to guard_rescan: that may run as late as in the build of the hash
 * table, and the join may look for a first outer row before.
 */
void
zz_guard_resume(ZigzagGuardState *guard)
{
	if (guard->outer_exec == NULL)
		return;
	ExecSetExecProcNode(guard->outer, guard->outer_exec);
	guard->outer_exec = NULL;
}

bool
zz_guard_saw_row(const ZigzagGuardState *guard)
{
	if (guard->shared != NULL)
		return pg_atomic_read_u32(&guard->shared->saw_row) != 0;
	return guard->rows > 0;
}

bool
zz_guard_saw_null(const ZigzagGuardState *guard)
{
	if (guard->shared != NULL)
		return pg_atomic_read_u32(&guard->shared->saw_null) != 0;
	return guard->null_rows > 0;
}

uint64
zz_guard_rows(const ZigzagGuardState *guard)
{
	return guard->rows;
}

uint64
zz_guard_null_rows(const ZigzagGuardState *guard)
{
	return guard->null_rows;
}

static const CustomExecMethods guard_exec_methods = {
	.CustomName = ZIGZAG_GUARD_NAME,
	.BeginCustomScan = guard_begin,
	.ExecCustomScan = guard_exec,
	.EndCustomScan = guard_end,
	.ReScanCustomScan = guard_rescan,
	.EstimateDSMCustomScan = guard_estimate_dsm,
	.InitializeDSMCustomScan = guard_initialize_dsm,
	.ReInitializeDSMCustomScan = guard_reinitialize_dsm,
	.InitializeWorkerCustomScan = guard_initialize_worker,
	.ShutdownCustomScan = guard_shutdown,
	.ExplainCustomScan = guard_explain,
};

static const CustomScanMethods guard_scan_methods = {
	.CustomName = ZIGZAG_GUARD_NAME,
	.CreateCustomScanState = guard_create,
};

void
zz_exec_guard_register(void)
{
	if (GetCustomScanMethods(ZIGZAG_GUARD_NAME, true) == NULL)
		RegisterCustomScanMethods(&guard_scan_methods);
}
