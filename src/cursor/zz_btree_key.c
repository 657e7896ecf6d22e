/*-------------------------------------------------------------------------
 *
 * zz_btree_key.c
 *	  The key space of a btree: images and comparison of suffix columns.
 *
 * An image is a 64-bit number that sorts as the first suffix column does in the
 * direction of the scan (zz_key.h).  Types whose order is that of a machine
 * integer have an exact image; a few others have one that sorts right but may
 * be equal for unequal values; all others share one image, and every comparison
 * goes to the operator class.  What image a column has is decided by the function
 * that its operator class compares with, not by its type: an operator class may
 * sort a type as it likes.
 *
 * NULL takes the image at one end.  A value whose own image falls there (the
 * least bigint, infinity) is told from NULL by comparing the suffix.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/nbtree.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/sortsupport.h"

#include "zz_btree_key.h"
#include "zz_compat.h"
#include "zz_cursor_btree.h"

typedef struct SuffixOrder
{
	int			ncolumns;
	SortSupportData columns[FLEXIBLE_ARRAY_MEMBER];
} SuffixOrder;

/*
 * ZigzagSuffixCompare over sort support.
 */
static int
compare_suffix(void *arg, const Datum *avalues, const bool *anulls,
			   const Datum *bvalues, const bool *bnulls)
{
	SuffixOrder *order = (SuffixOrder *) arg;

	for (int i = 0; i < order->ncolumns; i++)
	{
		int			cmp = ApplySortComparator(avalues[i], anulls[i],
											  bvalues[i], bnulls[i],
											  &order->columns[i]);

		if (cmp != 0)
			return cmp < 0 ? -1 : 1;
	}
	return 0;
}

/*
 * How to make the image of an index column.
 */
ZigzagImageKind
zz_btree_image_kind(Relation index, int column)
{
	switch (index_getprocid(index, column + 1, BTORDER_PROC))
	{
		case F_BTINT2CMP:
			return ZIGZAG_IMAGE_INT2;
		case F_BTINT4CMP:
		case F_DATE_CMP:
			return ZIGZAG_IMAGE_INT4;
		case F_BTINT8CMP:
		case F_TIMESTAMP_CMP:
		case F_TIMESTAMPTZ_CMP:
			return ZIGZAG_IMAGE_INT8;
		case F_BTOIDCMP:
			return ZIGZAG_IMAGE_OID;
		case F_BTBOOLCMP:
			return ZIGZAG_IMAGE_BOOL;
		case F_UUID_CMP:
			return ZIGZAG_IMAGE_UUID;
		default:
			return ZIGZAG_IMAGE_NONE;
	}
}

/*
 * The key space of an index with its first nfixed columns bound, read in the
 * given direction; in the current context.
 */
ZigzagKeySpace *
zz_btree_key_space(Relation index, int nfixed, ScanDirection direction)
{
	int			nsuffix = IndexRelationGetNumberOfKeyAttributes(index) - nfixed;
	ZigzagKeySpace *space = palloc0(sizeof(ZigzagKeySpace));
	SuffixOrder *order;

	Assert(nsuffix >= 0);
	space->nsuffix = nsuffix;
	if (nsuffix == 0)
		return space;

	order = palloc0(offsetof(SuffixOrder, columns) +
					nsuffix * sizeof(SortSupportData));
	order->ncolumns = nsuffix;
	for (int i = 0; i < nsuffix; i++)
	{
		SortSupport ssup = &order->columns[i];
		int			column = nfixed + i;
		bool		backward = ScanDirectionIsBackward(direction);
		int			option = index->rd_indoption[column];
		bool		reverse = ((option & INDOPTION_DESC) != 0) != backward;

		ssup->ssup_cxt = CurrentMemoryContext;
		ssup->ssup_collation = index->rd_indcollation[column];
		ssup->ssup_nulls_first =
			((option & INDOPTION_NULLS_FIRST) != 0) != backward;
		ssup->ssup_attno = (AttrNumber) (column + 1);
		zz_prepare_sort_support_from_index(index, reverse, ssup);
	}

	space->compare = compare_suffix;
	space->compare_arg = order;
	space->exact = nsuffix == 1 &&
		zz_btree_image_is_exact(zz_btree_image_kind(index, nfixed));

	return space;
}
