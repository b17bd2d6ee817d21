/* http/serve.c — the life of a server: vaults, address, threads, signals. */
#define _GNU_SOURCE
#include "http/http.h"
#include "http/server.h"
#include <arpa/inet.h>
#include <errno.h>
#include <malloc.h>
#include <netdb.h>
#include <signal.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTIONS = 1024, CONNECTIONS_EACH = 512, PATIENCE_S = 20, STOP_MS = 5000 };

/* TLS 1.2 and 1.3, forward secrecy, sealed records; GnuTLS by itself would still speak 1.0. */
static char TLS[] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA:-CIPHER-ALL:"
                    "+AES-256-GCM:+CHACHA20-POLY1305:+AES-128-GCM";

JALI_PRINTF(3, 4)
static jali_status refuse(jali_err *err, jali_status code, const char *fmt, ...)
{
    va_list ap;
    *err = (jali_err){ .code = code, .reader = JALI_FOR_CURATOR };
    va_start(ap, fmt);
    vsnprintf(err->text, sizeof err->text, fmt, ap);
    va_end(ap);
    return code;
}

/* ---- vaults
 * ---------------------------------------------------------------------------------- */

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* Every vault opens now, or the server does not start. */
static jali_status add_vaults(http_server *s, const http_options *o, jali_err *err)
{
    if (o->n_vaults == 0 || o->n_vaults > HTTP_VAULTS)
        return refuse(err, JALI_E_USAGE, "serve takes 1 to %d vaults", HTTP_VAULTS);
    for (size_t i = 0; i < o->n_vaults; i++) {
        jali_doc *doc;
        jali_status status = jali_vault_show(o->vault[i], &doc, err);
        if (status != JALI_OK) return status;
        jali_doc_free(doc);
        http_vault *v = &s->vault[s->n_vaults];
        status = jali_hold_open(o->vault[i], &v->hold, err);
        if (status != JALI_OK) return status;
        v->path = o->vault[i];
        v->name = name_of(o->vault[i]);
        s->n_vaults++;
    }
    return JALI_OK;
}

/* ---- the address
 * ------------------------------------------------------------------------------ */

static bool is_loopback(const struct sockaddr *a)
{
    if (a->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)(const void *)a)->sin_addr.s_addr) >> 24 ==
               127;
    return a->sa_family == AF_INET6 &&
           IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)a)->sin6_addr);
}

static jali_status resolve(const char *listen, struct sockaddr_storage *out, jali_err *err)
{
    char host[256];
    const char *colon = strrchr(listen, ':');
    struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
                              .ai_socktype = SOCK_STREAM },
                    *found = NULL;
    if (colon == NULL || (size_t)(colon - listen) >= sizeof host)
        return refuse(err, JALI_E_USAGE, "--listen %.60s is not ADDRESS:PORT", listen);
    size_t n = (size_t)(colon - listen);
    bool brackets = n > 2 && listen[0] == '[' && listen[n - 1] == ']';
    snprintf(host, sizeof host, "%.*s", (int)(brackets ? n - 2 : n), listen + brackets);
    if (getaddrinfo(host, colon + 1, &hints, &found) != 0)
        return refuse(err, JALI_E_USAGE,
                      "--listen %.60s: write a numeric address and a port, like 127.0.0.1:8080",
                      listen);
    memcpy(out, found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    return JALI_OK;
}

static char *read_pem(const char *path, jali_status *status, jali_err *err)
{
    FILE *f = fopen(path, "rbe");
    char *text = calloc(1, 1 << 16);
    size_t n = f == NULL || text == NULL ? 0 : fread(text, 1, (1 << 16) - 1, f);
    if (f != NULL) fclose(f);
    if (n > 0) return text;
    free(text);
    *status = refuse(err, JALI_E_ENGINE, "%.200s cannot be read", path);
    return NULL;
}

/* The library does not say why; a certificate that it cannot use leaves no number behind, or
 * that of some file it looked for. */
static jali_status cannot_listen(const http_server *s, const http_options *o, jali_err *err)
{
    const char *listen = o->listen == NULL ? "127.0.0.1:8080" : o->listen;
    bool taken = errno == EADDRINUSE || errno == EACCES || errno == EADDRNOTAVAIL;
    if (s->tls && !taken)
        return refuse(err, JALI_E_ENGINE,
                      "cannot listen on %.60s: %.200s and %.200s are not a certificate and its "
                      "key, in PEM",
                      listen, o->tls_cert, o->tls_key);
    return refuse(err, JALI_E_ENGINE, "cannot listen on %.60s: %s", listen, strerror(errno));
}

