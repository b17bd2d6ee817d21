/* http/patience.c with a clock of our own and real sockets: who is cut off, and who is not. */
#define _GNU_SOURCE
#include "http/server.h"
#include "unit.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PATIENCE = 20000, GUESTS = 3 };

static int64_t now = 1700000000000;
static union MHD_ConnectionInfo info;

int64_t http_now_ms(void)
{
    return now;
}

const union MHD_ConnectionInfo *
__wrap_MHD_get_connection_info(struct MHD_Connection *c, enum MHD_ConnectionInfoType what, ...);
const union MHD_ConnectionInfo *
__wrap_MHD_get_connection_info(struct MHD_Connection *c, enum MHD_ConnectionInfoType what, ...)
{
    (void)c;
    CHECK(what == MHD_CONNECTION_INFO_CONNECTION_FD);
    return &info;
}

typedef struct room {
    http_server *server;
    int ours[GUESTS], theirs[GUESTS];
    void *guest[GUESTS];
} room;

static room open_room(void)
{
    room r = { .server = calloc(1, sizeof *r.server) };
    assert_non_null(r.server);
    pthread_mutex_init(&r.server->guests, NULL);
    r.server->patience_ms = PATIENCE;
    for (int i = 0; i < GUESTS; i++) {
        int ends[2];
        CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
        r.ours[i] = info.connect_fd = ends[0];
        r.theirs[i] = ends[1];
        http_guest_comes(r.server, NULL, &r.guest[i], MHD_CONNECTION_NOTIFY_STARTED);
        assert_non_null(r.guest[i]);
    }
    return r;
}

static void go(room *r, int i)
{
    http_guest_comes(r->server, NULL, &r->guest[i], MHD_CONNECTION_NOTIFY_CLOSED);
    r->guest[i] = NULL;
}

static void close_room(room *r)
{
    for (int i = 0; i < GUESTS; i++) {
        if (r->guest[i] != NULL) go(r, i);
        close(r->ours[i]);
        close(r->theirs[i]);
    }
    CHECK(r->server->guest == NULL);
    free(r->server);
}

/* Was it told that nothing more will come? */
static bool is_cut(const room *r, int i)
{
    char byte;
    ssize_t n = recv(r->theirs[i], &byte, 1, MSG_DONTWAIT);
    CHECK(n == 0 || (n < 0 && errno == EAGAIN));
    return n == 0;
}

SENTENCE(who_sends_nothing_is_cut_when_patience_ends_and_not_before)
{
    UNUSED_STATE;
    room r = open_room();
    http_guests_cut(r.server, now + PATIENCE - 1);
    for (int i = 0; i < GUESTS; i++) CHECK(!is_cut(&r, i));
    http_guests_cut(r.server, now + PATIENCE);
    for (int i = 0; i < GUESTS; i++) CHECK(is_cut(&r, i));
    close_room(&r);
}

SENTENCE(nobody_is_cut_while_we_are_the_slow_ones)
{
    UNUSED_STATE;
    room r = open_room();
    http_guest_wait(r.server, r.guest[1], true);
    http_guests_cut(r.server, now + 100 * PATIENCE);
    CHECK(is_cut(&r, 0) && !is_cut(&r, 1) && is_cut(&r, 2));
    close_room(&r);
}

SENTENCE(a_reply_begins_a_new_patience)
{
    UNUSED_STATE;
    room r = open_room();
    const int64_t began = now;
    http_guest_wait(r.server, r.guest[0], true);
    now += 5 * PATIENCE;
    http_guest_wait(r.server, r.guest[0], false);
    http_guests_cut(r.server, now + PATIENCE - 1);
    CHECK(!is_cut(&r, 0) && is_cut(&r, 1));
    http_guests_cut(r.server, now + PATIENCE);
    CHECK(is_cut(&r, 0));
    now = began;
    close_room(&r);
}

/* The number of a closed descriptor is soon somebody else's. */
SENTENCE(who_has_gone_is_not_touched)
{
    UNUSED_STATE;
    for (int gone = 0; gone < GUESTS; gone++) {
        room r = open_room();
        go(&r, gone);
        http_guests_cut(r.server, now + PATIENCE);
        for (int i = 0; i < GUESTS; i++) CHECK(is_cut(&r, i) == (i != gone));
        close_room(&r);
    }
}

SENTENCE(a_guest_that_could_not_be_noted_is_nobody)
{
    UNUSED_STATE;
    room r = open_room();
    http_guest_wait(r.server, NULL, false);
    void *nobody = NULL;
    http_guest_comes(r.server, NULL, &nobody, MHD_CONNECTION_NOTIFY_CLOSED);
    http_guests_cut(r.server, now + PATIENCE);
    CHECK(is_cut(&r, 0));
    close_room(&r);
}

RUN_ALL(TEST(who_sends_nothing_is_cut_when_patience_ends_and_not_before),
        TEST(nobody_is_cut_while_we_are_the_slow_ones), TEST(a_reply_begins_a_new_patience),
        TEST(who_has_gone_is_not_touched), TEST(a_guest_that_could_not_be_noted_is_nobody))
