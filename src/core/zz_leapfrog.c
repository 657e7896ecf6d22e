/*-------------------------------------------------------------------------
 *
 * zz_leapfrog.c
 *	  Intersect N sorted cursors, window by window.
 *
 * The textbook leapfrog (Veldhuizen, "Leapfrog Triejoin", 2014) moves one
 * cursor by one seek at a time.  Here every cursor holds a batch, a stretch of
 * its entries in memory, and the work is done on stretches:
 *
 *	1. Align.  low is the greatest of the cursors' current keys: nothing before
 *	   it can be common.  A cursor whose batch ends before low seeks there, and
 *	   may land beyond it, which raises low; until every batch reaches low.
 *	2. Cut a window.  high is the least of the batches' last keys.  [low, high]
 *	   is a range of keys that every batch covers entirely.
 *	3. Intersect the window.  What is not in it is in no later window either.
 *	4. Every cursor continues behind high.
 *
 * For example, with batches in brackets:
 *
 *		A	[ 1  2  3  7 ]  8 ...
 *		B	[ 3  4  5  7  9 ]  ...
 *		C	[ 1  3 ]  [ 6  7  8 ] ...
 *
 * low is 3, every batch reaches it, high is 3 (the end of C's batch): the
 * window yields 3.  A continues at 7, B at 4, and C, whose batch is used up,
 * seeks to 7, since nothing common is left before it.  high is now 7, the end
 * of A's batch.
 *
 * A window costs a number of steps linear in the entries the cursors have
 * loaded, or logarithmic in the longer side where one is much shorter.  So the
 * whole never costs more than merging the lists: loading the entries is the
 * larger part, and the cursors skip what lies before low without loading it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "zz_leapfrog.h"

/* Search the longer side if it is this many times longer, else merge. */
#define SEARCH_RATIO	12

/* The part of one cursor's batch that lies in the window. */
typedef struct Stretch
{
	ZigzagCursor *cursor;
	int			from;
	int			to;				/* first position behind the window */
	uint16	   *matches;		/* position of each match of the window */
} Stretch;

/* A key that outlives the cursor's next suffix: its datums are copied. */
typedef struct HeldKey
{
	ZigzagKey	key;
	Datum	   *values;
	bool	   *nulls;
} HeldKey;

struct ZigzagLeapfrog
{
	int			nstretches;
	const ZigzagKeySpace *space;
	int			nmatches;		/* matches of the window */
	int			next;			/* first of them not handed out */
	uint64		window;			/* number of windows cut */
	Stretch    *stretches;		/* as the caller gave the cursors */
	Stretch   **by_length;		/* the same, shortest stretch first */
	HeldKey		low;			/* first and last key of the window */
	HeldKey		high;
};

static void
create_held_key(HeldKey *held, int nsuffix)
{
	held->values = palloc(Max(nsuffix, 1) * sizeof(Datum));
	held->nulls = palloc(Max(nsuffix, 1) * sizeof(bool));
}

/*
 * Hold the key of the entry at pos.  What its datums point to is the cursor's,
 * valid until the cursor moves.
 */
static void
hold_key(HeldKey *held, ZigzagCursor *cursor, int pos)
{
	int			nsuffix = cursor->space->nsuffix;

	zz_cursor_key(cursor, pos, &held->key);
	if (nsuffix > 0)
	{
		memcpy(held->values, held->key.values, nsuffix * sizeof(Datum));
		memcpy(held->nulls, held->key.nulls, nsuffix * sizeof(bool));
		held->key.values = held->values;
		held->key.nulls = held->nulls;
	}
}

/*
 * A leapfrog over cursors, which share one key space and stay the caller's.
 * All memory in the current context, none later.
 */
ZigzagLeapfrog *
zz_leapfrog_create(int ncursors, ZigzagCursor **cursors)
{
	ZigzagLeapfrog *lf = palloc0(sizeof(ZigzagLeapfrog));

	Assert(ncursors > 0);

	lf->nstretches = ncursors;
	lf->space = cursors[0]->space;
	lf->stretches = palloc0(ncursors * sizeof(Stretch));
	lf->by_length = palloc0(ncursors * sizeof(Stretch *));
	for (int i = 0; i < ncursors; i++)
	{
		Assert(cursors[i]->space == lf->space);
		lf->stretches[i].cursor = cursors[i];
		lf->stretches[i].matches = palloc(ZIGZAG_MAX_BATCH * sizeof(uint16));
		lf->by_length[i] = &lf->stretches[i];
	}
	create_held_key(&lf->low, lf->space->nsuffix);
	create_held_key(&lf->high, lf->space->nsuffix);

	return lf;
}

/*
 * Forget the window; the caller has rescanned every cursor.
 */
void
zz_leapfrog_reset(ZigzagLeapfrog *lf)
{
	lf->nmatches = 0;
	lf->next = 0;
	lf->window++;
	for (int i = 0; i < lf->nstretches; i++)
		lf->stretches[i].from = lf->stretches[i].to = 0;
}

