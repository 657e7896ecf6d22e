/*-------------------------------------------------------------------------
 *
 * zz_contract_mark.h
 *	  What travels from the planner to the executor for a MarkJoin.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_CONTRACT_MARK_H
#define ZZ_CONTRACT_MARK_H

#include "nodes/pg_list.h"
#include "nodes/plannodes.h"

/* Node names, as EXPLAIN shows them and parallel workers look them up. */
#define ZIGZAG_MARK_JOIN_NAME "MarkJoin"
#define ZIGZAG_MARK_GUARD_NAME "MarkGuard"

/* Most key columns whose NULLs a MarkJoin tells apart: a bit mask has them. */
#define ZIGZAG_MARK_MAX_KEYS	6

/*
 * A MarkJoin: the mark of each outer row, above a left hash join.
 *
 * The join's output has two boolean columns of the inner side: "hit" is true in
 * a row that has a partner, and "miss" what the mark is in a row that has none,
 * for the node to fill in: false or NULL.  The mark is COALESCE(hit, miss).
 */
typedef struct ZigzagMarkInfo
{
	int			id;				/* which sublink of the statement this is */
	bool		three_valued;	/* there is a MarkGuard, and miss is filled in */
	AttrNumber	hit;			/* columns of the join's output, or 0 where */
	AttrNumber	miss;			/* the mark is not asked for */

	/*
	 * Key columns: the first nkeys are compared as IN compares, so that a
	 * NULL makes the answer unknown; a NULL in one of the others means no
	 * match. Operators have the outer value on their left.
	 */
	int			nkeys;
	int			ncorrelated;
	List	   *outer_keys;		/* of Expr *, in terms of the join's output */
	List	   *operators;		/* OIDs */
	List	   *collations;		/* OIDs */
} ZigzagMarkInfo;

extern void zz_mark_info_encode(const ZigzagMarkInfo *info, CustomScan *cscan);
extern ZigzagMarkInfo *zz_mark_info_decode(const CustomScan *cscan);

/*
 * A MarkGuard: what is known of the inner rows, below the hash of a MarkJoin.
 */
typedef struct ZigzagMarkGuardInfo
{
	int			nkeys;
	int			ncorrelated;
	List	   *columns;		/* of int: the key columns in the guard's
								 * input */
} ZigzagMarkGuardInfo;

extern void zz_mark_guard_info_encode(const ZigzagMarkGuardInfo *info, CustomScan *cscan);
extern ZigzagMarkGuardInfo *zz_mark_guard_info_decode(const CustomScan *cscan);

#endif							/* ZZ_CONTRACT_MARK_H */
