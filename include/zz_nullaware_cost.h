/*-------------------------------------------------------------------------
 *
 * zz_nullaware_cost.h
 *	  The cost of a null-aware anti join over patterns of NULLs.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_NULLAWARE_COST_H
#define ZZ_NULLAWARE_COST_H

#include "zz_nullaware_join.h"

/* Fill rows and costs of path. */
extern void zz_cost_nullaware_pattern(PlannerInfo *root,
									  const ZigzagAntiJoin *join,
									  const Path *outer, const Path *inner,
									  Path *path);

#endif							/* ZZ_NULLAWARE_COST_H */