/*
 * Number of the present window.  While it stays the same, no cursor has loaded
 * anything.
 */
uint64
zz_leapfrog_window(const ZigzagLeapfrog *lf)
{
	return lf->window;
}

int
zz_leapfrog_ahead(const ZigzagLeapfrog *lf)
{
	return lf->nmatches - lf->next;
}

uint64
zz_leapfrog_tid(const ZigzagLeapfrog *lf, int n)
{
	const Stretch *s = &lf->stretches[0];

	Assert(lf->next > 0 && lf->next - 1 + n < lf->nmatches);
	return s->cursor->tids[s->matches[lf->next - 1 + n]];
}

void
zz_leapfrog_skip(ZigzagLeapfrog *lf, int n)
{
	Assert(n >= 0 && n <= zz_leapfrog_ahead(lf));
	lf->next += n;
}

/*
 * Step 1: bring every cursor to a batch that reaches low, the greatest of their
 * current keys.  False: some cursor is at its end, nothing common is left.
 *
 * The datums of low point into the batch of the cursor it was taken from.  That
 * cursor does not move while low is its key: its batch reaches low.
 */
static bool
align(ZigzagLeapfrog *lf)
{
	ZigzagKey  *low = &lf->low.key;
	bool		is_set = false;
	int			reached = 0;	/* cursors in a row known to reach low */

	for (int i = 0; i < lf->nstretches; i++)
	{
		ZigzagCursor *cursor = lf->stretches[i].cursor;

		if (cursor->pos < cursor->nentries &&
			(!is_set || zz_cursor_compare(cursor, cursor->pos, low) > 0))
		{
			hold_key(&lf->low, cursor, cursor->pos);
			is_set = true;
		}
	}

	/* Every batch is used up: the cursor with the fewest entries leads. */
	if (!is_set)
	{
		ZigzagCursor *cursor = lf->by_length[0]->cursor;

		if (cursor->at_end || !cursor->methods->next_batch(cursor))
			return false;
		hold_key(&lf->low, cursor, cursor->pos);
	}

	for (int i = 0; reached < lf->nstretches; i = (i + 1) % lf->nstretches)
	{
		ZigzagCursor *cursor = lf->stretches[i].cursor;

		reached++;
		if (cursor->pos < cursor->nentries &&
			zz_cursor_compare(cursor, cursor->nentries - 1, low) >= 0)
			continue;

		if (!zz_cursor_seek(cursor, low))
			return false;
		if (zz_cursor_compare(cursor, cursor->pos, low) > 0)
		{
			hold_key(&lf->low, cursor, cursor->pos);
			reached = 1;
		}
	}

	return true;
}

/*
 * Sort the stretches, shortest first.  They are few, and mostly sorted already.
 */
static void
sort_by_length(ZigzagLeapfrog *lf)
{
	for (int i = 1; i < lf->nstretches; i++)
	{
		Stretch    *s = lf->by_length[i];
		int			length = s->to - s->from;
		int			j = i;

		for (; j > 0; j--)
		{
			Stretch    *before = lf->by_length[j - 1];

			if (before->to - before->from <= length)
				break;
			lf->by_length[j] = before;
		}
		lf->by_length[j] = s;
	}
}

/*
 * Step 2: cut the stretches of the window [low, high] out of the batches.
 * False if one is empty.  *exact: the images decide throughout the window.
 */
static bool
cut_window(ZigzagLeapfrog *lf, bool *exact)
{
	const ZigzagKey *low = &lf->low.key;
	const ZigzagKey *high = &lf->high.key;
	ZigzagCursor *ends_first = NULL;
	bool		empty = false;

	for (int i = 0; i < lf->nstretches; i++)
	{
		ZigzagCursor *cursor = lf->stretches[i].cursor;

		if (ends_first == NULL ||
			zz_cursor_compare(cursor, cursor->nentries - 1, high) < 0)
		{
			ends_first = cursor;
			hold_key(&lf->high, cursor, cursor->nentries - 1);
		}
	}

	for (int i = 0; i < lf->nstretches; i++)
	{
		Stretch    *s = &lf->stretches[i];
		ZigzagCursor *cursor = s->cursor;
		int			n = cursor->nentries;

		s->from = zz_cursor_search(cursor, cursor->pos, n, low);
		if (cursor == ends_first)
			s->to = n;
		else
		{
			s->to = zz_cursor_search(cursor, s->from, n, high);
			if (s->to < n && zz_cursor_compare(cursor, s->to, high) == 0)
				s->to++;
		}
		empty |= s->from >= s->to;
	}
	sort_by_length(lf);

	*exact = zz_image_is_exact(lf->space, low->image) &&
		zz_image_is_exact(lf->space, high->image);

	return !empty;
}

/*
 * Intersect a list of nleft positions of one stretch with another stretch, and
 * store the positions of both ends of each match.  left is NULL for the whole
 * of a.  out_left may be left itself: it is written behind where it is read.
 * Returns the number of matches.
 *
 * with_image is a constant in every call, so that two loops are compiled.  No
 * branch depends on which entry is less: the entries of two uncorrelated lists
 * come in an order that no processor can guess.
 */
