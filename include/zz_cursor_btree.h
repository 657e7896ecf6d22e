/*-------------------------------------------------------------------------
 *
 * zz_cursor_btree.h
 *	  Cursor over the entries of a btree that share their leading columns.
 *
 * An index on (fixed columns | suffix | TID), each fixed column bound by a
 * value or by IS NULL, is a list sorted by (suffix, TID).
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_CURSOR_BTREE_H
#define ZZ_CURSOR_BTREE_H

#include "access/itup.h"
#include "access/sdir.h"
#include "utils/relcache.h"
#include "utils/snapshot.h"

#include "zz_cursor.h"

/* A value that binds one leading column. */
typedef struct ZigzagFixedValue
{
	Oid			type;			/* type of value; may differ from the column's
								 * within the operator family */
	Datum		value;			/* a copy the caller keeps until the next
								 * rescan */
	bool		isnull;			/* bound by IS NULL (a comparison with NULL
								 * matches nothing: do not scan at all) */
} ZigzagFixedValue;

typedef struct ZigzagBtreeOptions
{
	Relation	index;			/* open, locked by the caller */
	Snapshot	snapshot;		/* MVCC */
	ScanDirection direction;
	int			nfixed;			/* leading columns bound, 1 or more */
	const Oid  *fixed_types;	/* type of the value of each */
	bool		keep_pin;		/* hold a pin on the leaf page of the batch
								 * (index-only answers) */
} ZigzagBtreeOptions;

/* The key space of a btree with the given number of bound leading columns. */
extern ZigzagKeySpace *zz_btree_key_space(Relation index, int nfixed,
										  ScanDirection direction);

/*
 * All memory in the current context.  Errors: an index whose format does not
 * order duplicates by TID; an operator family without the comparison.
 */
extern ZigzagCursor *zz_cursor_btree_create(const ZigzagBtreeOptions *options,
											const ZigzagKeySpace *space);

/* New values for the bound columns; call before rescan. */
extern void zz_cursor_btree_bind(ZigzagCursor *cursor,
								 const ZigzagFixedValue *fixed);

/*
 * The index tuple of the entry at pos, in the cursor's copy of the page: what
 * an index-only answer takes its values from.  Its t_tid is not the entry's.
 */
extern IndexTuple zz_cursor_btree_tuple(ZigzagCursor *cursor, int pos);

/* May this index be a side: does its format order duplicates by TID? */
extern bool zz_btree_orders_tids(Relation index);

#endif							/* ZZ_CURSOR_BTREE_H */
