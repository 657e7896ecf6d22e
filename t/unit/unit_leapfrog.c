/*-------------------------------------------------------------------------
 *
 * unit_leapfrog.c
 *	  Unit tests of src/core over array cursors, without a server.
 *
 * Every check compares with a brute-force answer on random arrays: any number
 * of cursors, any batch size, keys of a TID alone, of an exact image, and of
 * suffixes that only the comparison callback can tell apart.
 *
 * Usage: unit_leapfrog [seed [rounds]]; prints TAP.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <stdio.h>
#include <stdlib.h>

#include "zz_compat.h"
#include "zz_leapfrog.h"

#define MAX_ENTRIES		4000
#define MAX_CURSORS		8

/* What the core asks of a server: one memory context, reset after each round. */
MemoryContext CurrentMemoryContext = NULL;

static void *chunks[100];
static int	nchunks = 0;

void *
palloc0(Size size)
{
	if (nchunks == lengthof(chunks))
		abort();
	return chunks[nchunks++] = calloc(1, size);
}

void *
palloc(Size size)
{
	return palloc0(size);
}

static void
reset_memory(void)
{
	while (nchunks > 0)
		free(chunks[--nchunks]);
}

#ifdef USE_ASSERT_CHECKING
void
ExceptionalCondition(ZZ_EXCEPTIONAL_CONDITION_PARAMS)
{
	fprintf(stderr, "assertion failed: %s, %s:%d\n",
			conditionName, fileName, lineNumber);
	abort();
}
#endif

/* An entry: suffix of two columns, the second never seen in the image. */
typedef struct Entry
{
	uint64		image;
	uint64		tid;
	int			first;
	int			second;
	bool		first_null;
} Entry;

typedef struct ArrayCursor
{
	ZigzagCursor base;
	Entry		entries[MAX_ENTRIES];
	int			n;
	int			loaded;			/* entries before it are in or before the
								 * batch */
	int			from;			/* first entry of the batch */
	int			batch_size;
	uint64		images[ZIGZAG_MAX_BATCH];
	uint64		tids[ZIGZAG_MAX_BATCH];
	Datum		values[2];
	bool		nulls[2];
} ArrayCursor;

static int
compare_values(void *arg, const Datum *av, const bool *an,
			   const Datum *bv, const bool *bn)
{
	int			nsuffix = *(int *) arg;

	for (int i = 0; i < nsuffix; i++)
	{
		if (an[i] != bn[i])
			return an[i] ? 1 : -1;
		if (!an[i] && av[i] != bv[i])
			return (int) av[i] < (int) bv[i] ? -1 : 1;
	}
	return 0;
}

static void
load(ArrayCursor *c)
{
	int			n = Min(c->batch_size, c->n - c->loaded);

	c->from = c->loaded;
	for (int i = 0; i < n; i++)
	{
		c->images[i] = c->entries[c->from + i].image;
		c->tids[i] = c->entries[c->from + i].tid;
	}
	/* Now and then TIDs are to be had one at a time only. */
	c->base.tids = c->tids;
	if (c->base.space->nsuffix > 0 && random() % 2 == 0)
	{
		c->base.tids = NULL;
		memset(c->tids, 0, sizeof(c->tids));
	}
	c->loaded += n;
	c->base.nentries = n;
	c->base.pos = 0;
	c->base.at_end = n == 0;
}

static void
array_rescan(ZigzagCursor *cursor)
{
	ArrayCursor *c = (ArrayCursor *) cursor;

	c->loaded = c->from = 0;
	cursor->nentries = cursor->pos = 0;
	cursor->at_end = false;
}

static bool
array_next_batch(ZigzagCursor *cursor)
{
	load((ArrayCursor *) cursor);
	return !cursor->at_end;
}

static uint64
array_tid(ZigzagCursor *cursor, int pos)
{
	ArrayCursor *c = (ArrayCursor *) cursor;

	return c->entries[c->from + pos].tid;
}

static void
array_suffix(ZigzagCursor *cursor, int pos, const Datum **values,
			 const bool **nulls)
{
	ArrayCursor *c = (ArrayCursor *) cursor;
	Entry	   *e = &c->entries[c->from + pos];

	c->values[0] = Int32GetDatum(e->first);
	c->nulls[0] = e->first_null;
	c->values[1] = Int32GetDatum(e->second);
	c->nulls[1] = false;
	*values = c->values;
	*nulls = c->nulls;
}

