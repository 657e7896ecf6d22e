/*-------------------------------------------------------------------------
 *
 * zz_nullaware_index.h
 *	  Answer a NOT IN from an index on the inner column.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_NULLAWARE_INDEX_H
#define ZZ_NULLAWARE_INDEX_H

#include "zz_nullaware_join.h"

typedef struct ZigzagIndexProbes
{
	Path	   *equal;			/* rows with y = x, parameterized by x */
	Path	   *null;			/* rows with y IS NULL */
	Path	   *any;			/* all rows, of which one is wanted */
} ZigzagIndexProbes;

/*
 * The probes for a join on one null-aware key, outer_rows times executed;
 * false where the inner side is no plain table with a suitable index.
 */
extern bool zz_nullaware_find_index(PlannerInfo *root,
									const ZigzagAntiJoin *join,
									double outer_rows,
									ZigzagIndexProbes *probes);

#endif							/* ZZ_NULLAWARE_INDEX_H */
