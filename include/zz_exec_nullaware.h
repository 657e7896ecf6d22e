/*-------------------------------------------------------------------------
 *
 * zz_exec_nullaware.h
 *	  Entry of the executor side: the NullAwareAntiJoin node.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_EXEC_NULLAWARE_H
#define ZZ_EXEC_NULLAWARE_H

#include "nodes/extensible.h"

#include "zz_contract_nullaware.h"

/* Make the node and its guard known by name, once per backend. */
extern void zz_exec_nullaware_register(void);

/* The state of strategy PATTERN (zz_exec_pattern.c). */
extern Node *zz_pattern_create(ZigzagNullAwareInfo *info);

/* Tell the user, who asked for it, why there are no rows. */
extern void zz_nullaware_report(const ZigzagNullAwareInfo *info);

#endif							/* ZZ_EXEC_NULLAWARE_H */
