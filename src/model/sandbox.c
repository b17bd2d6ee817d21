/* model/sandbox.c — a stranger's command, run where it can do little harm.
 *
 * It sees private rows, so it gets no way to carry them off: no socket of any kind (seccomp),
 * no writing anywhere but into a folder that is removed after it (Landlock), a process group
 * of its own that is killed at the end, no file of ours open. A machine that cannot promise
 * this does not run it. What is left: reading files of the user, and everything that needs
 * neither sockets nor files (docs/KNOWN.md).
 */
#define _GNU_SOURCE
#include "base/file.h"
#include "base/text.h"
#include "model/inside.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    ANSWER_BYTES = 64 << 20, /* 131,072 numbers of 20 bytes are 2.6 MB */
    COMPLAINT = 200,
    COMPLAINTS = 256,    /* reads of it after the answer has ended ... */
    LINGER_MS = 20,      /* ... each waited for so long                */
    LAST_NAPS = 200,     /* of 10 ms, for a command to end after its answer */
    CANNOT_CONFINE = 126 /* exit code of a child that could not be locked up */
};

#define WRITES                                                                                 \
    (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |                           \
     LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |                           \
     LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |                               \
     LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |                             \
     LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM)

typedef struct child {
    pid_t pid;
    int in, out, complaint; /* our ends */
    char folder[32];
} child;

/* ---- in the child: only calls that are safe after fork ------------------------------- */

static bool allow_writes(int rules, const char *path, uint64_t what)
{
    int fd = open(path, O_PATH | O_CLOEXEC);
    struct landlock_path_beneath_attr beneath = { what, fd };
    bool good = fd >= 0 && syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH,
                                   &beneath, 0) == 0;
    if (fd >= 0) close(fd);
    return good;
}

static bool no_writes_but(const char *folder)
{
    struct landlock_ruleset_attr all = { .handled_access_fs = WRITES };
    int rules = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0);
    return rules >= 0 && (folder[0] == '\0' || allow_writes(rules, folder, WRITES)) &&
           allow_writes(rules, "/dev/null", LANDLOCK_ACCESS_FS_WRITE_FILE) &&
           syscall(SYS_landlock_restrict_self, rules, 0) == 0;
}

#define REFUSE(call)                                                                           \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1),                                         \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES)

/* io_uring makes sockets without calling socket(); ptrace would borrow somebody else's;
 * another ABI has other numbers, so it is refused whole. The rest are places that Landlock
 * does not watch and that outlive the command: attributes, modes, owners, times and lengths of
 * the user's files, System V memory, message queues, keys, characters pushed into the
 * terminal; and leaving the group that is killed. */
static bool no_sockets(void)
{
    struct sock_filter rule[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
#if defined(__x86_64__)
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
#elif defined(__aarch64__)
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_AARCH64, 1, 0),
#else
#error "model/sandbox.c: name the audit architecture of this machine"
#endif
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#if defined(__x86_64__)
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1), /* the x32 numbers */
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
#endif
        REFUSE(SYS_socket),
        REFUSE(SYS_connect),
        REFUSE(SYS_sendto),
        REFUSE(SYS_io_uring_setup),
        REFUSE(SYS_ptrace),
        REFUSE(SYS_process_vm_writev),
        REFUSE(SYS_pidfd_getfd),
        REFUSE(SYS_setsid),
        REFUSE(SYS_setpgid),
        REFUSE(SYS_setxattr),
        REFUSE(SYS_lsetxattr),
        REFUSE(SYS_fsetxattr),
        REFUSE(SYS_removexattr),
        REFUSE(SYS_lremovexattr),
        REFUSE(SYS_fremovexattr),
        REFUSE(463), /* setxattrat, the same number everywhere */
        REFUSE(466), /* removexattrat */
        REFUSE(SYS_fchmod),
        REFUSE(SYS_fchmodat),
        REFUSE(452), /* fchmodat2 */
        REFUSE(SYS_fchown),
        REFUSE(SYS_fchownat),
        REFUSE(SYS_utimensat),
        REFUSE(SYS_truncate),
#if defined(__x86_64__)
        REFUSE(SYS_chmod),
        REFUSE(SYS_chown),
        REFUSE(SYS_lchown),
        REFUSE(SYS_utime),
        REFUSE(SYS_utimes),
        REFUSE(SYS_futimesat),
#endif
        REFUSE(SYS_shmget),
        REFUSE(SYS_msgget),
        REFUSE(SYS_semget),
        REFUSE(SYS_mq_open),
        REFUSE(SYS_add_key),
        REFUSE(SYS_request_key),
        REFUSE(SYS_keyctl),
        /* ioctl(fd, TIOCSTI or TIOCLINUX, ..): the second argument's low word. */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TIOCSTI, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TIOCLINUX, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof rule / sizeof *rule, rule };
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

