/*-------------------------------------------------------------------------
 *
 * zz_leapfrog.h
 *	  Intersection: N cursors in, the keys they have in common out.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ZZ_LEAPFROG_H
#define ZZ_LEAPFROG_H

#include "zz_cursor.h"

typedef struct ZigzagLeapfrog ZigzagLeapfrog;

extern ZigzagLeapfrog *zz_leapfrog_create(int ncursors, ZigzagCursor **cursors);
extern void zz_leapfrog_reset(ZigzagLeapfrog *lf);

/*
 * Go to the next common key: true, and pos of every cursor is its entry; or
 * false, there is none.  *window changes its value whenever any cursor loaded
 * a batch since the last call: what was read from outside (a visibility map
 * bit) after that is newer than each entry of the present window.
 */
extern bool zz_leapfrog_next(ZigzagLeapfrog *lf);
extern uint64 zz_leapfrog_window(const ZigzagLeapfrog *lf);

/*
 * The present window knows its matches beforehand.  ahead: how many of them
 * follow the present one.  tid: the TID of the n-th after it; 0 is the present
 * one.  skip: leave the next n out; pos of the cursors does not follow.
 * note_dead: the row of the n-th is dead to every transaction.
 */
extern int	zz_leapfrog_ahead(const ZigzagLeapfrog *lf);
extern uint64 zz_leapfrog_tid(const ZigzagLeapfrog *lf, int n);
extern void zz_leapfrog_skip(ZigzagLeapfrog *lf, int n);
extern void zz_leapfrog_note_dead(ZigzagLeapfrog *lf, int n);

#endif							/* ZZ_LEAPFROG_H */
