/* http/host.c — which names are ours.
 *
 * A page of another site whose name is made to lead to this machine is, for the browser, a page
 * of the server that it reaches: it may read what it asks for. It has no cookie of ours and
 * must know a token; with this it has no reply either. With TLS the certificate does the same,
 * so names are looked at there only if some were given.
 */
#define _GNU_SOURCE
#include "http/handle.h"
#include <string.h>
#include <strings.h>

static bool same(const char *a, size_t n, const char *b)
{
    return strlen(b) == n && strncasecmp(a, b, n) == 0;
}

/* NAME, NAME:PORT, [ADDRESS] or [ADDRESS]:PORT: how many bytes are the name? */
static size_t name_of(const char *host)
{
    size_t n = strcspn(host, host[0] == '[' ? "]" : ":");
    return n + (host[0] == '[' && host[n] == ']');
}

static bool is_ours(const http_server *s, const char *host)
{
    size_t n = name_of(host);
    if (host[n] != '\0' &&
        (host[n] != ':' || strspn(host + n + 1, "0123456789") != strlen(host + n + 1)))
        return false;
    if (same(host, n, "localhost")) return true;
    const char *listen = s->listen == NULL ? "127.0.0.1" : s->listen;
    size_t n_listen = name_of(listen);
    if (n == n_listen && strncasecmp(host, listen, n) == 0) return true;
    for (size_t i = 0; i < s->n_hosts; i++)
        if (same(host, n, s->host[i])) return true;
    return false;
}

struct looking {
    const http_server *server;
    bool good;
};

static enum MHD_Result look(void *self, enum MHD_ValueKind kind, const char *name,
                            const char *value)
{
    struct looking *l = self;
    (void)kind;
    if (strcasecmp(name, "Host") == 0) l->good &= value != NULL && is_ours(l->server, value);
    return MHD_YES;
}

bool http_host_is_ours(const http_exchange *x)
{
    struct looking l = { .server = x->server, .good = true };
    if (x->server->tls && x->server->n_hosts == 0) return true;
    MHD_get_connection_values(x->connection, MHD_HEADER_KIND, look, &l);
    return l.good;
}
