/*-------------------------------------------------------------------------
 *
 * zz_mark_lookup.c
 *	  The inner rows of a mark join, by which of their keys are NULL.
 *
 * An outer row x that equals no inner row has the value NULL for x IN (S) if it
 * is *compatible* with one: each pair of keys is equal or has a NULL in it.  Else
 * the value is false.
 *
 * Inner rows are put into groups by their pattern, the set of keys that are NULL.
 * There are few patterns in practice.  For an outer row with a pattern of its own,
 * the keys that count in a group are those that neither pattern has.  So for each
 * pair of patterns there is a hash table of the group on these keys, built when
 * it is first asked for:
 *
 *	x = (1, NULL)	group of (a, b)		table on a
 *					group of (a, NULL)	table on a
 *					group of (NULL, b)	no key is left: all rows are compatible
 *
 * Correlated keys are in every table; a row with a NULL in one matches nothing
 * and is not kept.  The pair of two empty patterns has been answered by the join.
 *
 * The groups are tuplestores, which go to disk.  The tables are limited to
 * hash_mem together; a pair for which there is no memory is answered by reading
 * the group, each time: slow, but bounded.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/executor.h"
#include "executor/nodeHash.h"
#include "executor/tuptable.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "zz_contract_mark.h"
#include "zz_mark_lookup.h"

#define NPATTERNS (1 << ZIGZAG_MARK_MAX_KEYS)

/* One key column. */
typedef struct LookupKey
{
	FmgrInfo	equal;			/* outer value, inner value */
	FmgrInfo	hash_outer;
	FmgrInfo	hash_inner;
	Oid			collation;
} LookupKey;

typedef struct LookupEntry
{
	struct LookupEntry *next;	/* in its bucket */
	uint32		hash;
	MinimalTuple tuple;
} LookupEntry;

/* The rows of a group by the keys that count for an outer pattern. */
typedef struct LookupTable
{
	struct LookupTable *next;	/* of the same group */
	uint32		outer_pattern;
	bool		oversized;		/* no table: read the group */
	uint32		mask;			/* number of buckets - 1 */
	LookupEntry **buckets;
	MemoryContext context;
} LookupTable;

/* The inner rows with one pattern. */
typedef struct LookupGroup
{
	int64		nrows;
	Tuplestorestate *store;
	LookupTable *tables;
} LookupGroup;

struct ZigzagMarkLookup
{
	int			nkeys;			/* that may be NULL */
	int			ncolumns;		/* with the correlated ones */
	LookupKey  *keys;
	TupleTableSlot *slot;		/* a row of a group */
	TupleTableSlot *entry_slot; /* what a table keeps of it */
	MemoryContext context;		/* everything that a reset throws away */
	MemoryContext scratch;		/* comparisons and hashes */
	Size		memory;			/* of the tables */
	ZigzagMarkLookupStats stats;
	LookupGroup groups[NPATTERNS];
};

/*
 * A lookup without rows, in the current context.  desc describes the inner key
 * columns: nkeys that may be NULL, then the correlated ones.  The operators
 * have the outer value on their left.
 */
ZigzagMarkLookup *
zz_mark_lookup_create(int nkeys, int ncorrelated, TupleDesc desc,
					  List *operators, List *collations)
{
	ZigzagMarkLookup *lookup = palloc0(sizeof(ZigzagMarkLookup));

	Assert(nkeys <= ZIGZAG_MARK_MAX_KEYS);
	lookup->nkeys = nkeys;
	lookup->ncolumns = nkeys + ncorrelated;
	lookup->keys = palloc0(sizeof(LookupKey) * lookup->ncolumns);
	for (int i = 0; i < lookup->ncolumns; i++)
	{
		LookupKey  *key = &lookup->keys[i];
		Oid			operator = list_nth_oid(operators, i);
		RegProcedure outer_hash;
		RegProcedure inner_hash;

		if (!get_op_hash_functions(operator, &outer_hash, &inner_hash))
			elog(ERROR, "could not find hash functions for operator %u", operator);
		fmgr_info(get_opcode(operator), &key->equal);
		fmgr_info(outer_hash, &key->hash_outer);
		fmgr_info(inner_hash, &key->hash_inner);
		key->collation = list_nth_oid(collations, i);
	}

	lookup->slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	lookup->entry_slot = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	lookup->context = AllocSetContextCreate(CurrentMemoryContext,
											"zigzag mark lookup",
											ALLOCSET_DEFAULT_SIZES);
	lookup->scratch = AllocSetContextCreate(CurrentMemoryContext,
											"zigzag mark lookup scratch",
											ALLOCSET_SMALL_SIZES);
	return lookup;
}

/*
 * Forget all rows.
 */
void
zz_mark_lookup_reset(ZigzagMarkLookup *lookup)
{
	ExecClearTuple(lookup->slot);
	for (int pattern = 0; pattern < NPATTERNS; pattern++)
	{
		if (lookup->groups[pattern].store != NULL)
			tuplestore_end(lookup->groups[pattern].store);
	}
	memset(lookup->groups, 0, sizeof(lookup->groups));
	lookup->memory = 0;
	MemoryContextReset(lookup->context);
}

