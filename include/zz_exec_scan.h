/*-------------------------------------------------------------------------
 *
 * zz_exec_scan.h
 *	  Entry of the executor side: the ZigzagScan node.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_EXEC_SCAN_H
#define ZZ_EXEC_SCAN_H

/* Make the node known by name, once per backend. */
extern void zz_exec_scan_register(void);

#endif							/* ZZ_EXEC_SCAN_H */
