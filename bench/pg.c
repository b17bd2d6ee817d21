/* bench/pg.c — questions over a table that stays in PostgreSQL, beside the bare queries.
 *
 * Starts servers of its own on sockets (tests/support/pgserver), fills a table of ten columns
 * (JALI_BENCH_PG_ROWS rows, 10^7 if not set) and asks it as a user does, by the program
 * beside this one. The bare queries are what a person would type into psql for the same
 * numbers; both run in turn, and the middle of the ratios counts. Bytes are counted by a relay
 * between the program and the server. */
#define _GNU_SOURCE
#include "bench.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 3, SERVERS = 4 }; /* one whole, three thirds */

static char folder[64], program[512], home[SERVERS][128];

static int shell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static int shell(const char *fmt, ...)
{
    char command[8192];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(command, sizeof command, fmt, ap);
    va_end(ap);
    int code = system(command);
    return code == -1 ? -1 : WEXITSTATUS(code);
}

static void read_line(const char *path, char *out, size_t room)
{
    FILE *file = fopen(path, "r");
    if (file == NULL || fgets(out, (int)room, file) == NULL) out[0] = '\0';
    out[strcspn(out, "\n")] = '\0';
    if (file != NULL) fclose(file);
}

static void start(int i, uint64_t rows)
{
    char path[128];
    int code = shell("%s start %s/s%d \"shared_buffers = 512MB\" \"max_wal_size = 8GB\" > "
                     "%s/home%d",
                     JALI_PGSERVER, folder, i, folder, i);
    bench_need(code == 0, "PostgreSQL could not be started");
    snprintf(path, sizeof path, "%s/home%d", folder, i);
    read_line(path, home[i], sizeof home[i]);
    /* Four texts, a flag and five numbers, from a hash of the row's number. */
    code = shell(
        "psql -q -h %s postgres -c \"CREATE UNLOGGED TABLE t AS SELECT ('{north,south,east,west}'"
        "::text[])[1 + h %% 4] AS region, ('{a,b,c,d,e,f}'::text[])[1 + h / 4 %% 6] AS kind, "
        "('{yes,no,maybe}'::text[])[1 + h / 24 %% 3] AS reply, ('{x,y}'::text[])[1 + h / 72 %% 2] AS "
        "side, h / 144 %% 2 = 0 AS flag, h / 288 %% 90 AS age, h / 7 %% 12 AS month, h / 11 %% 20 AS "
        "grade, h / 13 %% 50 AS visits, h / 17 %% 1000 AS cost FROM (SELECT "
        "abs(hashint8(n)) AS h FROM generate_series(1, %llu) n) q\" -c \"VACUUM ANALYZE t\"",
        home[i], (unsigned long long)rows);
    bench_need(code == 0, "the table could not be made");
}

static void write_schema(void)
{
    char path[128];
    snprintf(path, sizeof path, "%s/schema.json", folder);
    FILE *file = fopen(path, "w");
    bench_need(file != NULL, "no schema could be written");
    fputs(
        "{\"fields\":["
        "{\"name\":\"region\",\"type\":\"string\",\"constraints\":{\"enum\":[\"north\",\"south\",\"east\","
        "\"west\"]}},"
        "{\"name\":\"kind\",\"type\":\"string\",\"constraints\":{\"enum\":[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\"]}},"
        "{\"name\":\"reply\",\"type\":\"string\",\"constraints\":{\"enum\":[\"yes\",\"no\",\"maybe\"]}},"
        "{\"name\":\"side\",\"type\":\"string\",\"constraints\":{\"enum\":[\"x\",\"y\"]}},"
        "{\"name\":\"flag\",\"type\":\"boolean\"},"
        "{\"name\":\"age\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":89},"
        "\"jali\":{\"bins\":[0,30,60,89]}},"
        "{\"name\":\"month\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":11}},"
        "{\"name\":\"grade\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":19}},"
        "{\"name\":\"visits\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":49}},"
        "{\"name\":\"cost\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":999}}]}",
        file);
    fclose(file);
}