_Noreturn static void become(const char *words, const char *folder, int in, int out, int err)
{
    struct rlimit none = { 0, 0 };
    char *argv[] = { (char[]){ "sh" }, (char[]){ "-c" }, NULL, NULL };
    memcpy(&argv[2], &words, sizeof words);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CORE, &none);
    bool good = dup2(in, 0) == 0 && dup2(out, 1) == 1 && dup2(err, 2) == 2;
    if (syscall(SYS_close_range, 3u, ~0u, 0u) != 0)
        for (int fd = 3; fd < 65536; fd++) close(fd);
    good = good && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && no_writes_but(folder) &&
           no_sockets();
    if (good) execv("/bin/sh", argv);
    _exit(CANNOT_CONFINE);
}

/* ---- in ours -------------------------------------------------------------------------- */

static void shut(int *fd)
{
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

static jali_status cannot(jali_err *err)
{
    return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                     "the command could not be started: %.60s", strerror(errno));
}

/* The folder's name reaches the command as TMPDIR; R does not start without one. A process that
 * may not make one itself (a server, confined) runs the command without: it writes nowhere. */
static jali_status scratch(child *c, jali_err *err)
{
    snprintf(c->folder, sizeof c->folder, "/tmp/jali-model-XXXXXX");
    if (mkdtemp(c->folder) != NULL) return JALI_OK;
    c->folder[0] = '\0';
    return errno == EACCES || errno == EROFS ? JALI_OK : cannot(err);
}

static jali_status start(child *c, const char *words, jali_err *err)
{
    int in[2] = { -1, -1 }, out[2] = { -1, -1 }, told[2] = { -1, -1 };
    jali_text line = { 0 };
    JALI_TRY(scratch(c, err));
    bool made = c->folder[0] != '\0';
    if (made) jali_text_format(&line, "TMPDIR=%s; export TMPDIR; ", c->folder);
    jali_text_add(&line, words);
    bool good = !line.failed && pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0 &&
                pipe2(told, O_CLOEXEC) == 0;
    c->pid = good ? fork() : -1;
    if (c->pid == 0) become(line.at, c->folder, in[0], out[1], told[1]);
    shut(&in[0]);
    shut(&out[1]);
    shut(&told[1]);
    c->in = in[1];
    c->out = out[0];
    c->complaint = told[0];
    jali_text_clear(&line);
    if (c->pid > 0) {
        setpgid(c->pid, c->pid); /* whichever of us comes first */
        fcntl(c->in, F_SETFL, O_NONBLOCK);
        return JALI_OK;
    }
    jali_status status = cannot(err);
    shut(&c->in);
    shut(&c->out);
    shut(&c->complaint);
    if (made) jali_file_remove_tree(c->folder);
    return status;
}

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

typedef struct talk {
    const char *input;
    size_t n, sent;
    jali_text answer;
    char complaint[COMPLAINT];
    size_t complained;
    bool late, loud, stayed; /* stayed: it answered and did not end, which is late, too */
} talk;

static void give(child *c, talk *t)
{
    ssize_t k = write(c->in, t->input + t->sent, t->n - t->sent);
    if (k > 0) t->sent += (size_t)k;
    if ((k < 0 && errno != EAGAIN && errno != EINTR) || t->sent == t->n) shut(&c->in);
}

static void take(child *c, talk *t)
{
    char room[65536];
    ssize_t k = read(c->out, room, sizeof room);
    if (k > 0) jali_text_add_n(&t->answer, room, (size_t)k);
    if (k == 0 || (k < 0 && errno != EINTR)) shut(&c->out);
    t->loud = t->answer.used > ANSWER_BYTES;
}

/* Keeps the end of what it says: a traceback tells its reason in the last line. */
static void hear(child *c, talk *t)
{
    char room[4096];
    ssize_t k = read(c->complaint, room, sizeof room);
    for (ssize_t i = 0; i < k; i++) {
        if (t->complained == COMPLAINT - 1)
            memmove(t->complaint, t->complaint + 1, --t->complained);
        t->complaint[t->complained++] = room[i];
    }
    if (k == 0 || (k < 0 && errno != EINTR)) shut(&c->complaint);
}

/* What it said before it ended is in the pipe by now. Not more is waited for: who closes its
 * stdout and keeps its stderr would hold us beyond its time. */
static void listen_on(child *c, talk *t)
{
    for (int i = 0; i < COMPLAINTS && c->complaint >= 0 && !t->late; i++) {
        struct pollfd p = { c->complaint, POLLIN, 0 };
        if (poll(&p, 1, LINGER_MS) <= 0) return;
        hear(c, t);
    }
}

