/*-------------------------------------------------------------------------
 *
 * zz_nullaware_join.h
 *	  A null-aware anti join while it is being planned.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_NULLAWARE_JOIN_H
#define ZZ_NULLAWARE_JOIN_H

#include "nodes/pathnodes.h"

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

#endif							/* ZZ_NULLAWARE_JOIN_H */
