/* audit/child.c — a command line, run in a child by the path that users take. */
#define _GNU_SOURCE
#include "audit/audit.h"
#include "audit/inside.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_OUTPUT = 1 << 24 };

/* Never returns: what the program would print goes to the two files. */
static void be_the_program(jali_program program, const char *folder, const char *const *words,
                           int out, int err)
{
    char *argv[JALI_AUDIT_WORDS + 2] = { (char *)"jali" };
    int argc = 1;
    int nothing = open("/dev/null", O_RDONLY);
    for (; words[argc - 1] != NULL && argc <= JALI_AUDIT_WORDS; argc++)
        argv[argc] = (char *)words[argc - 1];
    if (chdir(folder) != 0 || nothing < 0 || dup2(nothing, 0) < 0 || dup2(out, 1) < 0 ||
        dup2(err, 2) < 0)
        _exit(127);
    int code = program(argc, argv);
    fflush(NULL);
    _exit(code);
}

jali_status jali_child_start(jali_child *child, jali_program program, const char *folder,
                             const char *const *words, jali_err *err)
{
    child->out = memfd_create("out", MFD_CLOEXEC);
    child->err = memfd_create("err", MFD_CLOEXEC);
    fflush(NULL); /* or the child would print our pending lines again */
    child->pid = child->out < 0 || child->err < 0 ? -1 : fork();
    if (child->pid == 0) be_the_program(program, folder, words, child->out, child->err);
    if (child->pid > 0) return JALI_OK;
    return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "a child cannot be started: %s",
                     strerror(errno));
}

char *jali_child_read(int fd)
{
    off_t size = lseek(fd, 0, SEEK_END);
    if (size < 0 || size > MAX_OUTPUT) return NULL;
    char *text = calloc(1, (size_t)size + 1);
    if (text != NULL && pread(fd, text, (size_t)size, 0) != size) {
        free(text);
        return NULL;
    }
    return text;
}

jali_status jali_child_end(jali_child *child, jali_output *out, jali_err *err)
{
    int state = 0;
    pid_t got;
    do got = waitpid(child->pid, &state, 0);
    while (got < 0 && errno == EINTR);
    /* A crash is an output like any other. */
    out->exit_code = WIFEXITED(state) ? WEXITSTATUS(state) : 1000 + WTERMSIG(state);
    out->out = jali_child_read(child->out);
    out->err = jali_child_read(child->err);
    close(child->out);
    close(child->err);
    if (got == child->pid && out->out != NULL && out->err != NULL) return JALI_OK;
    jali_output_clear(out);
    return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "a child's output cannot be read");
}

void jali_output_clear(jali_output *output)
{
    free(output->out);
    free(output->err);
    *output = (jali_output){ 0 };
}

jali_status jali_audit_run(jali_program program, const char *folder, const char *const *words,
                           jali_output *out, jali_err *err)
{
    jali_child child;
    *out = (jali_output){ 0 };
    JALI_TRY(jali_child_start(&child, program, folder, words, err));
    return jali_child_end(&child, out, err);
}
