/*-------------------------------------------------------------------------
 *
 * zz_sublink.h
 *	  What an IN or NOT IN compares, and with rows of what query.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_SUBLINK_H
#define ZZ_SUBLINK_H

#include "nodes/parsenodes.h"

/*
 * The comparisons of an ANY or ALL sublink, one equality (OpExpr, a copy) for each
 * column: hashable, strict, the outer query's side first.  Those of <> ALL are
 * negated.  NIL where the sublink compares in another way.
 */
extern List *zz_sublink_comparisons(const SubLink *sublink);

/*
 * A copy of node, an expression of comparisons, with what the subquery has in its
 * target list in place of the Params that stand for its columns; as_vars: with Vars
 * of relation 1, whose columns those are.
 */
extern Node *zz_sublink_substitute(Node *node, List *targetlist, bool as_vars);

/*
 * Does the WHERE of the subquery decide alone which rows there are, as far as
 * order and duplicates do not matter?
 */
extern bool zz_sublink_is_plain(const Query *subquery);

#endif							/* ZZ_SUBLINK_H */
