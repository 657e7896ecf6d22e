/*-------------------------------------------------------------------------
 *
 * zz_nonnull.h
 *	  Proofs that an expression of a query is never NULL.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_NONNULL_H
#define ZZ_NONNULL_H

#include "nodes/parsenodes.h"

/*
 * Is expr, an expression of query before planning, not NULL in any row that
 * satisfies quals?  False means only that no proof was found.  Every table of
 * the query must be locked.
 */
extern bool zz_expr_is_nonnull(const Query *query, Node *expr, Node *quals);

#endif							/* ZZ_NONNULL_H */