static void make_vault(const char *name, const char *servers)
{
    int code = shell("%s init %s/%s.jali %s --table t --schema %s/schema.json --epsilon 1000 "
                     "--delta 1e-6 > /dev/null",
                     program, folder, name, servers, folder);
    bench_need(code == 0, "the vault could not be made");
}

/* ---- a relay that counts
 * ---------------------------------------------------------------------- */

static atomic_ullong moved;

static int connect_to(const char *host)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    snprintf(to.sun_path, sizeof to.sun_path, "%.90s/.s.PGSQL.5432", host);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) == 0) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

static int pass_on(int from, int to)
{
    char bytes[65536];
    ssize_t n = read(from, bytes, sizeof bytes);
    for (ssize_t at = 0; at < n;) {
        ssize_t put = write(to, bytes + at, (size_t)(n - at));
        if (put <= 0) return 0;
        at += put;
    }
    if (n > 0) atomic_fetch_add(&moved, (unsigned long long)n);
    return n > 0;
}

static void *pump(void *self)
{
    int client = (int)(intptr_t)self, server = connect_to(home[0]);
    struct pollfd both[2] = { { client, POLLIN, 0 }, { server, POLLIN, 0 } };
    while (server >= 0 && poll(both, 2, -1) > 0)
        if ((both[0].revents && !pass_on(client, server)) ||
            (both[1].revents && !pass_on(server, client)))
            break;
    close(client);
    if (server >= 0) close(server);
    return NULL;
}

static void *relay(void *self)
{
    int door = (int)(intptr_t)self, client;
    while ((client = accept(door, NULL, NULL)) >= 0) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, pump, (void *)(intptr_t)client) == 0)
            pthread_detach(thread);
    }
    return NULL;
}

static void open_relay(void)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    pthread_t thread = 0;
    snprintf(at.sun_path, sizeof at.sun_path, "%s/.s.PGSQL.5432", folder);
    int door = socket(AF_UNIX, SOCK_STREAM, 0);
    bench_need(door >= 0 && bind(door, (struct sockaddr *)&at, sizeof at) == 0 &&
                   listen(door, 8) == 0 &&
                   pthread_create(&thread, NULL, relay, (void *)(intptr_t)door) == 0,
               "no relay");
    pthread_detach(thread);
}

/* ---- questions
 * -------------------------------------------------------------------------------- */

static double timed(const char *command)
{
    double from = bench_seconds();
    if (shell("%s > %s/out 2>&1", command, folder) != 0) {
        shell("tail -3 %s/out >&2", folder);
        bench_need(0, command);
    }
    return bench_seconds() - from;
}

static const char count_sql[] =
    "SELECT region, kind, COUNT(*), SUM(cost) FROM t WHERE age > 20 GROUP BY region, kind";

/* A question is new each time: another epsilon is another release. */
static double ask(const char *vault, int round)
{
    char command[2048];
    snprintf(command, sizeof command, "%s ask %s/%s.jali \"%s\" --epsilon 0.%d --yes", program,
             folder, vault, count_sql, 100 + round);
    return timed(command);
}

static double bare_ask(void)
{
    char command[1024];
    snprintf(command, sizeof command, "psql -q -h %s postgres -c \"%s\"", home[0], count_sql);
    return timed(command);
}

static double why(const char *vault, int round)
{
    char command[2048];
    snprintf(
        command, sizeof command,
        "%s why %s/%s.jali r1 \"north,a > south,a\" --of \"COUNT(*)\" --epsilon 0.%d --yes",
        program, folder, vault, 100 + round);
    return timed(command);
}

