/* audit/worker.c — the program, run thousands of times in one process.
 *
 * The same command line through the same function as in a process of its own, without the price
 * of a process: each run starts from a fresh copy of the vault, and what it prints is read from
 * two files in memory. Whatever the program kept from one run to the next would be in the
 * outputs, too.
 */
#define _GNU_SOURCE
#include "audit/inside.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIPE_BYTES = 1 << 20, CANNOT = 126 };

/* What comes before the bytes of an output. */
typedef struct record {
    int32_t exit_code;
    uint32_t out, err;
} record;

static bool send_all(int fd, const void *bytes, size_t n)
{
    const char *at = bytes;
    while (n > 0) {
        ssize_t sent = write(fd, at, n);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        at += sent;
        n -= (size_t)sent;
    }
    return true;
}

/* 1: all of it, 0: the other end is gone, -1: something failed. */
static int receive_all(int fd, void *bytes, size_t n)
{
    char *at = bytes;
    while (n > 0) {
        ssize_t got = read(fd, at, n);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return got == 0 ? 0 : -1;
        at += got;
        n -= (size_t)got;
    }
    return 1;
}

/* ---- in the worker ------------------------------------------------------------------- */

static bool send_output(const jali_worker *w, int pipe, int code)
{
    char *out = jali_child_read(w->out), *err = jali_child_read(w->err);
    bool good = out != NULL && err != NULL;
    if (good) {
        record r = { code, (uint32_t)strlen(out), (uint32_t)strlen(err) };
        good = send_all(pipe, &r, sizeof r) && send_all(pipe, out, r.out) &&
               send_all(pipe, err, r.err);
    }
    free(out);
    free(err);
    return good;
}

static bool forget_output(const jali_worker *w)
{
    return ftruncate(w->out, 0) == 0 && ftruncate(w->err, 0) == 0 &&
           lseek(1, 0, SEEK_SET) == 0 && lseek(2, 0, SEEK_SET) == 0;
}

static bool one_run(const jali_worker *w, unsigned run, int pipe)
{
    char *argv[JALI_AUDIT_WORDS + 2] = { (char *)"jali" };
    int argc = 1;
    for (; w->pair->words[argc - 1] != NULL; argc++)
        argv[argc] = (char *)w->pair->words[argc - 1];
    if (jali_pair_copy(w->pair, ".", run % 2 == 0, NULL) != JALI_OK) return false;
    int code = w->pair->bench->program(argc, argv);
    fflush(NULL);
    return send_output(w, pipe, code) && forget_output(w);
}

/* Never returns. */
static void work(const jali_worker *w, int pipe)
{
    int nothing = open("/dev/null", O_RDONLY);
    if (chdir(w->folder) != 0 || nothing < 0 || dup2(nothing, 0) < 0 || dup2(w->out, 1) < 0 ||
        dup2(w->err, 2) < 0)
        _exit(CANNOT);
    for (unsigned run = w->first; run < w->end; run += w->step)
        if (!one_run(w, run, pipe)) _exit(CANNOT);
    _exit(0);
}

/* ---- outside ------------------------------------------------------------------------- */

static jali_status cannot(jali_err *err)
{
    return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "a worker of the audit failed: %s",
                     strerror(errno));
}

jali_status jali_worker_start(jali_worker *w, jali_err *err)
{
    int ends[2];
    w->out = memfd_create("out", MFD_CLOEXEC);
    w->err = memfd_create("err", MFD_CLOEXEC);
    w->pid = -1;
    w->pipe = -1;
    if (w->out < 0 || w->err < 0 || pipe2(ends, O_CLOEXEC) != 0) return cannot(err);
    w->pipe = ends[0];
    (void)fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES); /* a wish */
    fflush(NULL); /* or the worker would print our pending lines again */
    w->pid = fork();
    if (w->pid == 0) {
        close(ends[0]);
        work(w, ends[1]);
    }
    close(ends[1]);
    return w->pid > 0 ? JALI_OK : cannot(err);
}

void jali_worker_end(jali_worker *w)
{
    if (w->pid > 0) {
        kill(w->pid, SIGKILL);
        while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR) continue;
    }
    if (w->pipe >= 0) close(w->pipe);
    if (w->out >= 0) close(w->out);
    if (w->err >= 0) close(w->err);
    w->pid = w->pipe = w->out = w->err = -1;
}

/* A crash is an output like any other. */
static jali_status take_death(jali_worker *w, jali_output *out, jali_err *err)
{
    int state = 0;
    while (waitpid(w->pid, &state, 0) < 0 && errno == EINTR) continue;
    w->pid = -1;
    if (WIFEXITED(state) && WEXITSTATUS(state) == CANNOT) return cannot(err);
    out->exit_code = WIFEXITED(state) ? WEXITSTATUS(state) : 1000 + WTERMSIG(state);
    out->out = jali_child_read(w->out);
    out->err = jali_child_read(w->err);
    jali_worker_end(w);
    if (out->out == NULL || out->err == NULL) return jali_fail_memory(err);
    w->first += w->step;
    return w->first < w->end ? jali_worker_start(w, err) : JALI_OK;
}

jali_status jali_worker_next(jali_worker *w, jali_output *out, jali_err *err)
{
    record r;
    *out = (jali_output){ 0 };
    int got = receive_all(w->pipe, &r, sizeof r);
    if (got == 0) return take_death(w, out, err);
    if (got < 0) return cannot(err);
    out->exit_code = r.exit_code;
    out->out = calloc(1, (size_t)r.out + 1);
    out->err = calloc(1, (size_t)r.err + 1);
    if (out->out == NULL || out->err == NULL) return jali_fail_memory(err);
    if (receive_all(w->pipe, out->out, r.out) != 1 ||
        receive_all(w->pipe, out->err, r.err) != 1)
        return cannot(err);
    w->first += w->step;
    return JALI_OK;
}
