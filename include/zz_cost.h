/*-------------------------------------------------------------------------
 *
 * zz_cost.h
 *	  What a ZigzagScan costs.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_COST_H
#define ZZ_COST_H

#include "zz_paths.h"

extern void zz_cost_scan(PlannerInfo *root, ZigzagScanPath *path);

#endif							/* ZZ_COST_H */
