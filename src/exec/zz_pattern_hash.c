/*-------------------------------------------------------------------------
 *
 * zz_pattern_hash.c
 *	  A set of rows that can be searched by any subset of its columns.
 *
 * (x1, .. xk) NOT IN S is not true if some row of S agrees with x in each
 * column that is NULL in neither of them.  Which columns these are depends on
 * both rows, so one hash table is not enough.  But few sets of NULL columns
 * occur.  The rows are grouped by theirs, the *pattern*; a search goes to each
 * pattern once and there compares the columns that pattern and search have in
 * common, by an *index* over just these columns, which is built when it is
 * first needed:
 *
 *		stored, pattern ab: (1,2) (1,3) (2,2)	pattern a: (7,NULL)
 *		search (1,2):	 ab by index {a,b}, a by index {a}
 *		search (1,NULL): ab by index {a}, a by index {a}
 *		search (NULL,NULL): the first row there is
 *
 * A row is kept once, with the hash value of each column, and an index is two
 * arrays of row numbers: heads by hash value and next ones.  So a further index
 * costs 8 to 12 bytes a row and no call of a hash function.  Core's
 * TupleHashTable holds its rows in itself and would have to copy them for each
 * index; hash functions and comparison are core's.
 *
 * Memory: what the indexes of a row may take is set aside when the row is
 * added, up to RESERVED_INDEXES of them.  With more columns there can be more;
 * then all that can be built again are dropped before the next one.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/datum.h"
#include "utils/memutils.h"

#include "zz_pattern_hash.h"

#define MAX_PATTERNS (1 << ZIGZAG_PATTERN_MAX_NULLABLE)
#define RESERVED_INDEXES 8
#define INDEX_BYTES_PER_ROW 12
#define MIN_BUCKETS 64

/* Hash values, then the values, of all columns follow the struct. */
typedef struct PatternRow
{
	MinimalTuple tuple;
	Datum		values[FLEXIBLE_ARRAY_MEMBER];
} PatternRow;

/* Rows are numbered from 1; 0 ends a chain. */
typedef struct PatternIndex
{
	uint32		mask;			/* nullable columns that are compared */
	uint32		nbuckets;		/* a power of two */
	uint32	   *heads;
	uint32	   *next;			/* by row number - 1 */
} PatternIndex;

typedef struct Pattern
{
	uint32		mask;			/* nullable columns that are not NULL */
	uint32		nrows;
	uint32		maxrows;
	PatternRow **rows;
	PatternIndex unique;		/* over all its columns, to find equal rows;
								 * kept up to date (not with tuples) */
	PatternIndex **indexes;		/* by mask; others, each built over all rows */
} Pattern;

struct ZigzagPatternHash
{
	ZigzagPatternColumn *columns;
	int			nfixed;
	int			ncolumns;
	bool		with_tuples;
	Size		limit;
	Size		reserved;		/* for indexes yet to be built */

	MemoryContext rowcxt;
	MemoryContext indexcxt;
	int			npatterns;
	Pattern    *patterns[MAX_PATTERNS]; /* in order of appearance */
	Pattern    *by_mask[MAX_PATTERNS];

	bool		met[MAX_PATTERNS];
	ZigzagPatternCounters counters;
};

static inline uint32 *
row_hashes(const ZigzagPatternHash *hash, PatternRow *row)
{
	return (uint32 *) &row->values[hash->ncolumns];
}

/*
 * The columns of mask, and the fixed ones, as one hash value.
 */
static inline uint32
combined_hash(const ZigzagPatternHash *hash, const uint32 *hashes, uint32 mask)
{
	uint32		result = 0;

	for (int i = 0; i < hash->ncolumns; i++)
	{
		if (i < hash->nfixed || (mask & (1U << (i - hash->nfixed))) != 0)
			result = hash_combine(result, hashes[i]);
	}
	return murmurhash32(result);
}

