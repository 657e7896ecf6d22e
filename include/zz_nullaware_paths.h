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

/* A null-aware anti join while it is being planned. */
typedef struct ZigzagAntiJoin
{
	RelOptInfo *joinrel;
	RelOptInfo *outerrel;
	RelOptInfo *innerrel;
	JoinPathExtraData *extra;

	List	   *nullaware;		/* of OpExpr, the outer side left */
	List	   *equal;			/* of OpExpr, the outer side left */
	List	   *residual;		/* of Expr */
	List	   *filters;		/* of RestrictInfo: not of the join, but to be
								 * applied to its result */

	bool		rechecks;		/* EvalPlanQual may come upon the inner side */
	bool		one_key;		/* one null-aware clause is all there is, */
	RestrictInfo *key_clause;	/* and this is it, as plain x = y */
} ZigzagAntiJoin;

/*
 * To be called from set_join_pathlist_hook, for whatever join; adds paths to
 * joinrel where the join is one of ours.
 */
extern void zz_nullaware_add_paths(PlannerInfo *root, RelOptInfo *joinrel,
								   RelOptInfo *outerrel, RelOptInfo *innerrel,
								   JoinType jointype, JoinPathExtraData *extra);

#endif							/* ZZ_NULLAWARE_PATHS_H */
