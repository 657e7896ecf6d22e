/*-------------------------------------------------------------------------
 *
 * zz_pattern_hash.h
 *	  A set of rows that can be searched by any subset of its columns.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_PATTERN_HASH_H
#define ZZ_PATTERN_HASH_H

#include "access/htup.h"
#include "fmgr.h"

/* Most columns that may be NULL; they are numbered by bits. */
#define ZIGZAG_PATTERN_MAX_NULLABLE 8
#define ZIGZAG_PATTERN_MAX_COLUMNS 32

/*
 * How one column is hashed and compared.  Outer values are looked up, inner
 * values are stored; their types may differ, their hash values agree.
 */
typedef struct ZigzagPatternColumn
{
	FmgrInfo	hash_outer;
	FmgrInfo	hash_inner;
	FmgrInfo	eq_outer_inner;
	FmgrInfo	eq_inner_inner;
	Oid			collation;
	bool		inner_byval;
	int16		inner_len;
} ZigzagPatternColumn;

typedef struct ZigzagPatternHash ZigzagPatternHash;

/*
 * Asked for each stored row that agrees, with the tuple it was stored with;
 * true ends the search.
 */
typedef bool (*ZigzagPatternMatch) (MinimalTuple tuple, void *arg);

/*
 * A new, empty set in a memory context below the current one.  columns (kept,
 * not copied) has nfixed columns that are never NULL and always compared, then
 * nnullable others.  with_tuples: rows are stored with a tuple, all of them;
 * else equal ones once.  limit: bytes it may take.
 */
extern ZigzagPatternHash *zz_pattern_hash_create(ZigzagPatternColumn *columns,
												 int nfixed, int nnullable,
												 bool with_tuples, Size limit);

/* Forget all rows; the counters go on. */
extern void zz_pattern_hash_reset(ZigzagPatternHash *hash);

/*
 * Store a row, copied.  Returns false, and stores nothing, if that would take
 * more memory than allowed and there is a row already.
 */
extern bool zz_pattern_hash_add(ZigzagPatternHash *hash, const Datum *values,
								const bool *isnull, MinimalTuple tuple);

/*
 * Is there a stored row that agrees with the one given in each column that is
 * NULL in neither?  With tuples, match decides in addition.
 */
extern bool zz_pattern_hash_search(ZigzagPatternHash *hash,
								   const Datum *values, const bool *isnull,
								   ZigzagPatternMatch match, void *arg);

extern bool zz_pattern_hash_is_empty(const ZigzagPatternHash *hash);

typedef struct ZigzagPatternCounters
{
	int			patterns;		/* sets of NULL columns met so far */
	uint64		lookups;
	uint64		partial_lookups;
	Size		memory;			/* the most that was taken */
} ZigzagPatternCounters;

extern const ZigzagPatternCounters *zz_pattern_hash_counters(const ZigzagPatternHash *hash);

#endif							/* ZZ_PATTERN_HASH_H */