static bool
array_seek(ZigzagCursor *cursor, const ZigzagKey *target)
{
	ArrayCursor *c = (ArrayCursor *) cursor;
	int			jump = random() % 3;

	/* Land somewhere at or before the target, as a cursor may. */
	do
	{
		load(c);
		if (cursor->at_end)
			return false;
	} while (zz_cursor_compare(cursor, cursor->nentries - 1, target) < 0);

	for (int i = 0; i < jump; i++)
		if (cursor->pos + 1 < cursor->nentries &&
			zz_cursor_compare(cursor, cursor->pos, target) < 0)
			cursor->pos++;
	return true;
}

static void
array_close(ZigzagCursor *cursor)
{
	cursor->at_end = true;
}

static const ZigzagCursorMethods array_methods = {
	.rescan = array_rescan,
	.next_batch = array_next_batch,
	.seek = array_seek,
	.tid = array_tid,
	.suffix = array_suffix,
	.close = array_close,
};

static int
compare_entries(const void *pa, const void *pb)
{
	const Entry *a = pa;
	const Entry *b = pb;

	if (a->image != b->image)
		return a->image < b->image ? -1 : 1;
	if (a->first_null != b->first_null)
		return a->first_null ? 1 : -1;
	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	if (a->second != b->second)
		return a->second < b->second ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return 0;
}

/*
 * Random entries within a range of TIDs.  The suffix is a function of the TID,
 * as it is in a table: one row has one value.
 */
static void
fill(ArrayCursor *c, const ZigzagKeySpace *space, int density, int range,
	 int clump)
{
	int			m = 0;

	c->n = 0;
	for (int tid = 1; tid <= range && c->n < MAX_ENTRIES; tid++)
	{
		Entry	   *e = &c->entries[c->n];
		int			h = (int) (((uint32) tid * 2654435761u) >> 8);

		if (clump > 0 ? (tid / clump + density) % 3 != 0 :
			random() % 100 >= density)
			continue;
		memset(e, 0, sizeof(Entry));
		e->tid = tid;
		if (space->nsuffix > 0)
		{
			e->first = h % 50;
			e->first_null = h % 7 == 0;
			if (e->first_null)
				e->first = 0;
			e->second = space->nsuffix > 1 ? h % 11 : 0;
			/* the greatest value collides with NULL, as the greatest bigint */
			e->image = e->first_null || e->first == 49 ? ZIGZAG_IMAGE_MAX :
				space->exact ? e->first + 1 : e->first / 10 + 1;
		}
		c->n++;
	}
	qsort(c->entries, c->n, sizeof(Entry), compare_entries);
	for (int i = 1; i < c->n; i++)
		if (compare_entries(&c->entries[m], &c->entries[i]) != 0)
			c->entries[++m] = c->entries[i];

	c->batch_size = 1 + random() % (random() % 2 ? 10 : ZIGZAG_MAX_BATCH);
}

static bool
contains(const ArrayCursor *c, const Entry *e)
{
	return bsearch(e, c->entries, c->n, sizeof(Entry), compare_entries) != NULL;
}

/*
 * The entries that all arrays have, by brute force.
 */
static int
find_common(ArrayCursor *arrays, int narrays, const Entry **common)
{
	int			n = 0;

	for (int e = 0; e < arrays[0].n; e++)
	{
		bool		in_all = true;

		for (int i = 1; i < narrays; i++)
			in_all &= contains(&arrays[i], &arrays[0].entries[e]);
		if (in_all)
			common[n++] = &arrays[0].entries[e];
	}
	return n;
}

/*
 * Intersect and compare with the common entries: every cursor stands on the
 * match, and what the window says of later ones is so.  With skip, leave out
 * some of those.
 */
