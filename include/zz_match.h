/*-------------------------------------------------------------------------
 *
 * zz_match.h
 *	  Which indexes of a table may be sides of a zigzag.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_MATCH_H
#define ZZ_MATCH_H

#include "nodes/pathnodes.h"

/*
 * A candidate side: a btree index with its leading columns bound.
 */
typedef struct ZigzagCandidate
{
	IndexOptInfo *index;
	int			nfixed;			/* leading columns bound */
	List	   *rinfos;			/* RestrictInfo that binds each */
	List	   *clauses;		/* the same as expressions, index key on the
								 * left: OpExpr or NullTest */
	Bitmapset  *answered;		/* positions in rel->baserestrictinfo: bound,
								 * or implied by the predicate of the index */
	Selectivity selectivity;	/* of the clauses and the predicate together;
								 * set on demand */
} ZigzagCandidate;

extern List *zz_match_candidates(PlannerInfo *root, RelOptInfo *rel);
extern bool zz_match_same_suffix(const ZigzagCandidate *a,
								 const ZigzagCandidate *b);
extern int	zz_match_nsuffix(const ZigzagCandidate *candidate);

#endif							/* ZZ_MATCH_H */
