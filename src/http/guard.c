/* http/guard.c — strangers who guess.
 *
 * Checking a token takes 64 MB and a twentieth of a second on purpose. An address that shows
 * wrong ones has TRIES of them, and then one more every few seconds. One token is checked at a
 * time, and at most INSIDE threads wait for that, so that one is always free for those who are
 * known: they (person.c) never come here. The table is indexed by a keyed hash: nobody can
 * choose whose place they take.
 */
#define _GNU_SOURCE
#include "http/server.h"
#include <arpa/inet.h>
#include <sodium.h>
#include <string.h>

enum { TRIES = 8, EACH_MS = 3000, INSIDE = HTTP_THREADS - 2 };

/* IPv4 whole; of IPv6 the half that a household has. */
static uint64_t print_of(const http_exchange *x)
{
    unsigned char bytes[8] = { 0 }, hash[crypto_shorthash_BYTES];
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(x->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr *a = info == NULL ? NULL : info->client_addr;
    uint64_t print;
    if (a != NULL && a->sa_family == AF_INET)
        memcpy(bytes, &((const struct sockaddr_in *)(const void *)a)->sin_addr, 4);
    else if (a != NULL && a->sa_family == AF_INET6)
        memcpy(bytes, &((const struct sockaddr_in6 *)(const void *)a)->sin6_addr, 8);
    crypto_shorthash(hash, bytes, sizeof bytes, x->server->key);
    memcpy(&print, hash, sizeof print);
    return print;
}

/* Where the address stands now. Two that share a place share its tries: too strict, never too
 * lax. */
static http_stranger *look(http_server *s, uint64_t print, int64_t now)
{
    http_stranger *e = &s->stranger[print % HTTP_ADDRESSES];
    if (e->since_ms == 0) *e = (http_stranger){ .tries = TRIES, .since_ms = now };
    int64_t earned = (now - e->since_ms) / EACH_MS;
    if (earned > 0) {
        e->tries = earned >= TRIES ? TRIES : e->tries + (unsigned)earned;
        e->tries = e->tries > TRIES ? TRIES : e->tries;
        e->since_ms += earned * EACH_MS;
    }
    return e;
}

static bool refuse(http_exchange *x, const char *sentence, unsigned wait_s)
{
    http_reply_error(x, MHD_HTTP_TOO_MANY_REQUESTS, sentence, NULL);
    x->wait_s = wait_s;
    return false;
}

static void give_back(http_exchange *x)
{
    http_server *s = x->server;
    pthread_mutex_lock(&s->people);
    http_stranger *e = look(s, print_of(x), http_now_ms());
    if (e->tries < TRIES) e->tries++;
    pthread_mutex_unlock(&s->people);
}

/* The try is taken before the check: many at once cannot outrun the count. */
bool http_guard_enter(http_exchange *x)
{
    http_server *s = x->server;
    pthread_mutex_lock(&s->people);
    http_stranger *e = look(s, print_of(x), http_now_ms());
    bool may = e->tries > 0;
    if (may) e->tries--;
    pthread_mutex_unlock(&s->people);
    if (!may)
        return refuse(x, "too many wrong tokens came from your address; wait three seconds",
                      EACH_MS / 1000);
    if (atomic_fetch_add(&s->checking, 1) < INSIDE) {
        pthread_mutex_lock(&s->checker);
        return true;
    }
    atomic_fetch_sub(&s->checking, 1);
    give_back(x);
    return refuse(x, "too many tokens are being checked; try again in a second", 1);
}

void http_guard_leave(http_exchange *x, bool known)
{
    pthread_mutex_unlock(&x->server->checker);
    atomic_fetch_sub(&x->server->checking, 1);
    if (known)
        give_back(x);
    else
        http_log(x->server, -1, "a wrong token was shown");
}