void
zz_mark_lookup_end(ZigzagMarkLookup *lookup)
{
	zz_mark_lookup_reset(lookup);
	ExecDropSingleTupleTableSlot(lookup->slot);
	ExecDropSingleTupleTableSlot(lookup->entry_slot);
	MemoryContextDelete(lookup->context);
	MemoryContextDelete(lookup->scratch);
}

void
zz_mark_lookup_stats(const ZigzagMarkLookup *lookup,
					 ZigzagMarkLookupStats *stats)
{
	*stats = lookup->stats;
	stats->patterns = 0;
	for (int pattern = 0; pattern < NPATTERNS; pattern++)
	{
		if (lookup->groups[pattern].nrows > 0)
			stats->patterns++;
	}
}

/*
 * The pattern of a row, as a bit mask; *useless tells of a NULL in a
 * correlated key.
 */
static uint32
pattern_of(const ZigzagMarkLookup *lookup, const bool *nulls, bool *useless)
{
	uint32		pattern = 0;

	for (int i = 0; i < lookup->nkeys; i++)
	{
		if (nulls[i])
			pattern |= (uint32) 1 << i;
	}
	*useless = false;
	for (int i = lookup->nkeys; i < lookup->ncolumns; i++)
	{
		if (nulls[i])
			*useless = true;
	}
	return pattern;
}

/*
 * Add an inner row.
 */
void
zz_mark_lookup_add(ZigzagMarkLookup *lookup, Datum *values, bool *nulls)
{
	bool		useless;
	uint32		pattern = pattern_of(lookup, nulls, &useless);
	LookupGroup *group = &lookup->groups[pattern];
	MemoryContext old;

	if (useless)
		return;

	old = MemoryContextSwitchTo(lookup->context);
	if (group->store == NULL)
		group->store = tuplestore_begin_heap(false, false, work_mem / 4 + 64);
	tuplestore_putvalues(group->store, lookup->slot->tts_tupleDescriptor,
						 values, nulls);
	group->nrows++;
	MemoryContextSwitchTo(old);
}

/*
 * Does key i count between rows of these two patterns together?
 */
static inline bool
key_counts(const ZigzagMarkLookup *lookup, int i, uint32 patterns)
{
	return i >= lookup->nkeys || (patterns & ((uint32) 1 << i)) == 0;
}

