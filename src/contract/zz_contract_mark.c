/*-------------------------------------------------------------------------
 *
 * zz_contract_mark.c
 *	  Encode and decode what a MarkJoin and its guard are given.
 *
 * Layout of a MarkJoin:
 *
 *	custom_private	(IntList: id, three_valued, hit, miss, nkeys, ncorrelated)
 *					(OidList: operators)
 *					(OidList: collations)
 *	custom_exprs	the outer keys
 *
 * Layout of a MarkGuard:
 *
 *	custom_private	(IntList: nkeys, ncorrelated)
 *					(IntList: columns)
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "zz_contract_mark.h"

/*
 * Store info in cscan.  The lists of info are used, not copied.
 */
void
zz_mark_info_encode(const ZigzagMarkInfo *info, CustomScan *cscan)
{
	List	   *head = list_make4_int(info->id, (int) info->three_valued,
									  info->hit, info->miss);

	head = lappend_int(head, info->nkeys);
	head = lappend_int(head, info->ncorrelated);
	cscan->custom_private = list_make3(head, info->operators, info->collations);
	cscan->custom_exprs = info->outer_keys;
}

/*
 * Rebuild what zz_mark_info_encode was given, in the current context; the outer
 * keys are cscan's own.
 */
ZigzagMarkInfo *
zz_mark_info_decode(const CustomScan *cscan)
{
	ZigzagMarkInfo *info = palloc0(sizeof(ZigzagMarkInfo));
	List	   *head = linitial(cscan->custom_private);

	info->id = linitial_int(head);
	info->three_valued = (bool) lsecond_int(head);
	info->hit = lthird_int(head);
	info->miss = lfourth_int(head);
	info->nkeys = list_nth_int(head, 4);
	info->ncorrelated = list_nth_int(head, 5);
	info->operators = lsecond(cscan->custom_private);
	info->collations = lthird(cscan->custom_private);
	info->outer_keys = cscan->custom_exprs;

	return info;
}

/*
 * Store info in cscan.  The list of info is used, not copied.
 */
void
zz_mark_guard_info_encode(const ZigzagMarkGuardInfo *info, CustomScan *cscan)
{
	cscan->custom_private = list_make2(list_make2_int(info->nkeys,
													  info->ncorrelated),
									   info->columns);
}

/*
 * Rebuild what zz_mark_guard_info_encode was given, in the current context.
 */
ZigzagMarkGuardInfo *
zz_mark_guard_info_decode(const CustomScan *cscan)
{
	ZigzagMarkGuardInfo *info = palloc0(sizeof(ZigzagMarkGuardInfo));
	List	   *head = linitial(cscan->custom_private);

	info->nkeys = linitial_int(head);
	info->ncorrelated = lsecond_int(head);
	info->columns = lsecond(cscan->custom_private);

	return info;
}