static inline int
merge_exact(const Stretch *a, const uint16 *left, int nleft, const Stretch *b,
			uint16 *out_left, uint16 *out_right, bool with_image)
{
	const uint64 *atids = a->cursor->tids;
	const uint64 *btids = b->cursor->tids;
	const uint64 *aimages = a->cursor->images;
	const uint64 *bimages = b->cursor->images;
	int			i = 0;
	int			j = b->from;
	int			jend = b->to;
	int			n = 0;

	while (i < nleft && j < jend)
	{
		int			apos = left != NULL ? left[i] : a->from + i;
		uint64		at = atids[apos];
		uint64		bt = btids[j];
		bool		a_le;
		bool		b_le;

		if (with_image)
		{
			uint64		ai = aimages[apos];
			uint64		bi = bimages[j];

			/* Mostly the images differ, or all of the key is equal. */
			a_le = ai <= bi;
			b_le = bi <= ai;
			if (ai == bi)
			{
				a_le = at <= bt;
				b_le = bt <= at;
			}
		}
		else
		{
			a_le = at <= bt;
			b_le = bt <= at;
		}
		out_left[n] = (uint16) apos;
		out_right[n] = (uint16) j;
		n += a_le & b_le;
		i += a_le;
		j += b_le;
	}

	return n;
}

/*
 * The same by searching b for each entry of a: for a much shorter list, and for
 * keys whose images do not decide (exact is false then).
 */
static int
merge_by_search(const Stretch *a, const uint16 *left, int nleft,
				const Stretch *b, uint16 *out_left, uint16 *out_right, bool exact)
{
	int			j = b->from;
	int			n = 0;

	for (int i = 0; i < nleft && j < b->to; i++)
	{
		int			apos = left != NULL ? left[i] : a->from + i;
		ZigzagKey	key;

		if (exact)
		{
			key.image = a->cursor->images ? a->cursor->images[apos] : 0;
			key.tid = a->cursor->tids[apos];
		}
		else
			zz_cursor_key(a->cursor, apos, &key);
		j = zz_cursor_search(b->cursor, j, b->to, &key);
		if (j < b->to && zz_cursor_compare(b->cursor, j, &key) == 0)
		{
			out_left[n] = (uint16) apos;
			out_right[n] = (uint16) j;
			n++;
			j++;
		}
	}

	return n;
}

/*
 * Step 3: fill the matches of every stretch, aligned with each other.
 *
 * The shortest stretch is merged with the next longer one, the outcome with the
 * next, and so on.  Matches of the first stay a subset of those before, so the
 * lists of the others are compacted after each round.
 */
static void
intersect_window(ZigzagLeapfrog *lf, bool exact)
{
	Stretch    *a = lf->by_length[0];
	const uint16 *left = NULL;
	int			nleft = a->to - a->from;
	uint16		kept[ZIGZAG_MAX_BATCH];

	for (int k = 1; k < lf->nstretches && nleft > 0; k++)
	{
		Stretch    *b = lf->by_length[k];
		int			n;

		if (!exact || (b->to - b->from) / SEARCH_RATIO > nleft)
			n = merge_by_search(a, left, nleft, b, kept, b->matches, exact);
		else if (lf->space->nsuffix > 0)
			n = merge_exact(a, left, nleft, b, kept, b->matches, true);
		else
			n = merge_exact(a, left, nleft, b, kept, b->matches, false);

		/* Drop from the earlier lists what this one does not have. */
		for (int m = 0, from = 0; m < n; m++)
		{
			while (left != NULL && left[from] != kept[m])
				from++;
			for (int e = 1; e < k; e++)
				lf->by_length[e]->matches[m] = lf->by_length[e]->matches[from];
			a->matches[m] = kept[m];
		}

		left = a->matches;
		nleft = n;
	}

	if (lf->nstretches == 1)
		for (int m = 0; m < nleft; m++)
			a->matches[m] = (uint16) (a->from + m);

	lf->nmatches = nleft;
}

/*
 * Go to the next common key: true, and pos of every cursor is its entry; or
 * false, there is none, and at least one cursor is at its end.
 */
bool
zz_leapfrog_next(ZigzagLeapfrog *lf)
{
	while (lf->next >= lf->nmatches)
	{
		bool		exact;

		/* Step 4: continue behind the window. */
		for (int i = 0; i < lf->nstretches; i++)
			lf->stretches[i].cursor->pos = lf->stretches[i].to;
		lf->next = lf->nmatches = 0;
		lf->window++;

		if (!align(lf))
		{
			/* A later call must come here again, not to a stale window. */
			for (int i = 0; i < lf->nstretches; i++)
				lf->stretches[i].to = lf->stretches[i].cursor->pos;
			return false;
		}
		if (cut_window(lf, &exact))
			intersect_window(lf, exact);
	}

	for (int i = 0; i < lf->nstretches; i++)
		lf->stretches[i].cursor->pos = lf->stretches[i].matches[lf->next];
	lf->next++;

	return true;
}