/* The rows of two groups by each column that may explain them: what l = 1 needs. */
static double bare_why(void)
{
    static const char *const by[] = { "reply", "side",  "flag",   "age / 30",
                                      "month", "grade", "visits", "cost" };
    char command[4096];
    size_t used = (size_t)snprintf(command, sizeof command, "psql -q -h %s postgres", home[0]);
    for (size_t i = 0; i < sizeof by / sizeof *by; i++)
        used +=
            (size_t)snprintf(command + used, sizeof command - used,
                             " -c \"SELECT region, %s, count(*) FROM t WHERE kind = 'a' AND "
                             "region IN ('north', 'south') AND age > 20 GROUP BY 1, 2\"",
                             by[i]);
    return timed(command);
}

static void ratio(const char *name, double (*ours)(const char *, int), double (*bare)(void))
{
    double r[ROUNDS], seconds[ROUNDS];
    char line[64];
    bare(); /* the first one reads the disk */
    for (int i = 0; i < ROUNDS; i++) {
        double theirs = bare();
        seconds[i] = ours("one", i);
        r[i] = seconds[i] / theirs;
    }
    snprintf(line, sizeof line, "pg.%s.ratio", name);
    bench_print(line, bench_middle(r, ROUNDS), "x");
    snprintf(line, sizeof line, "pg.%s.seconds", name);
    bench_print(line, bench_middle(seconds, ROUNDS), "s");
}

static double wire_of(double (*ours)(const char *, int), int round)
{
    atomic_store(&moved, 0);
    ours("relayed", round);
    return (double)atomic_load(&moved) / 1024;
}

static void shards(void)
{
    double r[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        double one = ask("one", 20 + i);
        r[i] = ask("three", 20 + i) / one;
    }
    bench_print("pg.shards.ratio", bench_middle(r, ROUNDS), "x");
}

static void measure(uint64_t rows)
{
    char servers[1024];
    start(0, rows);
    write_schema();
    snprintf(servers, sizeof servers, "--postgres \"host=%s dbname=postgres\"", home[0]);
    make_vault("one", servers);
    ratio("ask", ask, bare_ask);
    ratio("why", why, bare_why);
    open_relay();
    snprintf(servers, sizeof servers, "--postgres \"host=%s dbname=postgres\"", folder);
    make_vault("relayed", servers);
    double asked = wire_of(ask, 0), explained = wire_of(why, 1);
    bench_print("pg.wire.ask.kb", asked, "kB");
    bench_print("pg.wire.kb", explained > asked ? explained : asked, "kB");
    struct rusage use;
    getrusage(RUSAGE_CHILDREN, &use);
    bench_print("pg.memory.mb", (double)use.ru_maxrss / 1024, "MB");
    for (int i = 1; i < SERVERS; i++) start(i, rows / 3);
    snprintf(servers, sizeof servers,
             "--postgres \"host=%s dbname=postgres\" --postgres \"host=%s dbname=postgres\" "
             "--postgres \"host=%s dbname=postgres\"",
             home[1], home[2], home[3]);
    make_vault("three", servers);
    shards();
}

static void tidy(void)
{
    for (int i = 0; i < SERVERS; i++)
        if (home[i][0] != '\0') shell("%s stop %s/s%d", JALI_PGSERVER, folder, i);
    shell("rm -rf %s", folder);
}

/* Servers must not outlive us: an end from outside is an end by exit. */
static void leave(int signal_number)
{
    (void)signal_number;
    exit(1);
}

static void run(void)
{
    const char *given = getenv("JALI_BENCH_PG_ROWS");
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 8);
    bench_need(n > 0, "where is the program?");
    program[n] = '\0';
    snprintf(strrchr(program, '/'), 8, "/jali");
    snprintf(folder, sizeof folder, "/tmp/jali-bench-pg-XXXXXX");
    bench_need(mkdtemp(folder) != NULL, "no temporary folder");
    atexit(tidy);
    signal(SIGTERM, leave);
    signal(SIGINT, leave);
    measure(given == NULL ? 10000000 : strtoull(given, NULL, 10));
}

const jali_bench_set bench_pg = { "pg", run };
