/*-------------------------------------------------------------------------
 *
 * zz_hash_cost.h
 *	  The cost of core's hash join below our nodes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_HASH_COST_H
#define ZZ_HASH_COST_H

#include "nodes/pathnodes.h"

/*
 * Let no key of the join to come count as too common for memory for the mere
 * reason that there are no statistics of it.  To be called between
 * initial_cost_hashjoin, which fills workspace, and create_hashjoin_path.
 */
extern void zz_hash_cost_without_statistics(PlannerInfo *root,
											List *hashclauses,
											const RelOptInfo *innerrel,
											const JoinCostWorkspace *workspace);

#endif							/* ZZ_HASH_COST_H */
