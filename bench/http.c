/* bench/http.c — 64 clients against one server, on loopback, for a minute each.
 *
 * Cached: everybody reads stored releases as fast as they come. Charged: everybody asks for a
 * price, accepts it, and follows the job, 32 at a time (with few, what is measured is the wait
 * for the next tick of the grid); no two questions are equal: each pays. The rate of charges is
 * compared with the ledger's own, which has two commits to sync for each, once alone and once
 * beside as much work as the clients make. One by one: everybody waits for each reply, which
 * leaves on the grid of time, so that 64 clients cannot have more than 64 replies a tick. Any
 * reply that is not the expected one ends the run, and in the end the ledger must be intact,
 * within its cap, and hold exactly what was acknowledged.
 */
#define _GNU_SOURCE
#include "bench.h"
#include "http_ledger.h"
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    CLIENTS = 64,
    REPLY = 1 << 16,
    SLOTS = 100000 /* of 10 us: a second */,
    STORED = 16,
    AHEAD = 32,
    ANALYSTS = 4, /* one may have a quarter of all jobs in flight */
    GRID_MS = 250 /* docs/server.md */
};

static const char home[] = "/tmp/jali-bench-http";

typedef struct client {
    int fd, number;
    unsigned port;
    const char *token;
    double until;
    uint32_t *slot; /* how many replies took so long; the last: longer */
    uint64_t done;
    char reply[REPLY];
    char *body;
} client;

/* ---- the program beside us --------------------------------------------------------------- */

static const char *program(void)
{
    static char path[512];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 8);
    bench_need(n > 0, "cannot find the program jali");
    path[n] = '\0';
    char *slash = strrchr(path, '/');
    memcpy(slash + 1, "jali", 5);
    return path;
}

/* Runs jali and keeps the first line that it prints; `all`: reads until it ends. */
static pid_t start(char *line, size_t room, const char *const *word, bool all)
{
    int out[2];
    bench_need(pipe(out) == 0, "no pipe");
    pid_t child = fork();
    if (child == 0) {
        dup2(out[1], 1);
        if (freopen("/dev/null", "w", stderr) == NULL) _exit(126);
        close(out[0]);
        if (chdir(home) == 0) execv(program(), (char *const *)(uintptr_t)word);
        _exit(127);
    }
    close(out[1]);
    FILE *f = fdopen(out[0], "r");
    bench_need(f != NULL && fgets(line, (int)room, f) != NULL, word[1]);
    line[strcspn(line, "\n")] = '\0';
    while (all && fgetc(f) != EOF) continue;
    fclose(f);
    return child;
}

static void run(char *line, size_t room, const char *const *word)
{
    int status = 0;
    bench_need(waitpid(start(line, room, word, true), &status, 0) > 0 && status == 0, word[1]);
}

/* ---- one client ----------------------------------------------------------------------------
 */