static bool
walk(ZigzagLeapfrog *lf, ArrayCursor *arrays, int narrays,
	 const Entry **common, int ncommon, bool skip)
{
	for (int m = 0; m < ncommon; m++)
	{
		int			ahead;

		if (!zz_leapfrog_next(lf))
			return false;
		for (int i = 0; i < narrays; i++)
			if (compare_entries(common[m],
								&arrays[i].entries[arrays[i].from +
												   arrays[i].base.pos]) != 0)
				return false;

		ahead = zz_leapfrog_ahead(lf);
		if (ahead < 0 || ahead >= ncommon - m)
			return false;
		for (int n = 0; n <= ahead; n++)
			if (zz_leapfrog_tid(lf, n) != common[m + n]->tid)
				return false;
		if (skip)
		{
			int			n = random() % (ahead + 1);

			zz_leapfrog_skip(lf, n);
			m += n;
		}
	}

	/* the end, and still the end */
	return !zz_leapfrog_next(lf) && !zz_leapfrog_next(lf);
}

/*
 * One round: intersect and compare, twice (rescan).  Returns the number of
 * common entries, or -1 for a wrong answer.
 */
static int
round_trip(ZigzagKeySpace *space, int ncursors)
{
	static ArrayCursor arrays[MAX_CURSORS];
	ZigzagCursor *cursors[MAX_CURSORS];
	ZigzagLeapfrog *lf;
	int			range = 1 + random() % MAX_ENTRIES;
	int			clump = random() % 3 == 0 ? 1 + random() % 200 : 0;
	static const Entry *common[MAX_ENTRIES];
	int			ncommon;

	for (int i = 0; i < ncursors; i++)
	{
		memset(&arrays[i].base, 0, sizeof(ZigzagCursor));
		arrays[i].base.methods = &array_methods;
		arrays[i].base.space = space;
		arrays[i].base.images = space->nsuffix > 0 ? arrays[i].images : NULL;
		arrays[i].base.tids = arrays[i].tids;
		fill(&arrays[i], space, random() % 101, range, clump);
		cursors[i] = &arrays[i].base;
		zz_cursor_rescan(cursors[i]);
	}
	lf = zz_leapfrog_create(ncursors, cursors);

	ncommon = find_common(arrays, ncursors, common);
	for (int pass = 0; pass < 2; pass++)
	{
		if (!walk(lf, arrays, ncursors, common, ncommon, pass > 0))
			return -1;
		for (int i = 0; i < ncursors; i++)
			zz_cursor_rescan(cursors[i]);
		zz_leapfrog_reset(lf);
	}
	reset_memory();

	return ncommon;
}

static int
check_spaces(const char *name, ZigzagKeySpace *space, int rounds, int *ntest)
{
	int			failed = 0;
	long		common = 0;

	for (int ncursors = 1; ncursors <= MAX_CURSORS; ncursors++)
	{
		bool		ok = true;

		for (int r = 0; r < rounds && ok; r++)
		{
			int			found = round_trip(space, ncursors);

			ok = found >= 0;
			common += Max(found, 0);
		}
		printf("%sok %d - %s, %d cursors\n", ok ? "" : "not ",
			   ++*ntest, name, ncursors);
		failed += !ok;
	}
	if (common == 0)
	{
		printf("# nothing was ever common: the test tests nothing\n");
		failed++;
	}
	return failed;
}

int
main(int argc, char **argv)
{
	unsigned	seed = argc > 1 ? atoi(argv[1]) : 1;
	int			rounds = argc > 2 ? atoi(argv[2]) : 100;
	int			nsuffix1 = 1;
	int			nsuffix2 = 2;
	ZigzagKeySpace none = {0, false, NULL, NULL};
	ZigzagKeySpace exact = {1, true, compare_values, &nsuffix1};
	ZigzagKeySpace inexact = {1, false, compare_values, &nsuffix1};
	ZigzagKeySpace two = {2, false, compare_values, &nsuffix2};
	int			ntest = 0;
	int			failed = 0;

	srandom(seed);
	printf("# seed %u, %d rounds\n", seed, rounds);
	failed += check_spaces("TID alone", &none, rounds, &ntest);
	failed += check_spaces("exact image", &exact, rounds, &ntest);
	failed += check_spaces("inexact image", &inexact, rounds, &ntest);
	failed += check_spaces("two suffix columns", &two, rounds, &ntest);
	printf("1..%d\n", ntest);

	return failed > 0;
}
