/*-------------------------------------------------------------------------
 *
 * zz_contract_nullaware.c
 *	  Encode and decode what travels from the planner to the executor for the
 *	  null-aware anti join and its guard.
 *
 * Layout of a NullAwareAntiJoin:
 *
 *	custom_private	(IntList: strategy, warn_null, recheck_in_parent, nouter,
 *					 number of nullaware, of equal, of residual)
 *	custom_exprs	outer_key, or else nullaware, equal, residual
 *
 * Layout of a NullGuard:
 *
 *	custom_private	(IntList: shared, recheck_in_parent)
 *	custom_exprs	key
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "nodes/pg_list.h"

#include "zz_contract_nullaware.h"

void
zz_nullaware_info_encode(const ZigzagNullAwareInfo *info, CustomScan *cscan)
{
	List	   *head = list_make4_int((int) info->strategy,
									  (int) info->warn_null,
									  (int) info->recheck_in_parent,
									  info->nouter);

	head = lappend_int(head, list_length(info->nullaware));
	head = lappend_int(head, list_length(info->equal));
	head = lappend_int(head, list_length(info->residual));
	cscan->custom_private = list_make1(head);

	if (info->strategy == ZIGZAG_NULLAWARE_PATTERN)
	{
		List	   *exprs = list_copy(info->nullaware);

		exprs = list_concat(exprs, info->equal);
		exprs = list_concat(exprs, info->residual);
		cscan->custom_exprs = exprs;
	}
	else
		cscan->custom_exprs = list_make1(info->outer_key);
}

/*
 * The next count expressions of exprs, from *position on.
 */
static List *
take_exprs(List *exprs, int *position, int count)
{
	List	   *result = NIL;

	while (count-- > 0)
		result = lappend(result, list_nth(exprs, (*position)++));
	return result;
}

ZigzagNullAwareInfo *
zz_nullaware_info_decode(const CustomScan *cscan)
{
	ZigzagNullAwareInfo *info = palloc0(sizeof(ZigzagNullAwareInfo));
	List	   *head = linitial(cscan->custom_private);
	int			position = 0;

	info->strategy = (ZigzagNullAwareStrategy) linitial_int(head);
	info->warn_null = (bool) lsecond_int(head);
	info->recheck_in_parent = (bool) lthird_int(head);
	info->nouter = lfourth_int(head);

	if (info->strategy == ZIGZAG_NULLAWARE_PATTERN)
	{
		info->nullaware = take_exprs(cscan->custom_exprs, &position,
									 list_nth_int(head, 4));
		info->equal = take_exprs(cscan->custom_exprs, &position,
								 list_nth_int(head, 5));
		info->residual = take_exprs(cscan->custom_exprs, &position,
									list_nth_int(head, 6));
	}
	else
		info->outer_key = linitial(cscan->custom_exprs);

	return info;
}

void
zz_guard_info_encode(const ZigzagGuardInfo *info, CustomScan *cscan)
{
	cscan->custom_private = list_make1(list_make2_int((int) info->shared,
													  (int) info->recheck_in_parent));
	cscan->custom_exprs = list_make1(info->key);
}

ZigzagGuardInfo *
zz_guard_info_decode(const CustomScan *cscan)
{
	ZigzagGuardInfo *info = palloc0(sizeof(ZigzagGuardInfo));
	List	   *head = linitial(cscan->custom_private);

	info->shared = (bool) linitial_int(head);
	info->recheck_in_parent = (bool) lsecond_int(head);
	info->key = linitial(cscan->custom_exprs);
	return info;
}
