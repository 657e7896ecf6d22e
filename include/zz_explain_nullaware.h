/*-------------------------------------------------------------------------
 *
 * zz_explain_nullaware.h
 *	  EXPLAIN of the NullAwareAntiJoin node.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_EXPLAIN_NULLAWARE_H
#define ZZ_EXPLAIN_NULLAWARE_H

#include "nodes/execnodes.h"

#include "zz_contract_nullaware.h"

struct ExplainState;

/* What a NullAwareAntiJoin did; a negative count is not known. */
typedef struct ZigzagNullAwareCounters
{
	bool		ended_at_null;
	int64		inner_rows;
	int64		inner_null_rows;

	/* PATTERN only */
	int64		patterns;
	int64		lookups;
	int64		partial_lookups;	/* of them, on some of the columns only */
	int64		memory;			/* bytes, at most */
	int64		batches;
} ZigzagNullAwareCounters;

/* counters: NULL where the node has not run. */
extern void zz_explain_nullaware(CustomScanState *css,
								 const ZigzagNullAwareInfo *info,
								 const ZigzagNullAwareCounters *counters,
								 List *ancestors, struct ExplainState *es);

#endif							/* ZZ_EXPLAIN_NULLAWARE_H */
