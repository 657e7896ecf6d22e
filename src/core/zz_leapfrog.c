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
	ZigzagCursor *cursor;		/* whose entry it is, and which */
	int			pos;
	bool		is_complete;	/* are the datums set? */
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
	held->key.values = held->values;
	held->key.nulls = held->nulls;
}

/*
 * Add the suffix to a held key.  The cursor must not have moved since.
 */
static void
complete_key(HeldKey *held)
{
	int			nsuffix = held->cursor->space->nsuffix;
	ZigzagKey	key;

	if (held->is_complete || nsuffix == 0)
		return;

	zz_cursor_key(held->cursor, held->pos, &key);
	memcpy(held->values, key.values, nsuffix * sizeof(Datum));
	memcpy(held->nulls, key.nulls, nsuffix * sizeof(bool));
	held->is_complete = true;
}

/*
 * Hold the key of the entry at pos.  What its datums point to is the cursor's,
 * valid until the cursor moves.  Where the image says it all, the suffix is left
 * out until complete_key is called for a seek.
 */
static void
hold_key(HeldKey *held, ZigzagCursor *cursor, int pos)
{
	held->cursor = cursor;
	held->pos = pos;
	held->is_complete = false;
	held->key.tid = zz_cursor_tid(cursor, pos);
	held->key.image = cursor->space->nsuffix > 0 ? cursor->images[pos] : 0;
	if (!zz_image_is_exact(cursor->space, held->key.image))
		complete_key(held);
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
	return zz_cursor_tid(s->cursor, s->matches[lf->next - 1 + n]);
}

void
zz_leapfrog_skip(ZigzagLeapfrog *lf, int n)
{
	Assert(n >= 0 && n <= zz_leapfrog_ahead(lf));
	lf->next += n;
}

void
zz_leapfrog_note_dead(ZigzagLeapfrog *lf, int n)
{
	Assert(lf->next > 0 && lf->next - 1 + n < lf->nmatches);

	for (int i = 0; i < lf->nstretches; i++)
	{
		const Stretch *s = &lf->stretches[i];

		if (s->cursor->methods->note_dead != NULL)
			s->cursor->methods->note_dead(s->cursor, s->matches[lf->next - 1 + n]);
	}
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

		complete_key(&lf->low);
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

/* Where a merge has found entries of both sides that match. */
typedef struct MatchList
{
	uint16	   *left;
	uint16	   *right;
	int			n;
} MatchList;

/*
 * One step of a merge: pass the entry over that lies before the other, both if
 * they are equal, which is a match.  Going from the end (step is -1), pass the
 * one over that lies behind.
 *
 * The keys are the images, or the TIDs where the space has no suffix.  Equal
 * TIDs are a match, and may be frequent in no order that a processor can guess:
 * no branch on them.  Equal images are mostly a match, or rare.
 */
static pg_attribute_always_inline void
merge_step(const Stretch *a, const uint64 *akeys, const uint16 *left,
		   const Stretch *b, const uint64 *bkeys, bool with_image,
		   int64 *i, int64 *j, int step, MatchList *matches)
{
	int64		apos = left != NULL ? left[*i] : *i;
	int64		bpos = *j;
	uint64		akey = akeys[apos];
	uint64		bkey = bkeys[bpos];

	if (with_image)
	{
		if (likely(akey != bkey))
		{
			*i += step * (step > 0 ? akey < bkey : bkey < akey);
			*j += step * (step > 0 ? bkey < akey : akey < bkey);
			return;
		}
		akey = zz_cursor_tid(a->cursor, (int) apos);
		bkey = zz_cursor_tid(b->cursor, (int) bpos);
	}

	matches->left[matches->n] = (uint16) apos;
	matches->right[matches->n] = (uint16) bpos;
	matches->n += akey == bkey;
	*i += step * (step > 0 ? akey <= bkey : bkey <= akey);
	*j += step * (step > 0 ? bkey <= akey : akey <= bkey);
}

/*
 * Intersect a list of nleft positions of one stretch with another stretch, and
 * store the positions of both ends of each match.  left is NULL for the whole
 * of a; out_left must not be left.  Returns the number of matches.
 *
 * No branch depends on which entry is less: the entries of two uncorrelated
 * lists come in an order that no processor can guess.  What is left is a chain
 * of loads, each waiting for the comparison before it; so the lists are merged
 * from both ends at once, as two chains that do not wait for each other.
 *
 * with_image is a constant in every call, and left may be, for a loop of its
 * own.
 */
static pg_attribute_always_inline int
merge_exact(const Stretch *a, const uint16 *left, int nleft, const Stretch *b,
			uint16 *out_left, uint16 *out_right, bool with_image)
{
	const uint64 *akeys = with_image ? a->cursor->images : a->cursor->tids;
	const uint64 *bkeys = with_image ? b->cursor->images : b->cursor->tids;
	uint16		back_left[ZIGZAG_MAX_BATCH];
	uint16		back_right[ZIGZAG_MAX_BATCH];
	MatchList	front = {out_left, out_right, 0};
	MatchList	back = {back_left, back_right, 0};
	int64		i = left == NULL ? a->from : 0;
	int64		j = b->from;
	int64		ilast = i + nleft - 1;
	int64		jlast = b->to - 1;

	while (i < ilast && j < jlast)
	{
		merge_step(a, akeys, left, b, bkeys, with_image, &i, &j, 1, &front);
		merge_step(a, akeys, left, b, bkeys, with_image, &ilast, &jlast, -1,
				   &back);
	}
	while (i <= ilast && j <= jlast)
		merge_step(a, akeys, left, b, bkeys, with_image, &i, &j, 1, &front);

	while (back.n > 0)
	{
		back.n--;
		out_left[front.n] = back_left[back.n];
		out_right[front.n] = back_right[back.n];
		front.n++;
	}

	return front.n;
}

/*
 * merge_exact for the keys and the list at hand.
 */
static int
merge_stretch(const Stretch *a, const uint16 *left, int nleft, const Stretch *b,
			  uint16 *out_left, uint16 *out_right)
{
	bool		with_image = a->cursor->space->nsuffix > 0;

	if (with_image && left == NULL)
		return merge_exact(a, NULL, nleft, b, out_left, out_right, true);
	if (with_image)
		return merge_exact(a, left, nleft, b, out_left, out_right, true);
	if (left == NULL)
		return merge_exact(a, NULL, nleft, b, out_left, out_right, false);
	return merge_exact(a, left, nleft, b, out_left, out_right, false);
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
			key.tid = zz_cursor_tid(a->cursor, (int) apos);
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
		else
			n = merge_stretch(a, left, nleft, b, kept, b->matches);

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