static void dial(client *c)
{
    int one = 1;
    struct sockaddr_in to = { .sin_family = AF_INET,
                              .sin_port = htons((uint16_t)c->port),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bench_need(c->fd >= 0 && connect(c->fd, (struct sockaddr *)&to, sizeof to) == 0,
               "the server does not answer");
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

/* Sends one request and reads its whole reply; returns the status. */
static int talk(client *c, const char *method, const char *path, const char *more,
                const char *body)
{
    char request[8192];
    size_t n = 0, length = 0, head = 0;
    int size =
        snprintf(request, sizeof request,
                 "%s /api/v1/%s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"
                 "%sContent-Length: %zu\r\n\r\n%s",
                 method, path, c->token, more, strlen(body), body);
    bench_need(size < (int)sizeof request && send(c->fd, request, (size_t)size, 0) == size,
               "a request cannot be sent");
    while (head == 0 || n < head + length) {
        ssize_t got = recv(c->fd, c->reply + n, REPLY - 1 - n, 0);
        bench_need(got > 0, "a reply broke off");
        n += (size_t)got;
        c->reply[n] = '\0';
        char *end = head == 0 ? strstr(c->reply, "\r\n\r\n") : NULL;
        if (end == NULL) continue;
        head = (size_t)(end - c->reply) + 4;
        const char *told = strcasestr(c->reply, "\r\nContent-Length:");
        length = told == NULL || told > end ? 0 : strtoul(told + 17, NULL, 10);
        bench_need(head + length < REPLY, "a reply is too long");
    }
    c->body = c->reply + head;
    return (int)strtol(c->reply + 9, NULL, 10);
}

/* The text of a member; our own replies have no escapes in those that we look for. */
static void member(const client *c, const char *name, char *out, size_t room)
{
    char key[32];
    snprintf(key, sizeof key, "\"%s\": \"", name);
    const char *at = strstr(c->body, key);
    bench_need(at != NULL, "a reply has not what it should have");
    at += strlen(key);
    snprintf(out, room, "%.*s", (int)strcspn(at, "\""), at);
}

static void note_time(client *c, double seconds)
{
    size_t i = (size_t)(seconds * SLOTS);
    c->slot[i < SLOTS ? i : SLOTS]++;
    c->done++;
}

static void *read_stored(void *self)
{
    client *c = self;
    char path[32];
    for (unsigned i = 0; bench_seconds() < c->until; i++) {
        snprintf(path, sizeof path, "releases/r%u", 1 + (i + (unsigned)c->number) % STORED);
        double begin = bench_seconds();
        bench_need(talk(c, "GET", path, "", "") == 200, "a stored release is refused");
        note_time(c, bench_seconds() - begin);
    }
    return NULL;
}

static void question(char *out, size_t room, int who, unsigned i)
{
    snprintf(out, room,
             "{\"verb\": \"ask\", \"sql\": \"SELECT COUNT(*) FROM hospital WHERE age > %u\", "
             "\"rho\": \"0.000001%02d%06u\"}",
             i % 90, who, i);
}

/* A price and its acceptance; the job's path. */
static void begin(client *c, unsigned i, char *path, size_t room)
{
    char text[4096], quote[3000], id[48];
    question(text, sizeof text, c->number, i);
    bench_need(talk(c, "POST", "quotes", "", text) == 200, "a price is refused");
    member(c, "quote", quote, sizeof quote);
    snprintf(text, sizeof text, "{\"quote\": \"%s\"}", quote);
    bench_need(talk(c, "POST", "releases", "Prefer: respond-async\r\n", text) == 202,
               "an acceptance is refused");
    member(c, "job", id, sizeof id);
    snprintf(path, room, "jobs/%s", id);
}

static void finish(client *c, const char *path)
{
    int status;
    while ((status = talk(c, "GET", path, "", "")) == 202) usleep(50000);
    bench_need(status == 200, "a charge is refused");
}

/* Several at a time: a reply leaves on the grid of time, and who waits for each of them sees
 * the grid and not the server. */
static void *spend(void *self)
{
    client *c = self;
    char path[AHEAD][64];
    for (unsigned i = 0; bench_seconds() < c->until; i += AHEAD) {
        double start = bench_seconds();
        for (unsigned k = 0; k < AHEAD; k++) begin(c, i + k, path[k], sizeof path[k]);
        for (unsigned k = 0; k < AHEAD; k++) {
            finish(c, path[k]);
            note_time(c, bench_seconds() - start);
        }
    }
    return NULL;
}

/* As a person does: a price, its acceptance, and the wait for the answer. */
static void *spend_one_by_one(void *self)
{
    client *c = self;
    char text[4096], quote[3000];
    for (unsigned i = 500000; bench_seconds() < c->until; i++) {
        double start = bench_seconds();
        question(text, sizeof text, c->number, i);
        bench_need(talk(c, "POST", "quotes", "", text) == 200, "a price is refused");
        member(c, "quote", quote, sizeof quote);
        snprintf(text, sizeof text, "{\"quote\": \"%s\"}", quote);
        bench_need(talk(c, "POST", "releases", "", text) == 200, "a charge is refused");
        note_time(c, bench_seconds() - start);
    }
    return NULL;
}

/* ---- all of them ----------------------------------------------------------------------------
 */

static double seconds_wanted(void)
{
    const char *text = getenv("SECONDS");
    double seconds = text == NULL ? 0 : strtod(text, NULL);
    return seconds > 0 ? seconds : 60;
}

/* Returns replies a second; *p99 in ms. */
static double together(client *all, void *(*work)(void *), double *p99, uint64_t *done)
{
    pthread_t thread[CLIENTS];
    double begin = bench_seconds();
    uint64_t seen = 0;
    size_t at = 0;
    *done = 0;
    for (int i = 0; i < CLIENTS; i++) {
        memset(all[i].slot, 0, (SLOTS + 1) * sizeof *all[i].slot);
        all[i].done = 0;
        all[i].until = begin + seconds_wanted();
        bench_need(pthread_create(&thread[i], NULL, work, &all[i]) == 0, "no thread");
    }
    for (int i = 0; i < CLIENTS; i++) {
        pthread_join(thread[i], NULL);
        *done += all[i].done;
    }
    double seconds = bench_seconds() - begin;
    for (; at < SLOTS && seen <= *done / 100 * 99; at++)
        for (int i = 0; i < CLIENTS; i++) seen += all[i].slot[at];
    *p99 = (double)at * 1000 / SLOTS;
    return (double)*done / seconds;
}

/* ---- who takes the cores ------------------------------------------------------------------
 */

/* Seconds of a core that a process took until now, in user and in system mode. */
static double cpu_of(pid_t process)
{
    char path[40];
    unsigned long user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    FILE *f = fopen(path, "r");
    bench_need(f != NULL &&
                   fscanf(f, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
                          &user, &system) == 2,
               "the time of a process is not told");
    fclose(f);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

/* What a charge takes of the cores, here and there. */
typedef struct share {
    double client_s, server_s;
} share;

static double charged(client *all, pid_t server, double *p99, uint64_t *paid, share *each)
{
    double us = cpu_of(getpid()), them = cpu_of(server);
    double rate = together(all, spend, p99, paid);
    each->client_s = (cpu_of(getpid()) - us) / (double)*paid;
    each->server_s = (cpu_of(server) - them) / (double)*paid;
    bench_print("http.charge.rps", rate, "1/s");
    bench_print("http.charge.client.ms", each->client_s * 1000, "ms of a core a charge");
    bench_print("http.charge.server.ms", each->server_s * 1000, "ms of a core a charge");
    return rate;
}

/* The ledger without anybody else, and the ledger with the clients but without the server. */
static void compare(const char *vault, double rate, share each)
{
    bench_print("http.charge.ratio", rate / bench_ledger_rate(vault, 0),
                "x of the ledger alone");
    bench_print("http.charge.beside.ratio", rate / bench_ledger_rate(vault, each.client_s),
                "x of the ledger beside the same clients");
}

static void clear_home(void)
{
    char line[80];
    snprintf(line, sizeof line, "rm -rf %s && mkdir -m 700 %s", home, home);
    bench_need(system(line) == 0, "no folder for the vault");
}

typedef char token[128];

static void add_analysts(token *out)
{
    char name[16];
    for (int i = 0; i < ANALYSTS; i++) {
        const char *const add[] = { "jali", "token", "v.jali", "add", "--name", name, NULL };
        snprintf(name, sizeof name, "eve%d", i);
        run(out[i], sizeof out[i], add);
    }
}

static pid_t prepare(token *tokens, unsigned *port)
{
    static const char *const mock[] = { "jali", "mock",  "hospital", "-n",     "1000",
                                        "-o",   "h.csv", "--schema", "h.json", NULL };
    static const char *const init[] = { "jali",  "init",     "v.jali", "--data",
                                        "h.csv", "--schema", "h.json", "--epsilon",
                                        "50",    "--delta",  "1e-6",   NULL };
    static const char *const serve[] = { "jali",        "serve", "v.jali", "--listen",
                                         "127.0.0.1:0", "--log", "log",    NULL };
    char line[256];
    clear_home();
    run(line, sizeof line, mock);
    run(line, sizeof line, init);
    add_analysts(tokens);
    pid_t server = start(line, sizeof line, serve, false);
    const char *colon = strrchr(line, ':');
    bench_need(colon != NULL, "the server does not start");
    *port = (unsigned)strtoul(colon + 1, NULL, 10);
    return server;
}

static void run_http(void)
{
    token tokens[ANALYSTS];
    char vault[128], path[64];
    unsigned port;
    int status = -1;
    uint64_t read, paid, one;
    double p99, rate, single;
    share each;
    client *all = calloc(CLIENTS, sizeof *all);
    pid_t server = prepare(tokens, &port);
    bench_need(all != NULL, "no memory");
    for (int i = 0; i < CLIENTS; i++) {
        all[i] = (client){ .number = i, .port = port, .token = tokens[i % ANALYSTS] };
        all[i].slot = calloc(SLOTS + 1, sizeof *all[i].slot);
        bench_need(all[i].slot != NULL, "no memory");
        dial(&all[i]);
    }
    for (int i = 0; i < ANALYSTS; i++) /* a token is checked once, slowly, one at a time */
        bench_need(talk(&all[i], "GET", "session", "", "") == 200, "a token is refused");
    for (unsigned i = 0; i < STORED; i++) {
        begin(&all[0], 900000 + i, path, sizeof path);
        finish(&all[0], path);
    }
    rate = together(all, read_stored, &p99, &read);
    bench_print("http.cached.rps", rate, "1/s");
    bench_print("http.cached.p99.ms", p99, "ms");
    rate = charged(all, server, &p99, &paid, &each);
    single = together(all, spend_one_by_one, &p99, &one);
    bench_print("http.charge.single.rps", single, "1/s");
    bench_print("http.charge.single.ratio", single * GRID_MS / 1000 / CLIENTS,
                "x of the grid's limit");
    kill(server, SIGTERM);
    bench_need(waitpid(server, &status, 0) == server && status == 0, "the server stops badly");
    snprintf(vault, sizeof vault, "%s/v.jali", home);
    bench_ledger_check(vault, paid + one + STORED);
    compare(vault, rate, each);
    for (int i = 0; i < CLIENTS; i++) {
        close(all[i].fd);
        free(all[i].slot);
    }
    free(all);
}

const jali_bench_set bench_http = { "http", run_http };
