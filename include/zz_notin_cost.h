/*-------------------------------------------------------------------------
 *
 * zz_notin_cost.h
 *	  What the planner's estimate for NOT IN leaves out.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_NOTIN_COST_H
#define ZZ_NOTIN_COST_H

#include "nodes/plannodes.h"

/*
 * The cost, beyond what the plan says, of NOT IN over several columns run by
 * hashed subplans.
 */
extern Cost zz_notin_hidden_cost(const PlannedStmt *stmt);

#endif							/* ZZ_NOTIN_COST_H */
