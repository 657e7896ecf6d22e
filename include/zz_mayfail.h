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

#endif							/* ZZ_MAYFAIL_H */
