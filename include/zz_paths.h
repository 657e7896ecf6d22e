/*-------------------------------------------------------------------------
 *
 * zz_paths.h
 *	  ZigzagScan paths, and the plans made of them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_PATHS_H
#define ZZ_PATHS_H

#include "nodes/extensible.h"
#include "nodes/pathnodes.h"

/*
 * cpath.custom_private holds the path itself, to be found also from a copy that
 * the planner has made of cpath alone (reparameterize_path_by_child).
 */
typedef struct ZigzagScanPath
{
	CustomPath	cpath;
	List	   *sides;			/* of ZigzagCandidate, most selective first */
	ScanDirection direction;
	bool		index_only;
	bool		pays;			/* also where everything is in memory? */
} ZigzagScanPath;

extern void zz_paths_add_scans(PlannerInfo *root, RelOptInfo *rel,
							   RangeTblEntry *rte);
extern List *zz_paths_filter(const List *sides, List *rinfos);

#endif							/* ZZ_PATHS_H */
