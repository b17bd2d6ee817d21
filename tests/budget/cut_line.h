/* tests/budget/cut_line.h — a line to the server that breaks where the test says.
 *
 * A process listens on a socket of its own, passes bytes on both ways, and looks for the one
 * message that matters: COMMIT. */
#ifndef JALI_TESTS_BUDGET_CUT_LINE_H
#define JALI_TESTS_BUDGET_CUT_LINE_H

#include "unit.h"
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

typedef enum cut {
    CUT_BEFORE,   /* the first COMMIT never arrives                      */
    CUT_AFTER,    /* the first COMMIT arrives, its answer does not       */
    CUT_FOR_GOOD, /* the same, and nobody can connect afterwards         */
} cut;

static inline int line_socket(const char *folder, struct sockaddr_un *at)
{
    *at = (struct sockaddr_un){ .sun_family = AF_UNIX };
    snprintf(at->sun_path, sizeof at->sun_path, "%s/.s.PGSQL.5432", folder);
    return socket(AF_UNIX, SOCK_STREAM, 0);
}

static inline bool is_commit(const char *bytes, size_t n)
{
    static const char message[] = "Q\0\0\0\013COMMIT";
    return n >= sizeof message && memcmp(bytes, message, sizeof message) == 0;
}

static inline bool pass(int from, int to)
{
    char bytes[65536];
    ssize_t n = read(from, bytes, sizeof bytes);
    for (ssize_t done = 0, k; n > 0 && done < n; done += k)
        if ((k = write(to, bytes + done, (size_t)(n - done))) <= 0) return false;
    return n > 0;
}

/* One connection, until it ends or is cut; true if it was cut. */
static inline bool serve_line(int client, cut how, bool *armed)
{
    struct sockaddr_un at;
    char bytes[16];
    int server = line_socket(getenv("PGHOST"), &at);
    if (connect(server, (struct sockaddr *)&at, sizeof at) != 0) _exit(3);
    for (;;) {
        struct pollfd ends[] = { { client, POLLIN, 0 }, { server, POLLIN, 0 } };
        poll(ends, 2, -1);
        if (ends[0].revents != 0) {
            ssize_t n = recv(client, bytes, sizeof bytes, MSG_PEEK);
            bool now = *armed && n > 0 && is_commit(bytes, (size_t)n);
            if (now && how == CUT_BEFORE) break;
            if (!pass(client, server)) {
                close(server);
                return false;
            }
            if (now) {
                /* The answer is here, so it is done; the client will not hear of it. */
                if (recv(server, bytes, 1, MSG_PEEK) != 1) _exit(4);
                break;
            }
        }
        if (ends[1].revents != 0 && !pass(server, client)) break;
    }
    *armed = false;
    close(server);
    return true;
}

/* The process; kill it with SIGKILL. */
static inline pid_t line_start(const char *folder, cut how)
{
    struct sockaddr_un at;
    int line = line_socket(folder, &at);
    CHECK(bind(line, (struct sockaddr *)&at, sizeof at) == 0 && listen(line, 8) == 0);
    pid_t child = fork();
    if (child != 0) {
        close(line);
        return child;
    }
    signal(SIGPIPE, SIG_IGN);
    for (bool armed = true;;) {
        int client = accept(line, NULL, NULL);
        bool cut_now = serve_line(client, how, &armed);
        close(client);
        if (cut_now && how == CUT_FOR_GOOD) _exit(0);
    }
}

static inline void line_stop(pid_t line)
{
    kill(line, SIGKILL);
    waitpid(line, NULL, 0);
}

#endif
