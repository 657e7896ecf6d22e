/*-------------------------------------------------------------------------
 *
 * zz_cursor.c
 *	  What every cursor can do with the batch it stands on.
 *
 * Searching within a batch needs no method of the cursor: the images stand in
 * arrays.  All searches gallop: the distance doubles until the target is
 * passed, then the last stretch is halved.  A target k entries ahead costs
 * O(log k) comparisons however long the batch is (Bentley and Yao, 1976).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "zz_cursor.h"

/*
 * The key of the entry at pos.  Its suffix belongs to the cursor and stays
 * valid until another suffix of that cursor is asked for, or it moves.
 */
void
zz_cursor_key(ZigzagCursor *cursor, int pos, ZigzagKey *key)
{
	Assert(pos >= 0 && pos < cursor->nentries);

	key->tid = zz_cursor_tid(cursor, pos);
	key->image = 0;
	key->values = NULL;
	key->nulls = NULL;
	if (cursor->space->nsuffix > 0)
	{
		key->image = cursor->images[pos];
		cursor->methods->suffix(cursor, pos, &key->values, &key->nulls);
	}
}

/*
 * zz_cursor_compare where the images cannot tell.
 */
int
zz_cursor_compare_slow(ZigzagCursor *cursor, int pos, const ZigzagKey *target)
{
	ZigzagKey	key;

	zz_cursor_key(cursor, pos, &key);
	return zz_key_compare(cursor->space, &key, target);
}

/*
 * First position in [from, to) whose entry is at or after target; to, if there
 * is none.
 */
int
zz_cursor_search(ZigzagCursor *cursor, int from, int to,
				 const ZigzagKey *target)
{
	int			step = 1;
	int			low = from;		/* everything before low precedes target */
	int			high = from;

	while (high < to && zz_cursor_compare(cursor, high, target) < 0)
	{
		low = high + 1;
		high = low + step;
		step *= 2;
	}
	if (high > to)
		high = to;

	while (low < high)
	{
		int			mid = low + (high - low) / 2;

		if (zz_cursor_compare(cursor, mid, target) < 0)
			low = mid + 1;
		else
			high = mid;
	}

	return low;
}

/*
 * Go to the first entry at or after target; entries before the cursor's
 * position are not looked at.  False, with the cursor at its end, if there is
 * no such entry.
 */
bool
zz_cursor_seek(ZigzagCursor *cursor, const ZigzagKey *target)
{
	if (cursor->at_end)
		return false;

	if (cursor->pos == cursor->nentries ||
		zz_cursor_compare(cursor, cursor->nentries - 1, target) < 0)
	{
		if (!cursor->methods->seek(cursor, target))
			return false;
	}

	cursor->pos = zz_cursor_search(cursor, cursor->pos, cursor->nentries, target);
	Assert(cursor->pos < cursor->nentries);

	return true;
}
