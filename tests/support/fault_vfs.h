/* tests/support/fault_vfs.h — a disk that fails on request.
 *
 * Wraps SQLite's own VFS and counts what changes the disk: writes, truncations, syncs and
 * deletions. The n-th of them, counted from fault_arm, goes wrong in the way asked for.
 */
#ifndef JALI_TESTS_FAULT_VFS_H
#define JALI_TESTS_FAULT_VFS_H

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_KILL,       /* kill -9 instead of the operation                               */
    FAULT_TORN,       /* half of a write is done, then kill -9                          */
    FAULT_POWER,      /* the power fails: nothing that was not synced was ever written  */
    FAULT_POWER_SOME, /* the same, but some of it was                                   */
    FAULT_FULL,       /* from here on every write says that the disk is full            */
    FAULT_SYNC,       /* from here on every sync fails                                  */
    FAULT_SYNC_ONCE,  /* one sync fails, the next ones succeed                          */
    FAULT_MEMORY,     /* SQLite's n-th request for memory fails: counted by itself       */
    FAULT_KINDS
} fault_kind;

/* Becomes SQLite's default; once per process, which has no connection open. */
void fault_install(void);
void fault_arm(fault_kind kind, int n);
int fault_count(void); /* operations since fault_arm */

#endif
