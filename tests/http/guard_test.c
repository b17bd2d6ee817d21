/* http/guard.c with a clock and addresses of our own: who guesses, and who waits. */
#define _GNU_SOURCE
#include "http/server.h"
#include "unit.h"
#include <arpa/inet.h>
#include <sodium.h>
#include <stdlib.h>

/* ---- the world around it ---- */

static int64_t now = 1700000000000;
static unsigned said_status, logged;
static union MHD_ConnectionInfo address;
static struct sockaddr_in6 six;
static struct sockaddr_in four;

int64_t http_now_ms(void)
{
    return now;
}

void http_reply_error(http_exchange *x, unsigned status, const char *sentence,
                      const jali_err *err)
{
    (void)x, (void)err;
    said_status = status;
    CHECK(strchr(sentence, '\n') == NULL);
}

void http_log(http_server *s, int vault, const char *fmt, ...)
{
    (void)s, (void)vault, (void)fmt;
    logged++;
}

const union MHD_ConnectionInfo *
__wrap_MHD_get_connection_info(struct MHD_Connection *c, enum MHD_ConnectionInfoType what, ...);
const union MHD_ConnectionInfo *
__wrap_MHD_get_connection_info(struct MHD_Connection *c, enum MHD_ConnectionInfoType what, ...)
{
    (void)c;
    CHECK(what == MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return &address;
}

static void from(const char *text)
{
    if (strchr(text, ':') != NULL) {
        six = (struct sockaddr_in6){ .sin6_family = AF_INET6 };
        CHECK(inet_pton(AF_INET6, text, &six.sin6_addr) == 1);
        address.client_addr = (struct sockaddr *)&six;
    } else {
        four = (struct sockaddr_in){ .sin_family = AF_INET };
        CHECK(inet_pton(AF_INET, text, &four.sin_addr) == 1);
        address.client_addr = (struct sockaddr *)&four;
    }
}

typedef struct door {
    http_server *server;
    http_exchange x;
} door;

static door open_door(void)
{
    door d = { .server = calloc(1, sizeof *d.server) };
    assert_non_null(d.server);
    CHECK(sodium_init() >= 0);
    pthread_mutex_init(&d.server->people, NULL);
    pthread_mutex_init(&d.server->checker, NULL);
    memset(d.server->key, 7, sizeof d.server->key); /* the same places in every run */
    d.x.server = d.server;
    from("10.0.0.1");
    said_status = logged = 0;
    return d;
}

static void close_door(door *d)
{
    CHECK(atomic_load(&d->server->checking) == 0);
    free(d->server);
}

/* Shows a token; true if it was looked at. */
static bool show(door *d, bool known)
{
    d->x.wait_s = 0;
    if (!http_guard_enter(&d->x)) return false;
    http_guard_leave(&d->x, known);
    return true;
}

static int wrong_until_refused(door *d)
{
    int n = 0;
    while (n < 100 && show(d, false)) n++;
    return n;
}

/* ---- what must hold ---- */

SENTENCE(eight_wrong_tokens_and_then_a_refusal_that_says_when)
{
    UNUSED_STATE;
    door d = open_door();
    assert_int_equal(wrong_until_refused(&d), 8);
    assert_int_equal(said_status, 429);
    assert_int_equal(d.x.wait_s, 3);
    assert_int_equal(logged, 8);
    CHECK(!show(&d, true)); /* a right one, too: it is not even looked at */
    close_door(&d);
}

SENTENCE(one_more_every_three_seconds_and_never_more_than_eight)
{
    UNUSED_STATE;
    door d = open_door();
    wrong_until_refused(&d);
    now += 2999;
    CHECK(!show(&d, false));
    now += 1;
    assert_int_equal(wrong_until_refused(&d), 1);
    now += 2 * 3000;
    assert_int_equal(wrong_until_refused(&d), 2);
    now += 24 * 3600 * 1000;
    assert_int_equal(wrong_until_refused(&d), 8);
    close_door(&d);
}

SENTENCE(a_right_token_costs_no_try)
{
    UNUSED_STATE;
    door d = open_door();
    for (int i = 0; i < 50; i++) CHECK(show(&d, true));
    assert_int_equal(wrong_until_refused(&d), 8);
    close_door(&d);
}

SENTENCE(one_address_does_not_spend_the_tries_of_another)
{
    UNUSED_STATE;
    door d = open_door();
    wrong_until_refused(&d);
    from("10.0.0.2");
    assert_int_equal(wrong_until_refused(&d), 8);
    close_door(&d);
}

SENTENCE(a_household_of_ipv6_is_one_address)
{
    UNUSED_STATE;
    door d = open_door();
    from("2001:db8:1:2::1");
    wrong_until_refused(&d);
    from("2001:db8:1:2:ffff::9");
    CHECK(!show(&d, false));
    from("2001:db8:1:3::1");
    assert_int_equal(wrong_until_refused(&d), 8);
    close_door(&d);
}

SENTENCE(who_would_wait_too_long_goes_and_keeps_the_try)
{
    UNUSED_STATE;
    door d = open_door();
    atomic_store(&d.server->checking, HTTP_THREADS - 2);
    for (int i = 0; i < 20; i++) CHECK(!show(&d, false));
    assert_int_equal(said_status, 429);
    assert_int_equal(d.x.wait_s, 1);
    assert_int_equal(atomic_load(&d.server->checking), HTTP_THREADS - 2);
    atomic_store(&d.server->checking, 0);
    assert_int_equal(wrong_until_refused(&d), 8);
    close_door(&d);
}

SENTENCE(one_token_is_checked_at_a_time)
{
    UNUSED_STATE;
    door d = open_door();
    CHECK(http_guard_enter(&d.x));
    CHECK(pthread_mutex_trylock(&d.server->checker) != 0);
    http_guard_leave(&d.x, true);
    CHECK(pthread_mutex_trylock(&d.server->checker) == 0);
    pthread_mutex_unlock(&d.server->checker);
    close_door(&d);
}

RUN_ALL(TEST(eight_wrong_tokens_and_then_a_refusal_that_says_when),
        TEST(one_more_every_three_seconds_and_never_more_than_eight),
        TEST(a_right_token_costs_no_try), TEST(one_address_does_not_spend_the_tries_of_another),
        TEST(a_household_of_ipv6_is_one_address),
        TEST(who_would_wait_too_long_goes_and_keeps_the_try),
        TEST(one_token_is_checked_at_a_time))
