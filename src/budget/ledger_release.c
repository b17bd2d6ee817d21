/* budget/ledger_release.c — releases, kept whole under the charge that paid. */
#include "base/text.h"
#include "budget/inside.h"
#include <ctype.h>

/* ---- storing ---- */

static jali_status next_number(jali_store *store, const char *kind, int64_t *out, jali_err *err)
{
    const jali_cell letter = jali_cell_text(kind);
    jali_rows rows;
    bool found;
    JALI_TRY(jali_rows_first(
        &rows, store, "SELECT COALESCE(MAX(number), 0) + 1 FROM releases WHERE kind = $1",
        &letter, 1, &found, err));
    *out = jali_rows_number(&rows, 0);
    jali_rows_finish(&rows);
    return JALI_OK;
}

/* A server may have been brought back from an old copy while we drew: then another row, or
 * none, stands where ours paid, and this release was not paid for in this book. */
static jali_status check_paid(jali_store *store, const jali_charge *charge, jali_err *err)
{
    const jali_cell seq = jali_cell_number(charge->seq);
    jali_rows rows;
    bool found;
    JALI_TRY(jali_rows_first(&rows, store, "SELECT hash FROM charges WHERE seq = $1", &seq, 1,
                             &found, err));
    bool ours = found && strcmp(jali_rows_text(&rows, 0), charge->hash) == 0;
    jali_rows_finish(&rows);
    if (ours) return JALI_OK;
    return jali_fail(err, JALI_E_LEDGER, JALI_FOR_CURATOR,
                     "row %lld of the ledger %s is not the charge that was paid: somebody "
                     "brought back an old copy; nothing is released",
                     (long long)charge->seq, store->name);
}

struct storing {
    const jali_charge *charge;
    const char *kind, *body;
    size_t n;
    int64_t now_ms, number;
    jali_head head;
};

static jali_status insert_release(jali_ledger *ledger, void *self, jali_err *err)
{
    struct storing *s = self;
    JALI_TRY(check_paid(ledger->store, s->charge, err));
    JALI_TRY(next_number(ledger->store, s->kind, &s->number, err));
    const jali_cell cells[] = { { 0 },
                                jali_cell_number(s->now_ms),
                                jali_cell_number(s->charge->seq),
                                jali_cell_text(s->kind),
                                jali_cell_number(s->number),
                                { .text = s->body, .n = s->n } };
    JALI_TRY(jali_row_append(ledger->store, JALI_ROW_RELEASE, cells, &s->head, err));
    ledger->seen = s->head;
    return JALI_OK;
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
                              const char *body, size_t n, int64_t now_ms, jali_release *out,
                              jali_err *err)
{
    char letter[2] = { kind, '\0' };
    struct storing s = {
        .charge = charge, .kind = letter, .body = body, .n = n, .now_ms = now_ms
    };
    JALI_TRY(check_store(ledger, charge, kind, body, n, err));
    JALI_TRY(jali_ledger_write_together(ledger, insert_release, &s, err));
    charge->stored = true;
    jali_turn_leave(charge);
    *out = (jali_release){ .seq = s.head.seq,
                           .charge = charge->seq,
                           .time_ms = now_ms,
                           .analyst = charge->analyst,
                           .plan = charge->plan,
                           .paid = charge->paid,
                           .body = body,
                           .n = n };
    snprintf(out->id, sizeof out->id, "%s%lld", letter, (long long)s.number);
    return JALI_OK;
}

/* ---- finding ---- */

#define RELEASE                                                                                \
    "SELECT r.kind || r.number, r.seq, r.charge, r.time_ms, c.analyst, c.plan, c.eps_pico,"    \
    " c.eps_infinite, c.rho_pico, c.delta_atto, r.body FROM releases r"                        \
    " JOIN charges c ON c.seq = r.charge WHERE "

