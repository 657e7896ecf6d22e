/*-------------------------------------------------------------------------
 *
 * zz_key.h
 *	  The zigzag key: what the entries of every cursor are ordered by.
 *
 * A zigzag key is a suffix of zero or more columns, then a heap TID.  Cursors
 * in step agree on one key space.
 *
 * Entries are not compared column by column.  Each entry carries two 64-bit
 * images that already are in *scan order*, ascending, whatever the direction
 * of the scan and of the index:
 *
 *	image	order-preserving image of the first suffix column, with NULL in its
 *			place.  Unequal images decide.  Equal images decide only where the
 *			image is exact: see zz_image_is_exact().
 *	tid		the heap TID as block << 16 | offset, complemented when the index
 *			is read backward.
 *
 * Where equal images do not decide, the suffix values are compared with the
 * callback of the key space.  NULL equals NULL here: a scan intersects entries
 * of the same row, so the comparison is IS NOT DISTINCT FROM.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_KEY_H
#define ZZ_KEY_H

/* Images at the two ends stand for NULL as well as for extreme values. */
#define ZIGZAG_IMAGE_MIN	UINT64CONST(0)
#define ZIGZAG_IMAGE_MAX	PG_UINT64_MAX

/* TIDs are 48 bits wide; the complement is taken within that width. */
#define ZIGZAG_TID_MASK		UINT64CONST(0xFFFFFFFFFFFF)

/*
 * Three-way comparison of two suffixes in scan order; -1, 0 or 1.  Arrays of
 * nsuffix values each, NULL flags beside them.
 */
typedef int (*ZigzagSuffixCompare) (void *arg,
									const Datum *avalues, const bool *anulls,
									const Datum *bvalues, const bool *bnulls);

typedef struct ZigzagKeySpace
{
	int			nsuffix;		/* number of suffix columns, 0 or more */
	bool		exact;			/* is an image that is not at an end the whole
								 * suffix?  (true where nsuffix = 0) */
	ZigzagSuffixCompare compare;	/* NULL where nsuffix = 0 */
	void	   *compare_arg;
} ZigzagKeySpace;

/*
 * A key that stands alone: the target of a seek.  values and nulls are the
 * suffix, owned by whoever made the target, valid for the call.
 */
typedef struct ZigzagKey
{
	uint64		image;			/* 0 where nsuffix = 0 */
	uint64		tid;
	const Datum *values;
	const bool *nulls;
} ZigzagKey;

/* Do equal images mean equal suffixes? */
static inline bool
zz_image_is_exact(const ZigzagKeySpace *space, uint64 image)
{
	return space->nsuffix == 0 ||
		(space->exact && image != ZIGZAG_IMAGE_MIN && image != ZIGZAG_IMAGE_MAX);
}

/*
 * Three-way comparison of two keys; -1, 0 or 1.  The suffixes are looked at
 * only where the images cannot tell.
 */
static inline int
zz_key_compare(const ZigzagKeySpace *space,
			   const ZigzagKey *a, const ZigzagKey *b)
{
	if (a->image != b->image)
		return a->image < b->image ? -1 : 1;
	if (!zz_image_is_exact(space, a->image))
	{
		int			cmp = space->compare(space->compare_arg,
										 a->values, a->nulls,
										 b->values, b->nulls);

		if (cmp != 0)
			return cmp;
	}
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return 0;
}

#endif							/* ZZ_KEY_H */
