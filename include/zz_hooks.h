/*-------------------------------------------------------------------------
 *
 * zz_hooks.h
 *	  Entry of the planner side: the hooks.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_HOOKS_H
#define ZZ_HOOKS_H

extern void zz_hooks_install(void);

#endif							/* ZZ_HOOKS_H */
