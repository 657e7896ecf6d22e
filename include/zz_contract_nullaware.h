/*-------------------------------------------------------------------------
 *
 * zz_contract_nullaware.h
 *	  What travels from the planner to the executor for the null-aware anti
 *	  join and its guard.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_CONTRACT_NULLAWARE_H
#define ZZ_CONTRACT_NULLAWARE_H

#include "nodes/pg_list.h"
#include "nodes/plannodes.h"

/* Node names, as EXPLAIN shows them and parallel workers look them up. */
#define ZIGZAG_NULLAWARE_NAME "NullAwareAntiJoin"
#define ZIGZAG_GUARD_NAME "NullGuard"

/* Most keys of strategy PATTERN: null-aware, and plain ones. */
#define ZIGZAG_NULLAWARE_MAX_KEYS 8
#define ZIGZAG_NULLAWARE_MAX_EQUAL 24

typedef enum ZigzagNullAwareStrategy
{
	/*
	 * One key column, nothing else: custom_plans holds core's hash anti join
	 * on x = y, with a NullGuard on the way to its hash table.
	 */
	ZIGZAG_NULLAWARE_VERDICT,

	/*
	 * The same around core's nested loop with an index on y.  custom_plans
	 * holds the join, a plan that returns a row if y is NULL anywhere, and
	 * one that returns a row if there is any.
	 */
	ZIGZAG_NULLAWARE_PROBE,

	/*
	 * Any number of key columns, with further conditions: custom_plans holds
	 * the outer and the inner plan.
	 */
	ZIGZAG_NULLAWARE_PATTERN
} ZigzagNullAwareStrategy;

/*
 * NullAwareAntiJoin.  The expressions live in custom_exprs.
 */
typedef struct ZigzagNullAwareInfo
{
	ZigzagNullAwareStrategy strategy;
	bool		warn_null;		/* tell when a NULL emptied the result */

	/* VERDICT and PROBE */
	Expr	   *outer_key;		/* x */

	/* PATTERN; each is a list of expressions */
	List	   *nullaware;		/* OpExpr x = y, the outer side left */
	List	   *equal;			/* OpExpr, likewise, where NULL never matches */
	List	   *residual;		/* further conditions, on both sides' rows */
	int			nouter;			/* columns of the outer plan, the first ones in
								 * custom_scan_tlist */
	bool		recheck_in_parent;	/* see ZigzagGuardInfo */
} ZigzagNullAwareInfo;

/*
 * NullGuard: hands on its child's rows and looks whether there is any, and
 * whether the key of one is NULL, which ends it.
 */
typedef struct ZigzagGuardInfo
{
	Expr	   *key;			/* y */
	bool		shared;			/* each parallel participant sees only a part
								 * of the rows: what they saw is added up */

	/*
	 * The rows are those of tables that EvalPlanQual would take for empty.
	 * A recheck reads them as the original statement does.
	 */
	bool		recheck_in_parent;
} ZigzagGuardInfo;

/* Fill cscan->custom_private and cscan->custom_exprs. */
extern void zz_nullaware_info_encode(const ZigzagNullAwareInfo *info,
									 CustomScan *cscan);
extern void zz_guard_info_encode(const ZigzagGuardInfo *info, CustomScan *cscan);

/* A new struct in the current context; its expressions are cscan's own. */
extern ZigzagNullAwareInfo *zz_nullaware_info_decode(const CustomScan *cscan);
extern ZigzagGuardInfo *zz_guard_info_decode(const CustomScan *cscan);

#endif							/* ZZ_CONTRACT_NULLAWARE_H */