static void
create_contexts(ZigzagPatternHash *hash)
{
	Size		largest = ALLOCSET_DEFAULT_MAXSIZE;

	/* Blocks small enough that the last one cannot exceed the limit much. */
	while (largest > hash->limit / 16 && largest > ALLOCSET_SMALL_INITSIZE * 4)
		largest /= 2;

	hash->rowcxt = AllocSetContextCreate(CurrentMemoryContext,
										 "zigzag pattern rows",
										 0, ALLOCSET_SMALL_INITSIZE * 4,
										 largest);
	hash->indexcxt = AllocSetContextCreate(CurrentMemoryContext,
										   "zigzag pattern indexes",
										   0, ALLOCSET_SMALL_INITSIZE * 4,
										   largest);
}

ZigzagPatternHash *
zz_pattern_hash_create(ZigzagPatternColumn *columns, int nfixed, int nnullable,
					   bool with_tuples, Size limit)
{
	ZigzagPatternHash *hash = palloc0(sizeof(ZigzagPatternHash));

	Assert(nnullable <= ZIGZAG_PATTERN_MAX_NULLABLE);
	Assert(nfixed + nnullable <= ZIGZAG_PATTERN_MAX_COLUMNS);
	hash->columns = columns;
	hash->nfixed = nfixed;
	hash->ncolumns = nfixed + nnullable;
	hash->with_tuples = with_tuples;
	hash->limit = limit;
	create_contexts(hash);
	return hash;
}

void
zz_pattern_hash_reset(ZigzagPatternHash *hash)
{
	MemoryContextReset(hash->rowcxt);
	MemoryContextReset(hash->indexcxt);
	hash->reserved = 0;
	hash->npatterns = 0;
	memset(hash->by_mask, 0, sizeof(hash->by_mask));
}

static Size
memory_taken(const ZigzagPatternHash *hash)
{
	return MemoryContextMemAllocated(hash->rowcxt, true) +
		MemoryContextMemAllocated(hash->indexcxt, true);
}

static void
note_memory(ZigzagPatternHash *hash)
{
	hash->counters.memory = Max(hash->counters.memory, memory_taken(hash));
}

static uint32
mask_of(const ZigzagPatternHash *hash, const bool *isnull)
{
	uint32		mask = 0;

	for (int i = hash->nfixed; i < hash->ncolumns; i++)
	{
		if (!isnull[i])
			mask |= 1U << (i - hash->nfixed);
	}
	return mask;
}

static void
compute_hashes(const ZigzagPatternHash *hash, const Datum *values,
			   const bool *isnull, bool outer, uint32 *hashes)
{
	for (int i = 0; i < hash->ncolumns; i++)
	{
		ZigzagPatternColumn *column = &hash->columns[i];

		hashes[i] = isnull[i] ? 0 :
			DatumGetUInt32(FunctionCall1Coll(outer ? &column->hash_outer :
											 &column->hash_inner,
											 column->collation, values[i]));
	}
}

/*
 * Does the row agree with values in the columns of mask and the fixed ones?
 */
static bool
row_agrees(const ZigzagPatternHash *hash, PatternRow *row, uint32 mask,
		   const uint32 *hashes, const Datum *values, bool outer)
{
	const uint32 *rowhashes = row_hashes(hash, row);

	for (int i = 0; i < hash->ncolumns; i++)
	{
		if ((i < hash->nfixed || (mask & (1U << (i - hash->nfixed))) != 0) &&
			rowhashes[i] != hashes[i])
			return false;
	}
	for (int i = 0; i < hash->ncolumns; i++)
	{
		ZigzagPatternColumn *column = &hash->columns[i];

		if ((i < hash->nfixed || (mask & (1U << (i - hash->nfixed))) != 0) &&
			!DatumGetBool(FunctionCall2Coll(outer ? &column->eq_outer_inner :
											&column->eq_inner_inner,
											column->collation,
											values[i], row->values[i])))
			return false;
	}
	return true;
}

static void
index_insert(const ZigzagPatternHash *hash, PatternIndex *index,
			 PatternRow *row, uint32 number)
{
	uint32		bucket = combined_hash(hash, row_hashes(hash, row),
									   index->mask) & (index->nbuckets - 1);

	index->next[number - 1] = index->heads[bucket];
	index->heads[bucket] = number;
}

/*
 * Build index, whose mask is set, over the rows of the pattern; room for as
 * many as the pattern has room for.
 */
