/* budget/ledger_release.c — releases, kept whole under the charge that paid. */
#include "base/text.h"
#include "budget/inside.h"
#include <ctype.h>
#include <unistd.h>

/* ---- storing ---- */

static jali_status next_number(sqlite3 *db, const char *kind, int64_t *out, jali_err *err)
{
    sqlite3_stmt *stmt;
    bool row;
    JALI_TRY(jali_sql_prepare(
        db, &stmt, "SELECT IFNULL(MAX(number), 0) + 1 FROM releases WHERE kind = ?", err));
    sqlite3_bind_text(stmt, 1, kind, -1, SQLITE_STATIC);
    jali_status status = jali_sql_step(stmt, &row, err);
    if (status == JALI_OK) *out = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return status;
}

static jali_status insert_release(jali_ledger *ledger, int64_t charge, const char *kind,
                                  const char *body, size_t n, int64_t now_ms, int64_t *number,
                                  jali_err *err)
{
    jali_head head;
    JALI_TRY(next_number(ledger->db, kind, number, err));
    jali_cell cells[] = { { 0 },
                          jali_cell_number(now_ms),
                          jali_cell_number(charge),
                          jali_cell_text(kind),
                          jali_cell_number(*number),
                          { .text = body, .n = n } };
    return jali_row_append(ledger->db, JALI_ROW_RELEASE, cells, &head, err);
}

static jali_status check_store(const jali_ledger *ledger, const jali_charge *charge, char kind,
                               const char *body, size_t n, jali_err *err)
{
    if (charge->ledger != ledger || charge->stored)
        return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_ANALYST,
                         "a release needs a receipt of this ledger, and stores once");
    if (kind < 'a' || kind > 'z')
        return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_ANALYST,
                         "the kind of a release is a small letter");
    if (n == 0 || n > JALI_LEDGER_MAX_BODY || memchr(body, '\0', n) != NULL ||
        !jali_text_is_utf8(body, n))
        return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_ANALYST,
                         "a release must be 1 byte to 64 MiB of UTF-8; the charge stands");
    return JALI_OK;
}

jali_status jali_ledger_store(jali_ledger *ledger, jali_charge *charge, char kind,
                              const char *body, size_t n, int64_t now_ms, char id[static 24],
                              jali_err *err)
{
    char letter[2] = { kind, '\0' };
    int64_t number = 0;
    JALI_TRY(check_store(ledger, charge, kind, body, n, err));
    pthread_mutex_lock(&ledger->lock);
    jali_status status = jali_ledger_begin(ledger, err);
    if (status == JALI_OK) {
        status = insert_release(ledger, charge->seq, letter, body, n, now_ms, &number, err);
        status = jali_ledger_end(ledger, status, err);
    }
    pthread_mutex_unlock(&ledger->lock);
    if (status != JALI_OK) return status;
    charge->stored = true;
    if (charge->turn >= 0) close(charge->turn);
    charge->turn = -1;
    snprintf(id, 24, "%s%lld", letter, (long long)number);
    return JALI_OK;
}

/* ---- finding ---- */

#define RELEASE                                                                                \
    "SELECT r.kind || r.number, r.seq, r.charge, r.time_ms, c.analyst, c.plan, c.eps_pico,"    \
    " c.eps_infinite, c.rho_pico, c.delta_atto, r.body FROM releases r"                        \
    " JOIN charges c ON c.seq = r.charge WHERE "

static jali_status copy_release(sqlite3_stmt *s, jali_arena *arena, jali_release *out,
                                jali_err *err)
{
    jali_release r = { .seq = sqlite3_column_int64(s, 1),
                       .charge = sqlite3_column_int64(s, 2),
                       .time_ms = sqlite3_column_int64(s, 3) };
    snprintf(r.id, sizeof r.id, "%s", (const char *)sqlite3_column_text(s, 0));
    if (!jali_column_loss(s, 6, &r.paid))
        return jali_fail(err, JALI_E_LEDGER, JALI_FOR_CURATOR,
                         "row %lld of the ledger is damaged; run jali ledger verify",
                         (long long)r.charge);
    r.n = (size_t)sqlite3_column_bytes(s, 10);
    r.analyst = jali_arena_text(arena, (const char *)sqlite3_column_text(s, 4));
    r.plan = jali_arena_text(arena, (const char *)sqlite3_column_text(s, 5));
    r.body = jali_arena_text(arena, (const char *)sqlite3_column_text(s, 10));
    if (r.analyst == NULL || r.plan == NULL || r.body == NULL) return jali_fail_memory(err);
    *out = r;
    return JALI_OK;
}

