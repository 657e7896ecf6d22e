/*-------------------------------------------------------------------------
 *
 * zz_contract.h
 *	  What travels from the planner to the executor, and how it is encoded.
 *
 * A CustomScan may carry only what copyObject and nodeToString know: lists of
 * nodes.  This pair of files is the only place that knows their layout.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_CONTRACT_H
#define ZZ_CONTRACT_H

#include "access/sdir.h"
#include "nodes/pg_list.h"
#include "nodes/plannodes.h"

/* Node names, as EXPLAIN shows them and parallel workers look them up. */
#define ZIGZAG_SCAN_NAME "ZigzagScan"

/*
 * One side of a ZigzagScan: an index, its leading columns bound.
 *
 * clauses holds one node per bound column, in index order, with the index key
 * on the left: OpExpr (key = value), NullTest (key IS NULL).  A boolean column
 * comes as OpExpr too (flag = true).  They are expressions: in a CustomScan
 * they live in custom_exprs, where setrefs.c and the subplan machinery see
 * them, and are handed back here by zz_scan_info_decode.
 */
typedef struct ZigzagSideInfo
{
	Oid			indexid;
	List	   *clauses;

	/*
	 * Set by zz_scan_info_decode: what the columns are bound to, and its type
	 * as the operator takes it; NULL and InvalidOid for IS NULL.  Not to be
	 * taken from the clauses: setrefs.c puts a Var for one that an index
	 * stores the truth of.
	 */
	List	   *values;
	List	   *types;
} ZigzagSideInfo;

typedef struct ZigzagScanInfo
{
	ScanDirection direction;	/* Forward or Backward, for every side */
	int			nsuffix;		/* columns of the zigzag key before the TID */
	List	   *sides;			/* of ZigzagSideInfo *, 2 to ZIGZAG_MAX_SIDES;
								 * the executor starts with the first */

	/*
	 * Index-only: for each entry of custom_scan_tlist, in order, the side and
	 * the index column (1-based) that its value is read from.  Both NIL where
	 * the heap is visited for every row (custom_scan_tlist is NIL then).
	 */
	bool		index_only;
	List	   *value_sides;	/* of int */
	List	   *value_columns;	/* of int */
} ZigzagScanInfo;

/* Fill cscan->custom_private and append to cscan->custom_exprs. */
extern void zz_scan_info_encode(const ZigzagScanInfo *info, CustomScan *cscan);

/* A new ZigzagScanInfo in the current context; its clauses are cscan's own. */
extern ZigzagScanInfo *zz_scan_info_decode(const CustomScan *cscan);

#endif							/* ZZ_CONTRACT_H */