static void
index_build(const ZigzagPatternHash *hash, Pattern *pattern,
			PatternIndex *index, MemoryContext cxt)
{
	index->nbuckets = pg_nextpower2_32(Max(pattern->nrows, MIN_BUCKETS));
	index->heads = MemoryContextAllocHuge(cxt, sizeof(uint32) *
										  (Size) index->nbuckets);
	memset(index->heads, 0, sizeof(uint32) * (Size) index->nbuckets);
	index->next = MemoryContextAllocHuge(cxt, sizeof(uint32) *
										 (Size) Max(pattern->maxrows, 1));

	for (uint32 i = 0; i < pattern->nrows; i++)
	{
		index_insert(hash, index, pattern->rows[i], i + 1);
		if ((i & 0xffff) == 0xffff)
			CHECK_FOR_INTERRUPTS();
	}
}

/*
 * The index of the pattern over the columns of mask.
 */
static PatternIndex *
get_index(ZigzagPatternHash *hash, Pattern *pattern, uint32 mask)
{
	PatternIndex *index;
	Size		size;

	if (!hash->with_tuples && mask == pattern->mask)
		return &pattern->unique;
	if (pattern->indexes != NULL && pattern->indexes[mask] != NULL)
		return pattern->indexes[mask];

	size = sizeof(uint32) *
		((Size) pg_nextpower2_32(Max(pattern->nrows, MIN_BUCKETS)) +
		 pattern->maxrows);
	if (memory_taken(hash) + size > hash->limit)
	{
		/* They are built again when they are needed. */
		MemoryContextReset(hash->indexcxt);
		for (int i = 0; i < hash->npatterns; i++)
			hash->patterns[i]->indexes = NULL;
	}

	if (pattern->indexes == NULL)
		pattern->indexes =
			MemoryContextAllocZero(hash->indexcxt, sizeof(PatternIndex *) *
								   (Size) (pattern->mask + 1));
	index = MemoryContextAlloc(hash->indexcxt, sizeof(PatternIndex));
	index->mask = mask;
	index_build(hash, pattern, index, hash->indexcxt);
	pattern->indexes[mask] = index;
	note_memory(hash);
	return index;
}

static Pattern *
get_pattern(ZigzagPatternHash *hash, uint32 mask)
{
	Pattern    *pattern = hash->by_mask[mask];

	if (pattern != NULL)
		return pattern;

	pattern = MemoryContextAllocZero(hash->rowcxt, sizeof(Pattern));
	pattern->mask = mask;
	pattern->maxrows = 16;
	pattern->rows = MemoryContextAlloc(hash->rowcxt, sizeof(PatternRow *) *
									   pattern->maxrows);
	if (!hash->with_tuples)
	{
		pattern->unique.mask = mask;
		index_build(hash, pattern, &pattern->unique, hash->rowcxt);
	}

	hash->by_mask[mask] = pattern;
	hash->patterns[hash->npatterns++] = pattern;
	if (!hash->met[mask])
	{
		hash->met[mask] = true;
		hash->counters.patterns++;
	}
	return pattern;
}

/*
 * Is a row like this stored already?
 */
static bool
is_stored(const ZigzagPatternHash *hash, Pattern *pattern, const Datum *values,
		  const uint32 *hashes)
{
	PatternIndex *index = &pattern->unique;
	uint32		bucket = combined_hash(hash, hashes, index->mask) &
	(index->nbuckets - 1);

	for (uint32 n = index->heads[bucket]; n != 0; n = index->next[n - 1])
	{
		if (row_agrees(hash, pattern->rows[n - 1], pattern->mask, hashes,
					   values, false))
			return true;
	}
	return false;
}

/*
 * Room for one more row.
 */
static void
grow_pattern(ZigzagPatternHash *hash, Pattern *pattern)
{
	if (pattern->nrows < pattern->maxrows)
		return;

	if (pattern->maxrows >= PG_UINT32_MAX / 2)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many rows in a null-aware anti join")));
	pattern->maxrows *= 2;
	pattern->rows = repalloc_huge(pattern->rows, sizeof(PatternRow *) *
								  (Size) pattern->maxrows);
	if (!hash->with_tuples)
	{
		pfree(pattern->unique.heads);
		pfree(pattern->unique.next);
		index_build(hash, pattern, &pattern->unique, hash->rowcxt);
	}
}