/* A command that closed its stdin early breaks a pipe; the signal must not end us. */
static void converse(child *c, talk *t, unsigned timeout_s)
{
    int64_t end = now_ms() + (int64_t)timeout_s * 1000;
    sigset_t pipes, old;
    sigemptyset(&pipes);
    sigaddset(&pipes, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipes, &old);
    if (t->n == 0) shut(&c->in);
    while ((c->out >= 0 || c->in >= 0) && !t->late && !t->loud && !t->answer.failed) {
        struct pollfd p[3] = { { c->in, POLLOUT, 0 },
                               { c->out, POLLIN, 0 },
                               { c->complaint, POLLIN, 0 } };
        int64_t left = end - now_ms();
        t->late = left <= 0;
        if (t->late || poll(p, 3, left > 1000 ? 1000 : (int)left) <= 0) continue;
        if (p[0].revents != 0) give(c, t);
        if (p[1].revents != 0) take(c, t);
        if (p[2].revents != 0) hear(c, t);
    }
    const struct timespec none = { 0, 0 };
    while (sigtimedwait(&pipes, NULL, &none) > 0) { /* eat ours before it is delivered */
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    listen_on(c, t);
}

/* Kills the group, also what it left behind; waits a little for a clean end. A command that
 * does not end is as late as one that does not answer. */
static int finish(child *c, talk *t)
{
    int status = 0;
    bool stop = t->late || t->loud || t->answer.failed;
    for (int i = 0; !stop && i < LAST_NAPS; i++) {
        if (waitpid(c->pid, &status, WNOHANG) == c->pid) {
            kill(-c->pid, SIGKILL);
            return status;
        }
        const struct timespec nap = { 0, 10000000 };
        nanosleep(&nap, NULL);
    }
    t->stayed = !stop;
    t->late = t->late || t->stayed;
    kill(-c->pid, SIGKILL);
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR) {}
    return -1;
}

jali_status jali_command_failed(jali_err *err)
{
    return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                     "the command failed on rows of the vault: it stopped, ran out of time, or "
                     "did not print one number for each row; which of these would tell about "
                     "the rows");
}

static jali_status judge(const talk *t, int status, unsigned timeout_s, const char *trial,
                         jali_err *err)
{
    bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0 && !t->late && !t->loud;
    if (t->answer.failed) return jali_fail_memory(err);
    if (good) return JALI_OK;
    if (trial == NULL) return jali_command_failed(err);
    if (t->stayed)
        return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                         "the %s's command closed its output and did not end; it was "
                         "stopped",
                         trial);
    if (t->late)
        return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                         "the %s's command was still running after %u s and "
                         "was stopped; --timeout S gives it longer",
                         trial, timeout_s);
    if (t->loud)
        return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                         "the %s's command printed far more than one number a row", trial);
    if (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT_CONFINE)
        return jali_fail(
            err, JALI_E_ENGINE, JALI_FOR_CURATOR,
            "this machine cannot keep a command from files and network (it needs "
            "Linux 5.13 with Landlock and seccomp), so no command is run with rows");
    char why[64];
    if (WIFSIGNALED(status))
        snprintf(why, sizeof why, "was ended by signal %d", WTERMSIG(status));
    else
        snprintf(why, sizeof why, "ended with exit code %d", WEXITSTATUS(status));
    return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "the %s's command %s%s%.180s", trial,
                     why, t->complaint[0] == '\0' ? "" : ": ", t->complaint);
}

/* Its last line that says something. */
static void last_line(char *text)
{
    size_t n = strlen(text);
    while (n > 0 && strchr(" \t\r\n", text[n - 1]) != NULL) text[--n] = '\0';
    const char *line = strrchr(text, '\n');
    if (line != NULL) memmove(text, line + 1, strlen(line + 1) + 1);
    for (char *p = text; *p != '\0'; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f) *p = ' ';
}

jali_status jali_command_run(const char *words, const char *input, size_t n, unsigned timeout_s,
                             const char *trial, char **out, size_t *n_out, bool *late,
                             jali_err *err)
{
    child c = { .in = -1, .out = -1, .complaint = -1 };
    talk t = { .input = input, .n = n };
    JALI_TRY(start(&c, words, err));
    converse(&c, &t, timeout_s);
    int status = finish(&c, &t);
    shut(&c.in);
    shut(&c.out);
    shut(&c.complaint);
    if (c.folder[0] != '\0') jali_file_remove_tree(c.folder);
    last_line(t.complaint);
    if (late != NULL) *late = t.late;
    jali_status judged = judge(&t, status, timeout_s, trial, err);
    if (judged == JALI_OK && t.answer.at == NULL) jali_text_add(&t.answer, "");
    if (judged == JALI_OK) judged = jali_text_status(&t.answer, err);
    if (judged == JALI_OK) {
        *out = t.answer.at;
        *n_out = t.answer.used;
        return JALI_OK;
    }
    jali_text_clear(&t.answer);
    return judged;
}
