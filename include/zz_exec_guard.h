/*-------------------------------------------------------------------------
 *
 * zz_exec_guard.h
 *	  The NullGuard node, as the node above the join sees it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_EXEC_GUARD_H
#define ZZ_EXEC_GUARD_H

#include "nodes/execnodes.h"

typedef struct ZigzagGuardState ZigzagGuardState;

/* Make the node known by name, once per backend. */
extern void zz_exec_guard_register(void);

/*
 * The guard below the inner side of a hash join just started.  From then on the
 * guard stops the join's outer side when it has seen a NULL: no row of it can
 * come through any more.
 */
extern ZigzagGuardState *zz_guard_attach(PlanState *hashjoin);

/*
 * The join is about to be rescanned: let its outer side be read again.  What the
 * guard has seen stays, unless the join reads the inner side again too.
 */
extern void zz_guard_resume(ZigzagGuardState *guard);

/*
 * What the guard has seen.  Final once the join has returned a row: its hash
 * table is complete then, in all parallel participants.
 */
extern bool zz_guard_saw_row(const ZigzagGuardState *guard);
extern bool zz_guard_saw_null(const ZigzagGuardState *guard);

/* Counts for EXPLAIN, of all participants where they shared the work. */
extern uint64 zz_guard_rows(const ZigzagGuardState *guard);
extern uint64 zz_guard_null_rows(const ZigzagGuardState *guard);

#endif							/* ZZ_EXEC_GUARD_H */
