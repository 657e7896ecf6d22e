/*-------------------------------------------------------------------------
 *
 * zz_mark_lookup.h
 *	  The inner rows of a mark join, by which of their keys are NULL.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_MARK_LOOKUP_H
#define ZZ_MARK_LOOKUP_H

#include "access/tupdesc.h"
#include "nodes/pg_list.h"

typedef struct ZigzagMarkLookup ZigzagMarkLookup;

/* What was done, for EXPLAIN. */
typedef struct ZigzagMarkLookupStats
{
	int			patterns;		/* of NULLs, among the inner rows */
	int			tables;			/* hash tables built */
	int			oversized;		/* given up for want of memory */
	uint64		lookups;
	Size		memory;			/* of the tables */
} ZigzagMarkLookupStats;

extern ZigzagMarkLookup *zz_mark_lookup_create(int nkeys, int ncorrelated,
											   TupleDesc desc, List *operators,
											   List *collations);
extern void zz_mark_lookup_reset(ZigzagMarkLookup *lookup);
extern void zz_mark_lookup_add(ZigzagMarkLookup *lookup, Datum *values,
							   bool *nulls);
extern bool zz_mark_lookup_find(ZigzagMarkLookup *lookup, const Datum *values,
								const bool *nulls);
extern void zz_mark_lookup_stats(const ZigzagMarkLookup *lookup,
								 ZigzagMarkLookupStats *stats);
extern void zz_mark_lookup_end(ZigzagMarkLookup *lookup);

#endif							/* ZZ_MARK_LOOKUP_H */
