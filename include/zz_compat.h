/*-------------------------------------------------------------------------
 *
 * zz_compat.h
 *	  The differences between the supported servers, in one place.
 *
 * PG_VERSION_NUM appears here and nowhere else.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_COMPAT_H
#define ZZ_COMPAT_H

#if PG_VERSION_NUM < 150000 || PG_VERSION_NUM >= 200000
#error "zigzag supports PostgreSQL 15 to 19"
#endif

#endif							/* ZZ_COMPAT_H */
