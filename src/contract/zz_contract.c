/*-------------------------------------------------------------------------
 *
 * zz_contract.c
 *	  Encode and decode what travels from the planner to the executor.
 *
 * Layout of a ZigzagScan:
 *
 *	custom_private	(IntList: direction, nsuffix, index_only)
 *					(OidList: one index per side)
 *					(IntList: number of clauses of each side)
 *					(IntList: side of each custom_scan_tlist entry)
 *					(IntList: index column of each custom_scan_tlist entry)
 *	custom_exprs	the clauses of all sides, side by side
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "nodes/pg_list.h"

#include "zz_contract.h"

/*
 * Store info in cscan.  The lists of info are used, not copied; its clauses
 * become members of custom_exprs.
 */
void
zz_scan_info_encode(const ZigzagScanInfo *info, CustomScan *cscan)
{
	List	   *indexes = NIL;
	List	   *nclauses = NIL;
	ListCell   *lc;

	foreach(lc, info->sides)
	{
		ZigzagSideInfo *side = (ZigzagSideInfo *) lfirst(lc);

		indexes = lappend_oid(indexes, side->indexid);
		nclauses = lappend_int(nclauses, list_length(side->clauses));
		cscan->custom_exprs = list_concat(cscan->custom_exprs, side->clauses);
	}

	cscan->custom_private =
		list_make5(list_make3_int((int) info->direction, info->nsuffix,
								  (int) info->index_only),
				   indexes, nclauses,
				   info->value_sides, info->value_columns);
}

/*
 * Rebuild what zz_scan_info_encode was given.  Expressions are those of cscan
 * as they are now: after setrefs.c, in an executor.
 */
ZigzagScanInfo *
zz_scan_info_decode(const CustomScan *cscan)
{
	ZigzagScanInfo *info = palloc0(sizeof(ZigzagScanInfo));
	List	   *head = linitial(cscan->custom_private);
	int			nexpr = 0;
	ListCell   *lcindex;
	ListCell   *lccount;

	info->direction = (ScanDirection) linitial_int(head);
	info->nsuffix = lsecond_int(head);
	info->index_only = (bool) lthird_int(head);
	info->value_sides = lfourth(cscan->custom_private);
	info->value_columns = (List *) list_nth(cscan->custom_private, 4);

	forboth(lcindex, (List *) lsecond(cscan->custom_private),
			lccount, (List *) lthird(cscan->custom_private))
	{
		ZigzagSideInfo *side = palloc(sizeof(ZigzagSideInfo));

		side->indexid = lfirst_oid(lcindex);
		side->clauses = NIL;
		for (int i = 0; i < lfirst_int(lccount); i++)
			side->clauses = lappend(side->clauses,
									list_nth(cscan->custom_exprs, nexpr++));
		info->sides = lappend(info->sides, side);
	}

	return info;
}
