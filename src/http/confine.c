/* http/confine.c — what the process gives up before it listens.
 *
 * No core files (they would hold rows), no debugger, and with Landlock (Linux 5.13 and later)
 * no writing anywhere but in the vaults, whatever an attacker makes us do.
 */
#define _GNU_SOURCE
#include "http/server.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WRITES                                                                                 \
    (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |                           \
     LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |                           \
     LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |                               \
     LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |                             \
     LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM)

/* The leak checker of a test build looks at its own process as a debugger does. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED true
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define SANITIZED true
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

static bool allow(int rules, const char *path)
{
    struct landlock_path_beneath_attr rule = { .allowed_access = WRITES };
    rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
    if (rule.parent_fd < 0) return false;
    long done = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(rule.parent_fd);
    return done == 0;
}

static bool lock_files(const http_server *s)
{
    struct landlock_ruleset_attr attr = { .handled_access_fs = WRITES };
    int rules = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof attr, 0);
    if (rules < 0) return false;
    bool good = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
    for (size_t i = 0; good && i < s->n_vaults; i++) good = allow(rules, s->vault[i].path);
    good = good && syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return good;
}

const char *http_confine(const http_server *s)
{
    struct rlimit none = { 0, 0 };
    setrlimit(RLIMIT_CORE, &none);
    if (!SANITIZED) prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    return lock_files(s) ? "writing is confined to the vaults"
                         : "this kernel has no Landlock: writing is not confined";
}
