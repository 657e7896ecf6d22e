/*-------------------------------------------------------------------------
 *
 * zz_exec_mark.h
 *	  The MarkJoin and MarkGuard nodes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_EXEC_MARK_H
#define ZZ_EXEC_MARK_H

extern void zz_exec_mark_register(void);

#endif							/* ZZ_EXEC_MARK_H */
