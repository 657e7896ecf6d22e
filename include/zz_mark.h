/*-------------------------------------------------------------------------
 *
 * zz_mark.h
 *	  Sublinks whose value is needed, as left joins with a mark.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_MARK_H
#define ZZ_MARK_H

#include "nodes/parsenodes.h"
#include "nodes/plannodes.h"

/*
 * What the path side must know of the inner relation of a mark join.  It is
 * tied to the range table entry, in fields that mean nothing for a subquery, so
 * that no query that a user can write looks like one.
 *
 * Columns of the inner query: nkeys keys, ncorrelated more keys (see
 * zz_contract_mark.h), then columns that other join conditions use, hit, miss.
 */
typedef struct ZigzagMarkTag
{
	int			id;				/* 1, 2, ... in the statement */
	bool		three_valued;
	int			nkeys;
	int			ncorrelated;
	AttrNumber	hit;
	AttrNumber	miss;			/* or 0 */
	AttrNumber	first_key;
	bool		outer_is_left;	/* in the first correlated key */
} ZigzagMarkTag;

extern void zz_mark_tag_set(RangeTblEntry *rte, const ZigzagMarkTag *tag);
extern bool zz_mark_tag_get(const RangeTblEntry *rte, ZigzagMarkTag *tag);

/* A sublink turned into the inner side of a left join. */
typedef struct ZigzagMarkInner
{
	Query	   *query;			/* the inner query */
	List	   *quals;			/* of the join; the inner side is varno rti */
	ZigzagMarkTag tag;
} ZigzagMarkInner;

/* In what circumstances the value of a sublink is asked for. */
typedef struct ZigzagMarkUse
{
	const Query *query;			/* that holds the sublink */
	bool		true_only;		/* NULL will do where FALSE is meant */
	bool		maybe_skipped;	/* AND, OR: it may not be evaluated at all */
	bool		guarded;		/* CASE and the like: it must not be, unless
								 * asked for */
	bool		before_filter;	/* the join may see rows that WHERE removes */
	bool		in_where;		/* else in the target list or HAVING */
} ZigzagMarkUse;

extern bool zz_mark_make_inner(const SubLink *sublink, const ZigzagMarkUse *use,
							   Index rti, ZigzagMarkInner *inner);

#endif							/* ZZ_MARK_H */
