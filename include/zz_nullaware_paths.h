/*-------------------------------------------------------------------------
 *
 * zz_nullaware_paths.h
 *	  Paths for anti joins on conditions of the form (x = y) IS NOT FALSE.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_NULLAWARE_PATHS_H
#define ZZ_NULLAWARE_PATHS_H

#include "nodes/pathnodes.h"

/*
 * To be called from set_join_pathlist_hook, for whatever join; adds paths to
 * joinrel where the join is one of ours.
 */
extern void zz_nullaware_add_paths(PlannerInfo *root, RelOptInfo *joinrel,
								   RelOptInfo *outerrel, RelOptInfo *innerrel,
								   JoinType jointype, JoinPathExtraData *extra);

#endif							/* ZZ_NULLAWARE_PATHS_H */