bool
zz_pattern_hash_add(ZigzagPatternHash *hash, const Datum *values,
					const bool *isnull, MinimalTuple tuple)
{
	Pattern    *pattern = get_pattern(hash, mask_of(hash, isnull));
	uint32		hashes[ZIGZAG_PATTERN_MAX_COLUMNS];
	PatternRow *row;
	MemoryContext old;

	compute_hashes(hash, values, isnull, false, hashes);
	if (!hash->with_tuples && is_stored(hash, pattern, values, hashes))
		return true;
	if (memory_taken(hash) + hash->reserved > hash->limit &&
		!zz_pattern_hash_is_empty(hash))
		return false;

	old = MemoryContextSwitchTo(hash->rowcxt);
	grow_pattern(hash, pattern);
	row = palloc(offsetof(PatternRow, values) +
				 (sizeof(Datum) + sizeof(uint32)) * hash->ncolumns);
	row->tuple = NULL;
	if (tuple != NULL)
	{
		row->tuple = palloc(tuple->t_len);
		memcpy(row->tuple, tuple, tuple->t_len);
	}
	memcpy(row_hashes(hash, row), hashes, sizeof(uint32) * hash->ncolumns);
	for (int i = 0; i < hash->ncolumns; i++)
		row->values[i] = isnull[i] ? (Datum) 0 :
			datumCopy(values[i], hash->columns[i].inner_byval,
					  hash->columns[i].inner_len);
	MemoryContextSwitchTo(old);

	pattern->rows[pattern->nrows++] = row;
	if (!hash->with_tuples)
		index_insert(hash, &pattern->unique, row, pattern->nrows);

	hash->reserved += INDEX_BYTES_PER_ROW *
		Min(1 << pg_popcount32(pattern->mask), RESERVED_INDEXES);
	note_memory(hash);
	return true;
}

/*
 * Search one pattern.
 */
static bool
search_pattern(ZigzagPatternHash *hash, Pattern *pattern, uint32 mask,
			   const Datum *values, const uint32 *hashes,
			   ZigzagPatternMatch match, void *arg)
{
	PatternIndex *index;
	uint32		number;

	hash->counters.lookups++;
	if (mask + 1 != 1U << (hash->ncolumns - hash->nfixed))
		hash->counters.partial_lookups++;

	if (mask == 0 && hash->nfixed == 0)
	{
		/* Nothing to compare: any row will do. */
		for (uint32 i = 0; i < pattern->nrows; i++)
		{
			if (!hash->with_tuples || match(pattern->rows[i]->tuple, arg))
				return true;
		}
		return false;
	}

	index = get_index(hash, pattern, mask);
	number = index->heads[combined_hash(hash, hashes, mask) &
						  (index->nbuckets - 1)];
	while (number != 0)
	{
		PatternRow *row = pattern->rows[number - 1];

		/* Many rows may share a bucket: all that are equal in these columns. */
		CHECK_FOR_INTERRUPTS();
		if (row_agrees(hash, row, mask, hashes, values, true) &&
			(!hash->with_tuples || match(row->tuple, arg)))
			return true;
		number = index->next[number - 1];
	}
	return false;
}

bool
zz_pattern_hash_search(ZigzagPatternHash *hash, const Datum *values,
					   const bool *isnull, ZigzagPatternMatch match, void *arg)
{
	uint32		present = mask_of(hash, isnull);
	uint32		hashes[ZIGZAG_PATTERN_MAX_COLUMNS];

	if (zz_pattern_hash_is_empty(hash))
		return false;

	compute_hashes(hash, values, isnull, true, hashes);
	for (int i = 0; i < hash->npatterns; i++)
	{
		Pattern    *pattern = hash->patterns[i];

		if (search_pattern(hash, pattern, present & pattern->mask,
						   values, hashes, match, arg))
			return true;
	}
	return false;
}

bool
zz_pattern_hash_is_empty(const ZigzagPatternHash *hash)
{
	for (int i = 0; i < hash->npatterns; i++)
	{
		if (hash->patterns[i]->nrows > 0)
			return false;
	}
	return true;
}

const ZigzagPatternCounters *
zz_pattern_hash_counters(const ZigzagPatternHash *hash)
{
	return &hash->counters;
}
