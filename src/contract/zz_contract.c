/*-------------------------------------------------------------------------
 *
 * zz_contract.c
 *	  Encode and decode what travels from the planner to the executor.
 *
 * Layout of a ZigzagScan:
 *
 *	custom_private	(IntList: direction, nsuffix, index_only)
 *					(OidList: one index per side)
 *					(OidLists: of each side, the types of its values)
 *					(IntList: side of each custom_scan_tlist entry)
 *					(IntList: index column of each custom_scan_tlist entry)
 *	custom_exprs	the clauses of all sides, side by side, then their values;
 *					IS NULL has none, and the type InvalidOid
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "nodes/pg_list.h"
#include "utils/lsyscache.h"

#include "zz_contract.h"

/*
 * The types of the values in clauses, which are appended to *values.
 */
static List *
split_clauses(List *clauses, List **values)
{
	List	   *types = NIL;
	ListCell   *lc;

	foreach(lc, clauses)
	{
		Oid			lefttype;
		Oid			righttype = InvalidOid;

		/* What the operator takes, in case the value is binary-coercible */
		if (IsA(lfirst(lc), OpExpr))
		{
			op_input_types(lfirst_node(OpExpr, lc)->opno, &lefttype, &righttype);
			*values = lappend(*values, copyObject(get_rightop(lfirst(lc))));
		}
		types = lappend_oid(types, righttype);
	}

	return types;
}

/*
 * Store info in cscan.  The lists of info are used, not copied; its clauses
 * become members of custom_exprs.
 */
void
zz_scan_info_encode(const ZigzagScanInfo *info, CustomScan *cscan)
{
	List	   *indexes = NIL;
	List	   *types = NIL;
	List	   *values = NIL;
	ListCell   *lc;

	foreach(lc, info->sides)
	{
		ZigzagSideInfo *side = (ZigzagSideInfo *) lfirst(lc);

		indexes = lappend_oid(indexes, side->indexid);
		types = lappend(types, split_clauses(side->clauses, &values));
		cscan->custom_exprs = list_concat(cscan->custom_exprs, side->clauses);
	}
	cscan->custom_exprs = list_concat(cscan->custom_exprs, values);

	cscan->custom_private =
		list_make5(list_make3_int((int) info->direction, info->nsuffix,
								  (int) info->index_only),
				   indexes, types,
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
	int			nclause = 0;
	int			nvalue = 0;
	ListCell   *lcindex;
	ListCell   *lctypes;
	ListCell   *lc;

	info->direction = (ScanDirection) linitial_int(head);
	info->nsuffix = lsecond_int(head);
	info->index_only = (bool) lthird_int(head);
	info->value_sides = lfourth(cscan->custom_private);
	info->value_columns = (List *) list_nth(cscan->custom_private, 4);

	/* The values begin where the clauses end. */
	foreach(lctypes, (List *) lthird(cscan->custom_private))
		nvalue += list_length(lfirst(lctypes));

	forboth(lcindex, (List *) lsecond(cscan->custom_private),
			lctypes, (List *) lthird(cscan->custom_private))
	{
		ZigzagSideInfo *side = palloc0(sizeof(ZigzagSideInfo));

		side->indexid = lfirst_oid(lcindex);
		side->types = lfirst(lctypes);
		foreach(lc, side->types)
		{
			side->clauses = lappend(side->clauses,
									list_nth(cscan->custom_exprs, nclause++));
			side->values = lappend(side->values, !OidIsValid(lfirst_oid(lc)) ? NULL :
								   list_nth(cscan->custom_exprs, nvalue++));
		}
		info->sides = lappend(info->sides, side);
	}

	return info;
}
