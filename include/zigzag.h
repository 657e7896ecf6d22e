/*-------------------------------------------------------------------------
 *
 * zigzag.h
 *	  The settings of the extension, as every layer may read them.
 *
 * Only the planner side reads them, save for the debugging switches: a plan
 * that is cached keeps the meaning it was made with.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZIGZAG_H
#define ZIGZAG_H

#define ZIGZAG_VERSION "1.0"

/* Most sides one ZigzagScan may have; zigzag.max_sides stays within it. */
#define ZIGZAG_MAX_SIDES	8

extern bool zz_enable;			/* zigzag.enable */
extern bool zz_enable_scan;		/* zigzag.enable_scan */
extern bool zz_enable_notin;	/* zigzag.enable_notin */
extern bool zz_enable_mark;		/* zigzag.enable_mark */
extern bool zz_enable_or;		/* zigzag.enable_or */
extern bool zz_enable_probe;	/* zigzag.enable_probe */
extern bool zz_warn_null;		/* zigzag.warn_null */
extern int	zz_max_sides;		/* zigzag.max_sides */
extern bool zz_debug_force;		/* zigzag.debug_force */

#endif							/* ZIGZAG_H */