/* Runs a bound statement that finds one release or none, and finalizes it. */
static jali_status fetch(sqlite3_stmt *stmt, jali_arena *arena, jali_release *out,
                         jali_err *err)
{
    bool row;
    jali_status status = jali_sql_step(stmt, &row, err);
    if (status == JALI_OK && !row) *out = (jali_release){ 0 };
    if (status == JALI_OK && row) status = copy_release(stmt, arena, out, err);
    sqlite3_finalize(stmt);
    return status;
}

/* The first one: two processes that drew at once leave two, and everybody should see the
 * same. */
jali_status jali_release_by_plan(sqlite3 *db, const char *plan_hash, jali_arena *arena,
                                 jali_release *out, jali_err *err)
{
    sqlite3_stmt *stmt;
    JALI_TRY(
        jali_sql_prepare(db, &stmt, RELEASE "c.plan_hash = ? ORDER BY r.seq LIMIT 1", err));
    sqlite3_bind_text(stmt, 1, plan_hash, -1, SQLITE_STATIC);
    return fetch(stmt, arena, out, err);
}

jali_status jali_release_by_charge(sqlite3 *db, int64_t charge, jali_arena *arena,
                                   jali_release *out, jali_err *err)
{
    sqlite3_stmt *stmt;
    JALI_TRY(jali_sql_prepare(db, &stmt, RELEASE "r.charge = ?", err));
    sqlite3_bind_int64(stmt, 1, charge);
    return fetch(stmt, arena, out, err);
}

jali_status jali_ledger_find_plan(jali_ledger *ledger, const char *plan, jali_arena *arena,
                                  jali_release *out, jali_err *err)
{
    char hash[JALI_HASH_TEXT];
    JALI_TRY(jali_plan_hash(hash, plan, err));
    pthread_mutex_lock(&ledger->lock);
    jali_status status = jali_release_by_plan(ledger->db, hash, arena, out, err);
    pthread_mutex_unlock(&ledger->lock);
    return status;
}

/* "r12" -> 12; 0 for anything else, leading zeros included. */
static int64_t number_of(const char *id)
{
    size_t n = strlen(id);
    if (n < 2 || n > 18 || id[0] < 'a' || id[0] > 'z' || id[1] == '0') return 0;
    for (size_t i = 1; i < n; i++)
        if (!isdigit((unsigned char)id[i])) return 0;
    return strtoll(id + 1, NULL, 10);
}

static jali_status by_id(sqlite3 *db, char kind, int64_t number, jali_arena *arena,
                         jali_release *out, jali_err *err)
{
    sqlite3_stmt *stmt;
    JALI_TRY(jali_sql_prepare(db, &stmt, RELEASE "r.kind = ? AND r.number = ?", err));
    sqlite3_bind_text(stmt, 1, &kind, 1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(stmt, 2, number);
    return fetch(stmt, arena, out, err);
}

jali_status jali_ledger_find_id(jali_ledger *ledger, const char *id, jali_arena *arena,
                                jali_release *out, jali_err *err)
{
    int64_t number = number_of(id);
    jali_release found = { 0 };
    if (number > 0) {
        pthread_mutex_lock(&ledger->lock);
        jali_status status = by_id(ledger->db, id[0], number, arena, &found, err);
        pthread_mutex_unlock(&ledger->lock);
        JALI_TRY(status);
    }
    if (found.id[0] == '\0')
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "there is no release \"%.20s\"; a release is a letter and a number, "
                         "like r1, and the log lists them",
                         id);
    *out = found;
    return JALI_OK;
}
