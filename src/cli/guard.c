/* cli/guard.c — work that can be interrupted at any moment and leaves nothing behind.
 *
 * The work runs in a child. Ctrl-C reaches both; the child dies where it stands, the parent
 * outlives it and sweeps up.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t worker;

static void pass_on(int signal)
{
    if (worker > 0) kill((pid_t)worker, signal);
}

static void listen_to(void (*handler)(int))
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction act = { .sa_handler = handler };
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &act, NULL);
}

bool cli_guard(cli_call *call, const char *vault)
{
    int state = 0;
    listen_to(pass_on); /* before the child exists: no signal may fall between */
    pid_t child = fork();
    if (child <= 0) { /* the child; or no child, and the work is done without a guard */
        listen_to(SIG_DFL);
        return true;
    }
    worker = child;
    while (waitpid(child, &state, 0) < 0 && errno == EINTR) continue;
    worker = 0;
    listen_to(SIG_DFL);
    if (WIFEXITED(state)) {
        call->exit_code = WEXITSTATUS(state);
        return false;
    }
    jali_vault_sweep(vault);
    fputs("jali: interrupted; nothing was made\n", stderr);
    call->exit_code = 128 + WTERMSIG(state);
    return false;
}
