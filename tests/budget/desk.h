/* tests/budget/desk.h — a folder with a ledger in it, and short words to use it. */
#ifndef JALI_TESTS_BUDGET_DESK_H
#define JALI_TESTS_BUDGET_DESK_H

#include "base/file.h"
#include "base/rat.h"
#include "budget/ledger.h"
#include "desk_server.h"
#include "unit.h"
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct desk {
    char folder[64], file[96];
    char database[64], server[96]; /* on a server only */
    jali_ledger_places places;
    jali_arena arena;
} desk;

static const int64_t NOON = 1700000000000;

static inline jali_loss desk_pure(const char *eps)
{
    mpq_t q;
    mpq_init(q);
    CHECK_OK(jali_rat_parse(q, eps, "eps", NULL));
    jali_loss loss = jali_loss_pure(q);
    mpq_clear(q);
    return loss;
}

static inline jali_loss desk_gauss(const char *rho)
{
    mpq_t q;
    mpq_init(q);
    CHECK_OK(jali_rat_parse(q, rho, "rho", NULL));
    jali_loss loss = jali_loss_gauss(q);
    mpq_clear(q);
    return loss;
}

static inline jali_cap desk_cap(const char *eps, const char *delta)
{
    mpq_t e, d;
    jali_cap cap;
    mpq_inits(e, d, NULL);
    CHECK_OK(jali_rat_parse(e, eps, "eps", NULL));
    CHECK_OK(jali_rat_parse(d, delta, "delta", NULL));
    CHECK_OK(jali_cap_make(&cap, e, d, NULL, NULL));
    mpq_clears(e, d, NULL);
    return cap;
}

/* A new folder with nothing in it, and a new database with nothing in it. */
static inline void desk_place(desk *d, bool with_database)
{
    *d = (desk){ .folder = "jali-ledger-test-XXXXXX" };
    CHECK(mkdtemp(d->folder) != NULL);
    snprintf(d->file, sizeof d->file, "%s/ledger.%s", d->folder,
             on_server() ? "postgresql" : "sqlite");
    d->places = (jali_ledger_places){ .file = d->file };
    if (!on_server()) return;
    for (size_t i = 0; d->folder[i] != '\0'; i++) /* the folder's name is unique */
        d->database[i] = d->folder[i] == '-' ? '_' : d->folder[i];
    snprintf(d->server, sizeof d->server, "dbname=%s", d->database);
    d->places.server = d->server;
    if (!with_database) return;
    server_admin("CREATE DATABASE \"%s\" TEMPLATE template0", d->database, "");
}

static inline void desk_init(desk *d)
{
    desk_place(d, true);
}

static inline void desk_clear(desk *d)
{
    jali_arena_clear(&d->arena);
    jali_file_remove_tree(d->folder);
    if (on_server()) server_admin("DROP DATABASE \"%s\" WITH (FORCE)", d->database, "");
}

static inline void desk_create(desk *d, const char *eps, const char *delta)
{
    jali_cap cap = desk_cap(eps, delta);
    desk_init(d);
    CHECK_OK(
        jali_ledger_create(&d->places, "census", &cap, &(jali_hand){ "carol", NOON }, NULL));
}

static inline jali_ledger *desk_open(desk *d)
{
    jali_ledger *ledger;
    CHECK_OK(jali_ledger_open(&ledger, &d->places, JALI_LEDGER_WRITE, NULL));
    return ledger;
}

static inline jali_request desk_request(const char *analyst, const char *plan, jali_loss loss)
{
    return (jali_request){ .analyst = analyst,
                           .plan = plan,
                           .loss = loss,
                           .exact = "as said",
                           .note = "laplace",
                           .now_ms = NOON + 1000 };
}

/* Pays; JALI_OK with a receipt, or the refusal. */
static inline jali_status desk_pay(desk *d, jali_ledger *ledger, const char *analyst,
                                   const char *plan, jali_loss loss, jali_charge **charge,
                                   jali_err *err)
{
    jali_request r = desk_request(analyst, plan, loss);
    jali_release stored;
    return jali_ledger_charge(ledger, &r, &d->arena, charge, &stored, err);
}

