/*-------------------------------------------------------------------------
 *
 * zz_btree_key.h
 *	  Images of btree columns: 64-bit numbers that sort as the values do.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_BTREE_KEY_H
#define ZZ_BTREE_KEY_H

#include "port/pg_bswap.h"
#include "utils/relcache.h"
#include "utils/uuid.h"

#include "zz_key.h"

typedef enum ZigzagImageKind
{
	ZIGZAG_IMAGE_NONE,			/* one image for all values */
	ZIGZAG_IMAGE_INT2,
	ZIGZAG_IMAGE_INT4,			/* also date */
	ZIGZAG_IMAGE_INT8,			/* also timestamp, timestamptz */
	ZIGZAG_IMAGE_OID,
	ZIGZAG_IMAGE_BOOL,
	ZIGZAG_IMAGE_UUID			/* its first eight bytes */
} ZigzagImageKind;

extern ZigzagImageKind zz_btree_image_kind(Relation index, int column);

/* Do equal images mean equal values?  (See zz_image_is_exact for the ends.) */
static inline bool
zz_btree_image_is_exact(ZigzagImageKind kind)
{
	return kind != ZIGZAG_IMAGE_NONE && kind != ZIGZAG_IMAGE_UUID;
}

/*
 * The image of a value that is not NULL, ascending with the type's own order.
 * Types narrower than 64 bits keep clear of both ends.
 */
static inline uint64
zz_btree_image(ZigzagImageKind kind, Datum value)
{
	switch (kind)
	{
		case ZIGZAG_IMAGE_INT2:
			return (uint64) ((int64) DatumGetInt16(value) + PG_INT16_MAX + 2);
		case ZIGZAG_IMAGE_INT4:
			return (uint64) ((int64) DatumGetInt32(value) + PG_INT32_MAX + 2);
		case ZIGZAG_IMAGE_INT8:
			return (uint64) DatumGetInt64(value) ^ (UINT64CONST(1) << 63);
		case ZIGZAG_IMAGE_OID:
			return (uint64) DatumGetObjectId(value) + 1;
		case ZIGZAG_IMAGE_BOOL:
			return (uint64) DatumGetBool(value) + 1;
		case ZIGZAG_IMAGE_UUID:
			{
				uint64		head;

				memcpy(&head, DatumGetUUIDP(value)->data, sizeof(head));
				return pg_ntoh64(head);
			}
		case ZIGZAG_IMAGE_NONE:
			break;
	}
	return 1;
}

#endif							/* ZZ_BTREE_KEY_H */
