/*-------------------------------------------------------------------------
 *
 * zz_hidden_cost.h
 *	  What the planner's estimate for hashed subplans leaves out.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_HIDDEN_COST_H
#define ZZ_HIDDEN_COST_H

#include "nodes/plannodes.h"

/*
 * The cost, beyond what the plan says, of IN and NOT IN over several columns run
 * by hashed subplans.
 */
extern Cost zz_hidden_cost(const PlannedStmt *stmt);

#endif							/* ZZ_HIDDEN_COST_H */
