/*-------------------------------------------------------------------------
 *
 * zz_mayfail.h
 *	  Whether an expression may raise an error.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_MAYFAIL_H
#define ZZ_MAYFAIL_H

#include "nodes/parsenodes.h"

/*
 * May node, an expression of query (or a sublink in one, with all that is in
 * it), raise an error?  False is certain.
 */
extern bool zz_may_fail(Node *node, const Query *query);

/*
 * The same of those expressions in a sublink of query that its columns are used
 * in.  The equality of a hash join is taken to be safe.
 */
extern bool zz_correlation_may_fail(SubLink *sublink, const Query *query);

/*
 * The same of those parts of an expression of query that are not made of its
 * columns.  What of a condition of its own is the same for all rows may be
 * evaluated where there is no row: as the bound of an index, or before the scan.
 * Subqueries that are compared with a row are not looked into.
 */
extern bool zz_may_fail_without_row(Node *node, const Query *query);

#endif							/* ZZ_MAYFAIL_H */
