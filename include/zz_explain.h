/*-------------------------------------------------------------------------
 *
 * zz_explain.h
 *	  EXPLAIN of the nodes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_EXPLAIN_H
#define ZZ_EXPLAIN_H

#include "nodes/execnodes.h"

#include "zz_contract.h"
#include "zz_cursor.h"

struct ExplainState;

/*
 * counters: one per side, or NULL where they are not known.
 */
extern void zz_explain_scan(CustomScanState *css, const ZigzagScanInfo *info,
							const ZigzagCounters *counters,
							List *ancestors, struct ExplainState *es);

#endif							/* ZZ_EXPLAIN_H */