static inline jali_status desk_quote(desk *d, jali_ledger *ledger, const char *analyst,
                                     const char *plan, jali_loss loss, jali_quote *out,
                                     jali_err *err)
{
    jali_request r = desk_request(analyst, plan, loss);
    return jali_ledger_quote(ledger, &r, &d->arena, out, err);
}

/* Pays and stores a release of the letter r. */
static inline void desk_ask(desk *d, jali_ledger *ledger, const char *analyst, const char *plan,
                            jali_loss loss)
{
    jali_charge *charge = NULL;
    jali_release told;
    CHECK_OK(desk_pay(d, ledger, analyst, plan, loss, &charge, NULL));
    assert_non_null(charge);
    CHECK_OK(jali_charge_spend(charge, loss, NULL));
    CHECK_OK(
        jali_ledger_store(ledger, charge, 'r', "{\"count\":41}", 12, NOON + 2000, &told, NULL));
    jali_charge_free(charge);
}

/* SQL behind the ledger's back, as somebody with sqlite3, or a superuser with psql, would. */
static inline void desk_sql(desk *d, const char *sql)
{
    sqlite3 *db;
    if (on_server()) {
        PGconn *link = server_link(d->database, "jali_census");
        server_do(link, sql);
        PQfinish(link);
        return;
    }
    assert_int_equal(sqlite3_open(d->file, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "PRAGMA synchronous=OFF", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

/* Puts bytes into a file, in a hurry: no sync, for what is only there to be looked at. */
static inline void desk_write(const char *path, const char *bytes, size_t n, mode_t mode)
{
    unlink(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    CHECK(fd >= 0 && write(fd, bytes, n) == (ssize_t)n && close(fd) == 0);
}

/* A new folder with a copy of a closed ledger. */
static inline void desk_copy(desk *d, const desk *model)
{
    static const struct {
        const char *suffix;
        mode_t mode;
    } part[] = { { ".key", 0600 }, { ".checkpoint", 0644 }, { "", 0600 } };
    desk_place(d, false);
    for (size_t i = 0; i < (on_server() ? 2 : 3); i++) {
        char from[128], to[128], *bytes;
        size_t n;
        snprintf(from, sizeof from, "%s%s", model->file, part[i].suffix);
        snprintf(to, sizeof to, "%s%s", d->file, part[i].suffix);
        CHECK_OK(jali_file_read(from, 1 << 24, &d->arena, &bytes, &n, NULL));
        desk_write(to, bytes, n, part[i].mode);
    }
    if (!on_server()) return;
    char pointer[256];
    int n = snprintf(pointer, sizeof pointer,
                     "{\"jali\": 1, \"vault\": \"census\", \"server\": \"%s\"}", d->server);
    desk_write(d->file, pointer, (size_t)n, 0600);
    server_admin("CREATE DATABASE \"%s\" TEMPLATE \"%s\"", d->database, model->database);
}

/* Keeps a copy of the rows of a closed ledger, and brings it back later. */
static inline void desk_keep(desk *d)
{
    char old[128], *bytes;
    size_t n;
    if (on_server()) {
        server_admin("CREATE DATABASE \"%s_old\" TEMPLATE \"%s\"", d->database, d->database);
        return;
    }
    snprintf(old, sizeof old, "%s/old", d->folder);
    CHECK_OK(jali_file_read(d->file, 1 << 24, &d->arena, &bytes, &n, NULL));
    desk_write(old, bytes, n, 0600);
}

static inline void desk_bring_back(desk *d)
{
    char old[128], *bytes;
    size_t n;
    if (on_server()) {
        server_admin("DROP DATABASE \"%s\" WITH (FORCE)", d->database, "");
        server_admin("ALTER DATABASE \"%s_old\" RENAME TO \"%s\"", d->database, d->database);
        return;
    }
    snprintf(old, sizeof old, "%s/old", d->folder);
    CHECK_OK(jali_file_read(old, 1 << 24, &d->arena, &bytes, &n, NULL));
    desk_write(d->file, bytes, n, 0600);
}

static inline jali_ledger_report desk_verify(desk *d)
{
    jali_ledger_report report;
    CHECK_OK(jali_ledger_verify(&d->places, &report, NULL));
    return report;
}

#endif