static uint32
hash_row(ZigzagMarkLookup *lookup, const Datum *values, uint32 patterns,
		 bool outer)
{
	uint32		hash = 0;
	MemoryContext old = MemoryContextSwitchTo(lookup->scratch);

	for (int i = 0; i < lookup->ncolumns; i++)
	{
		LookupKey  *key = &lookup->keys[i];

		if (key_counts(lookup, i, patterns))
			hash = hash_combine(hash,
								DatumGetUInt32(FunctionCall1Coll(outer ? &key->hash_outer :
																 &key->hash_inner,
																 key->collation,
																 values[i])));
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(lookup->scratch);
	return murmurhash32(hash);
}

/*
 * Are the keys that count equal?
 */
static bool
rows_equal(ZigzagMarkLookup *lookup, const Datum *outer, const Datum *inner,
		   uint32 patterns)
{
	bool		result = true;
	MemoryContext old = MemoryContextSwitchTo(lookup->scratch);

	for (int i = 0; i < lookup->ncolumns && result; i++)
	{
		LookupKey  *key = &lookup->keys[i];

		if (key_counts(lookup, i, patterns))
			result = DatumGetBool(FunctionCall2Coll(&key->equal, key->collation,
													outer[i], inner[i]));
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(lookup->scratch);
	return result;
}

/*
 * The keys of the current row that count, NULL in place of the others; in the
 * current context.
 */
static MinimalTuple
form_entry(ZigzagMarkLookup *lookup, uint32 patterns)
{
	TupleTableSlot *slot = lookup->entry_slot;

	ExecClearTuple(slot);
	for (int i = 0; i < lookup->ncolumns; i++)
	{
		slot->tts_values[i] = lookup->slot->tts_values[i];
		slot->tts_isnull[i] = !key_counts(lookup, i, patterns);
	}
	ExecStoreVirtualTuple(slot);
	return ExecCopySlotMinimalTuple(slot);
}

/*
 * Put the current row of the slot into a table, unless the very same keys are
 * there: rows that differ in the others only would make long chains of equals.
 */
static void
table_insert(ZigzagMarkLookup *lookup, LookupTable *table, uint32 patterns)
{
	uint32		hash = hash_row(lookup, lookup->slot->tts_values, patterns, false);
	LookupEntry **bucket = &table->buckets[hash & table->mask];
	LookupEntry *entry;
	MinimalTuple tuple;
	MemoryContext old = MemoryContextSwitchTo(lookup->scratch);

	tuple = form_entry(lookup, patterns);
	for (entry = *bucket; entry != NULL; entry = entry->next)
	{
		if (entry->hash == hash && entry->tuple->t_len == tuple->t_len &&
			memcmp(entry->tuple, tuple, tuple->t_len) == 0)
			break;
	}

	if (entry == NULL)
	{
		entry = MemoryContextAlloc(table->context, sizeof(LookupEntry));
		entry->hash = hash;
		entry->tuple = MemoryContextAlloc(table->context, tuple->t_len);
		memcpy(entry->tuple, tuple, tuple->t_len);
		entry->next = *bucket;
		*bucket = entry;
	}
	ExecClearTuple(lookup->entry_slot);
	MemoryContextSwitchTo(old);
	MemoryContextReset(lookup->scratch);
}

/*
 * Build the table of a group for an outer pattern.
 */
static LookupTable *
build_table(ZigzagMarkLookup *lookup, uint32 pattern, uint32 outer_pattern)
{
	LookupGroup *group = &lookup->groups[pattern];
	LookupTable *table;
	Size		limit = get_hash_memory_limit();
	uint32		nbuckets = 64;

	table = MemoryContextAllocZero(lookup->context, sizeof(LookupTable));
	table->outer_pattern = outer_pattern;
	table->next = group->tables;
	group->tables = table;

	while (nbuckets < group->nrows &&
		   lookup->memory + nbuckets * sizeof(LookupEntry *) < limit / 4)
		nbuckets *= 2;
	table->mask = nbuckets - 1;
	table->context = AllocSetContextCreate(lookup->context,
										   "zigzag mark lookup table",
										   ALLOCSET_DEFAULT_SIZES);
	table->buckets = MemoryContextAllocZero(table->context,
											nbuckets * sizeof(LookupEntry *));

	tuplestore_rescan(group->store);
	while (tuplestore_gettupleslot(group->store, true, false, lookup->slot))
	{
		CHECK_FOR_INTERRUPTS();
		slot_getallattrs(lookup->slot);
		table_insert(lookup, table, pattern | outer_pattern);

		if (lookup->memory + MemoryContextMemAllocated(table->context, false) > limit)
		{
			table->oversized = true;
			break;
		}
	}
	ExecClearTuple(lookup->slot);

	if (table->oversized)
	{
		MemoryContextDelete(table->context);
		lookup->stats.oversized++;
	}
	else
	{
		lookup->memory += MemoryContextMemAllocated(table->context, false);
		lookup->stats.memory = Max(lookup->stats.memory, lookup->memory);
		lookup->stats.tables++;
	}
	return table;
}

static LookupTable *
get_table(ZigzagMarkLookup *lookup, uint32 pattern, uint32 outer_pattern)
{
	LookupTable *table;

	for (table = lookup->groups[pattern].tables; table != NULL; table = table->next)
	{
		if (table->outer_pattern == outer_pattern)
			return table;
	}
	return build_table(lookup, pattern, outer_pattern);
}

/*
 * Is there a row in the group whose keys that count are those of values?
 */
static bool
find_in_group(ZigzagMarkLookup *lookup, uint32 pattern, uint32 outer_pattern,
			  const Datum *values)
{
	LookupTable *table = get_table(lookup, pattern, outer_pattern);
	uint32		patterns = pattern | outer_pattern;
	bool		found = false;

	lookup->stats.lookups++;
	if (table->oversized)
	{
		Tuplestorestate *store = lookup->groups[pattern].store;

		tuplestore_rescan(store);
		while (!found &&
			   tuplestore_gettupleslot(store, true, false, lookup->slot))
		{
			CHECK_FOR_INTERRUPTS();
			slot_getallattrs(lookup->slot);
			found = rows_equal(lookup, values, lookup->slot->tts_values, patterns);
		}
	}
	else
	{
		uint32		hash = hash_row(lookup, values, patterns, true);
		LookupEntry *entry;

		for (entry = table->buckets[hash & table->mask];
			 entry != NULL && !found; entry = entry->next)
		{
			if (entry->hash != hash)
				continue;
			ExecStoreMinimalTuple(entry->tuple, lookup->slot, false);
			slot_getallattrs(lookup->slot);
			found = rows_equal(lookup, values, lookup->slot->tts_values, patterns);
		}
	}
	ExecClearTuple(lookup->slot);
	return found;
}

/*
 * Is the outer row, which equals no inner row, compatible with one?
 */
bool
zz_mark_lookup_find(ZigzagMarkLookup *lookup, const Datum *values,
					const bool *nulls)
{
	bool		useless;
	uint32		outer_pattern = pattern_of(lookup, nulls, &useless);
	uint32		all_keys = ((uint32) 1 << lookup->nkeys) - 1;

	if (useless)
		return false;

	for (uint32 pattern = 0; pattern <= all_keys; pattern++)
	{
		if (lookup->groups[pattern].nrows == 0 || (pattern | outer_pattern) == 0)
			continue;
		if ((pattern | outer_pattern) == all_keys &&
			lookup->ncolumns == lookup->nkeys)
			return true;
		if (find_in_group(lookup, pattern, outer_pattern, values))
			return true;
	}
	return false;
}
