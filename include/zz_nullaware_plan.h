/*-------------------------------------------------------------------------
 *
 * zz_nullaware_plan.h
 *	  From the paths of the null-aware anti join to its plan nodes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_NULLAWARE_PLAN_H
#define ZZ_NULLAWARE_PLAN_H

#include "nodes/extensible.h"

/*
 * custom_private of these paths is a list of one ZigzagNullAwarePath or
 * ZigzagGuardInfo (zz_contract_nullaware.h); paths are never copied.
 */
typedef struct ZigzagNullAwarePath
{
	struct ZigzagNullAwareInfo *info;
	List	   *filters;		/* RestrictInfos to be applied to the result;
								 * for PATTERN, other strategies leave them to
								 * the join below */
} ZigzagNullAwarePath;

extern const CustomPathMethods zz_nullaware_path_methods;
extern const CustomPathMethods zz_guard_path_methods;

#endif							/* ZZ_NULLAWARE_PLAN_H */