static jali_status listen_on(http_server *s, const http_options *o, jali_err *err)
{
    struct sockaddr_storage address = { 0 };
    jali_status status =
        resolve(o->listen == NULL ? "127.0.0.1:8080" : o->listen, &address, err);
    if (status != JALI_OK) return status;
    s->tls = o->tls_cert != NULL && o->tls_key != NULL;
    if (!s->tls && (o->tls_cert != NULL || o->tls_key != NULL))
        return refuse(err, JALI_E_USAGE, "--tls-cert and --tls-key belong together: give both");
    if (!s->tls && !is_loopback((struct sockaddr *)&address))
        return refuse(err, JALI_E_USAGE,
                      "%.60s is a public address: give --tls-cert and --tls-key, or listen on "
                      "127.0.0.1",
                      o->listen);
    char *cert = s->tls ? read_pem(o->tls_cert, &status, err) : NULL;
    char *key = cert != NULL ? read_pem(o->tls_key, &status, err) : NULL;
    unsigned flags = MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | MHD_ALLOW_SUSPEND_RESUME |
                     (address.ss_family == AF_INET6 ? MHD_USE_IPv6 : 0) |
                     (s->tls ? MHD_USE_TLS : 0);
    if (status == JALI_OK) {
        errno = 0;
        struct MHD_OptionItem tls[] = { { MHD_OPTION_HTTPS_MEM_CERT, 0, cert },
                                        { MHD_OPTION_HTTPS_MEM_KEY, 0, key },
                                        { MHD_OPTION_HTTPS_PRIORITIES, 0, TLS },
                                        { MHD_OPTION_END, 0, NULL } };
        s->daemon = MHD_start_daemon(
            flags, 0, NULL, NULL, http_handle, s, MHD_OPTION_SOCK_ADDR, &address,
            MHD_OPTION_NOTIFY_COMPLETED, http_done, s, MHD_OPTION_NOTIFY_CONNECTION,
            http_guest_comes, s, MHD_OPTION_THREAD_POOL_SIZE, (unsigned)HTTP_THREADS,
            MHD_OPTION_THREAD_STACK_SIZE, (size_t)HTTP_STACK, MHD_OPTION_CONNECTION_LIMIT,
            (unsigned)CONNECTIONS, MHD_OPTION_PER_IP_CONNECTION_LIMIT,
            (unsigned)CONNECTIONS_EACH, MHD_OPTION_CONNECTION_TIMEOUT,
            (unsigned)(s->patience_ms / 1000 + 1), MHD_OPTION_ARRAY, s->tls ? tls : tls + 3,
            MHD_OPTION_END);
        if (s->daemon == NULL) status = cannot_listen(s, o, err);
    }
    free(cert);
    free(key);
    return status;
}

/* ---- life
 * --------------------------------------------------------------------------------------- */

static void tell_ready(const http_server *s, const http_options *o)
{
    char address[300];
    const union MHD_DaemonInfo *port =
        MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT);
    const char *listen = o->listen == NULL ? "127.0.0.1:8080" : o->listen;
    snprintf(address, sizeof address, "%s://%.*s:%u", s->tls ? "https" : "http",
             (int)(strrchr(listen, ':') - listen), listen, port == NULL ? 0 : port->port);
    if (o->ready != NULL) o->ready(address);
}

static void wait_for_signal(void)
{
    sigset_t stop;
    int which;
    sigemptyset(&stop);
    sigaddset(&stop, SIGINT);
    sigaddset(&stop, SIGTERM);
    while (sigwait(&stop, &which) != 0) continue;
}

static void block_signals(void)
{
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGINT);
    sigaddset(&stop, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &stop, NULL);
    signal(SIGPIPE, SIG_IGN);
}

/* What was begun is finished, stored and told; then nobody is listened to. */
static void stop(http_server *s)
{
    struct timespec pause = { .tv_nsec = 10000000 };
    http_log(s, -1, "stopping: what was begun is finished first");
    int listening = MHD_quiesce_daemon(s->daemon);
    http_work_stop(s);
    for (int ms = 0; atomic_load(&s->open) > 0 && ms < STOP_MS; ms += 10)
        nanosleep(&pause, NULL);
    MHD_stop_daemon(s->daemon);
    if (listening >= 0) close(listening);
    http_work_clear(s);
}

/* Every request takes some tens of kilobytes and gives them back; by default the C library asks
 * the system for them each time. */
static void keep_memory(void)
{
    (void)mallopt(M_TOP_PAD, 1 << 20);
    (void)mallopt(M_TRIM_THRESHOLD, 16 << 20);
}

static void init(http_server *s, const http_options *options)
{
    unsigned patience_s = options->patience_s > 0 ? options->patience_s : PATIENCE_S;
    s->log = options->log;
    s->since_ms = http_now_ms();
    s->patience_ms = (int64_t)patience_s * 1000;
    pthread_mutex_init(&s->people, NULL);
    pthread_mutex_init(&s->checker, NULL);
    pthread_mutex_init(&s->journal, NULL);
    pthread_mutex_init(&s->guests, NULL);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->wake, NULL);
    randombytes_buf(s->key, sizeof s->key);
    s->cache = http_cache_new();
}

jali_status http_serve(const http_options *options, jali_err *err)
{
    http_server *s = calloc(1, sizeof *s);
    if (s == NULL || sodium_init() < 0) {
        free(s);
        return refuse(err, JALI_E_NOMEM, "there is not enough memory");
    }
    keep_memory();
    s->listen = options->listen;
    s->host = options->host;
    s->n_hosts = options->n_hosts;
    init(s, options);
    block_signals();
    jali_status status = add_vaults(s, options, err);
    if (status == JALI_OK) status = listen_on(s, options, err);
    if (status == JALI_OK) http_log(s, -1, "%s", http_confine(s));
    bool working = status == JALI_OK && s->cache != NULL && http_work_start(s);
    if (status == JALI_OK && !working)
        status = refuse(err, JALI_E_ENGINE, "no threads can be started");
    if (working) {
        tell_ready(s, options);
        wait_for_signal();
        stop(s);
    } else if (s->daemon != NULL)
        MHD_stop_daemon(s->daemon);
    http_cache_free(s->cache);
    for (size_t i = 0; i < s->n_vaults; i++) jali_hold_close(s->vault[i].hold);
    free(s);
    return status;
}
