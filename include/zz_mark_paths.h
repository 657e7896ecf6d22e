/*-------------------------------------------------------------------------
 *
 * zz_mark_paths.h
 *	  Paths for the joins that the mark rewriter makes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_MARK_PATHS_H
#define ZZ_MARK_PATHS_H

#include "nodes/pathnodes.h"

/*
 * To be called from set_join_pathlist_hook, for whatever join.  If the join is
 * one of the mark rewriter's, the paths in joinrel that are no MarkJoins of it
 * are removed, and those are added.
 */
extern void zz_mark_paths_add(PlannerInfo *root, RelOptInfo *joinrel,
							  RelOptInfo *outerrel, RelOptInfo *innerrel,
							  JoinType jointype, JoinPathExtraData *extra);

#endif							/* ZZ_MARK_PATHS_H */