static jali_status copy_release(const jali_rows *s, jali_arena *arena, jali_release *out,
                                jali_err *err)
{
    jali_release r = { .seq = jali_rows_number(s, 1),
                       .charge = jali_rows_number(s, 2),
                       .time_ms = jali_rows_number(s, 3) };
    snprintf(r.id, sizeof r.id, "%s", jali_rows_text(s, 0));
    if (!jali_column_loss(s, 6, &r.paid))
        return jali_fail(err, JALI_E_LEDGER, JALI_FOR_CURATOR,
                         "row %lld of the ledger is damaged; run jali ledger verify",
                         (long long)r.charge);
    r.n = s->store->kind->bytes(s, 10);
    r.analyst = jali_arena_text(arena, jali_rows_text(s, 4));
    r.plan = jali_arena_text(arena, jali_rows_text(s, 5));
    r.body = jali_arena_text(arena, jali_rows_text(s, 10));
    if (r.analyst == NULL || r.plan == NULL || r.body == NULL) return jali_fail_memory(err);
    *out = r;
    return JALI_OK;
}

/* Runs a statement that finds one release or none. */
static jali_status fetch(jali_store *store, const char *sql, const jali_cell *cells, size_t n,
                         jali_arena *arena, jali_release *out, jali_err *err)
{
    jali_rows rows;
    bool found;
    JALI_TRY(jali_rows_first(&rows, store, sql, cells, n, &found, err));
    jali_status status = JALI_OK;
    if (found)
        status = copy_release(&rows, arena, out, err);
    else
        *out = (jali_release){ 0 };
    jali_rows_finish(&rows);
    return status;
}

/* The first one: two processes that drew at once leave two, and everybody should see the
 * same. */
jali_status jali_release_by_plan(jali_store *store, const char *plan_hash, jali_arena *arena,
                                 jali_release *out, jali_err *err)
{
    const jali_cell hash = jali_cell_text(plan_hash);
    return fetch(store, RELEASE "c.plan_hash = $1 ORDER BY r.seq LIMIT 1", &hash, 1, arena, out,
                 err);
}

jali_status jali_release_by_charge(jali_store *store, int64_t charge, jali_arena *arena,
                                   jali_release *out, jali_err *err)
{
    const jali_cell seq = jali_cell_number(charge);
    return fetch(store, RELEASE "r.charge = $1", &seq, 1, arena, out, err);
}

/* What somebody looks for: a plan, or a letter and a number. */
struct search {
    const char *plan_hash;
    char kind[2];
    int64_t number;
    jali_arena *arena;
    jali_release found;
};

static jali_status search(jali_ledger *ledger, jali_store *store, void *self, jali_err *err)
{
    struct search *s = self;
    (void)ledger;
    if (s->plan_hash != NULL)
        return jali_release_by_plan(store, s->plan_hash, s->arena, &s->found, err);
    const jali_cell id[] = { jali_cell_text(s->kind), jali_cell_number(s->number) };
    return fetch(store, RELEASE "r.kind = $1 AND r.number = $2", id, 2, s->arena, &s->found,
                 err);
}

jali_status jali_ledger_find_plan(jali_ledger *ledger, const char *plan, jali_arena *arena,
                                  jali_release *out, jali_err *err)
{
    char hash[JALI_HASH_TEXT];
    struct search s = { .plan_hash = hash, .arena = arena };
    JALI_TRY(jali_plan_hash(hash, plan, err));
    JALI_TRY(jali_ledger_read(ledger, search, &s, err));
    *out = s.found;
    return JALI_OK;
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

jali_status jali_ledger_find_id(jali_ledger *ledger, const char *id, jali_arena *arena,
                                jali_release *out, jali_err *err)
{
    struct search s = { .kind = { id[0], '\0' }, .number = number_of(id), .arena = arena };
    if (s.number > 0) JALI_TRY(jali_ledger_read(ledger, search, &s, err));
    if (s.found.id[0] == '\0')
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "there is no release \"%.20s\"; a release is a letter and a number, "
                         "like r1, and jali releases lists them",
                         id);
    *out = s.found;
    return JALI_OK;
}
