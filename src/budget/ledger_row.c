/* budget/ledger_row.c — rows as bytes: hashing, appending, walking.
 *
 * A row's hash is BLAKE2b-256 over the hash of the row before, its kind and its columns, in
 * this order, each written as "length:bytes,". The lengths make the text unambiguous; an
 * auditor can make the same text in SQL (docs/ledger.md).
 */
#include "budget/inside.h"

struct form {
    const char *kind;
    size_t columns; /* without prev and hash */
    const char *insert, *select;
};

static const struct form FORMS[3] = {
    { "charge", 17, "INSERT INTO charges VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
      "SELECT * FROM charges WHERE seq >= ? ORDER BY seq" },
    { "release", 6, "INSERT INTO releases VALUES(?,?,?,?,?,?,?,?)",
      "SELECT * FROM releases WHERE seq >= ? ORDER BY seq" },
    { "act", 6, "INSERT INTO acts VALUES(?,?,?,?,?,?,?,?)",
      "SELECT * FROM acts WHERE seq >= ? ORDER BY seq" },
};

static void add_piece(crypto_generichash_state *state, const char *text, size_t n)
{
    char length[24];
    snprintf(length, sizeof length, "%zu:", n);
    crypto_generichash_update(state, (const unsigned char *)length, strlen(length));
    crypto_generichash_update(state, (const unsigned char *)text, n);
    crypto_generichash_update(state, (const unsigned char *)",", 1);
}

static void add_cell(crypto_generichash_state *state, const jali_cell *cell)
{
    char number[24];
    if (cell->text != NULL) {
        add_piece(state, cell->text, cell->n);
        return;
    }
    snprintf(number, sizeof number, "%lld", (long long)cell->number);
    add_piece(state, number, strlen(number));
}

void jali_row_hash(char out[static JALI_HASH_TEXT], jali_row_kind kind, const char *prev,
                   const jali_cell *cells, size_t n)
{
    crypto_generichash_state state;
    unsigned char hash[crypto_generichash_BYTES];
    crypto_generichash_init(&state, NULL, 0, sizeof hash);
    add_piece(&state, prev, strlen(prev));
    add_piece(&state, FORMS[kind].kind, strlen(FORMS[kind].kind));
    for (size_t i = 0; i < n; i++) add_cell(&state, &cells[i]);
    crypto_generichash_final(&state, hash, sizeof hash);
    sodium_bin2hex(out, JALI_HASH_TEXT, hash, sizeof hash);
}

jali_status jali_row_head(sqlite3 *db, jali_head *out, jali_err *err)
{
    sqlite3_stmt *stmt;
    bool row;
    JALI_TRY(jali_sql_prepare(db, &stmt, "SELECT seq, hash, time_ms FROM head", err));
    jali_status status = jali_sql_step(stmt, &row, err);
    if (status == JALI_OK) {
        *out = (jali_head){ 0 };
        memset(out->hash, '0', JALI_HASH_TEXT - 1);
        if (row) {
            out->seq = sqlite3_column_int64(stmt, 0);
            snprintf(out->hash, sizeof out->hash, "%s",
                     (const char *)sqlite3_column_text(stmt, 1));
            out->time_ms = sqlite3_column_int64(stmt, 2);
        }
    }
    sqlite3_finalize(stmt);
    return status;
}

static int bind_cell(sqlite3_stmt *stmt, int at, const jali_cell *cell)
{
    if (cell->text == NULL) return sqlite3_bind_int64(stmt, at, cell->number);
    return sqlite3_bind_text64(stmt, at, cell->text, cell->n, SQLITE_STATIC, SQLITE_UTF8);
}

static jali_status insert(sqlite3 *db, jali_row_kind kind, const jali_cell *cells,
                          const char *prev, const char *hash, jali_err *err)
{
    sqlite3_stmt *stmt;
    bool row;
    size_t n = FORMS[kind].columns;
    jali_cell last[2] = { jali_cell_text(prev), jali_cell_text(hash) };
    JALI_TRY(jali_sql_prepare(db, &stmt, FORMS[kind].insert, err));
    int bad = 0;
    for (size_t i = 0; i < n; i++) bad |= bind_cell(stmt, (int)i + 1, &cells[i]);
    bad |= bind_cell(stmt, (int)n + 1, &last[0]) | bind_cell(stmt, (int)n + 2, &last[1]);
    jali_status status = bad ? jali_sql_fail(db, "write", err) : jali_sql_step(stmt, &row, err);
    sqlite3_finalize(stmt);
    return status;
}

jali_status jali_row_append(sqlite3 *db, jali_row_kind kind, jali_cell *cells, jali_head *out,
                            jali_err *err)
{
    jali_head head, next = { 0 };
    JALI_TRY(jali_row_head(db, &head, err));
    next.seq = head.seq + 1;
    next.time_ms = cells[1].number;
    cells[0] = jali_cell_number(next.seq);
    jali_row_hash(next.hash, kind, head.hash, cells, FORMS[kind].columns);
    JALI_TRY(insert(db, kind, cells, head.hash, next.hash, err));
    *out = next;
    return JALI_OK;
}

/* ---- walking ---- */

jali_status jali_walk_init(jali_walk *walk, sqlite3 *db, int64_t from, jali_err *err)
{
    *walk = (jali_walk){ .current = -1 };
    for (int k = 0; k < 3; k++) {
        JALI_TRY(jali_sql_prepare(db, &walk->stmt[k], FORMS[k].select, err));
        sqlite3_bind_int64(walk->stmt[k], 1, from);
        JALI_TRY(jali_sql_step(walk->stmt[k], &walk->more[k], err));
    }
    return JALI_OK;
}

void jali_walk_clear(jali_walk *walk)
{
    for (int k = 0; k < 3; k++) sqlite3_finalize(walk->stmt[k]);
    *walk = (jali_walk){ .current = -1 };
}

static const char *column_text(sqlite3_stmt *stmt, int at)
{
    const char *text = (const char *)sqlite3_column_text(stmt, at);
    return text == NULL ? "" : text;
}

bool jali_column_loss(sqlite3_stmt *stmt, int at, jali_loss *out)
{
    int64_t v[4];
    for (int i = 0; i < 4; i++) v[i] = sqlite3_column_int64(stmt, at + i);
    *out = (jali_loss){ .eps_pico = (uint64_t)v[0],
                        .eps_infinite = v[1] != 0,
                        .rho_pico = (uint64_t)v[2],
                        .delta_atto = (uint64_t)v[3] };
    return v[0] >= 0 && v[1] >= 0 && v[1] <= 1 && v[2] >= 0 && v[3] >= 0 &&
           jali_loss_is_sound(*out);
}

/* A loss that is out of range is shown as one that nobody can pay; verify refuses it. */
static void read_charge(sqlite3_stmt *s, jali_row *row)
{
    static const jali_loss BAD = { .rho_pico = JALI_LOSS_MAX, .eps_pico = JALI_LOSS_MAX };
    row->who = column_text(s, 2);
    row->request = column_text(s, 4);
    row->plan_hash = column_text(s, 5);
    row->plan = column_text(s, 6);
    row->note = column_text(s, 7);
    row->exact = column_text(s, 8);
    if (!jali_column_loss(s, 9, &row->loss)) row->loss = BAD;
    if (!jali_column_loss(s, 13, &row->sum)) row->sum = BAD;
}

static void read_release(sqlite3_stmt *s, jali_row *row)
{
    row->charge = sqlite3_column_int64(s, 2);
    snprintf(row->id, sizeof row->id, "%.1s%lld", column_text(s, 3),
             (long long)sqlite3_column_int64(s, 4));
    row->body = column_text(s, 5);
    row->body_n = (size_t)sqlite3_column_bytes(s, 5);
}

static void read_act(sqlite3_stmt *s, jali_row *row)
{
    row->who = column_text(s, 2);
    row->what = column_text(s, 3);
    row->subject = column_text(s, 4);
    row->body = column_text(s, 5);
    row->body_n = (size_t)sqlite3_column_bytes(s, 5);
}

jali_status jali_walk_next(jali_walk *walk, bool *found, jali_row *row, const char **prev,
                           jali_err *err)
{
    static void (*const read[3])(sqlite3_stmt *, jali_row *) = { read_charge, read_release,
                                                                 read_act };
    int k = walk->current;
    if (k >= 0) JALI_TRY(jali_sql_step(walk->stmt[k], &walk->more[k], err));
    int best = -1;
    for (k = 0; k < 3; k++)
        if (walk->more[k] && (best < 0 || sqlite3_column_int64(walk->stmt[k], 0) <
                                              sqlite3_column_int64(walk->stmt[best], 0)))
            best = k;
    walk->current = best;
    *found = best >= 0;
    if (best < 0) return JALI_OK;
    sqlite3_stmt *s = walk->stmt[best];
    *row = (jali_row){ .seq = sqlite3_column_int64(s, 0),
                       .time_ms = sqlite3_column_int64(s, 1),
                       .kind = (jali_row_kind)best,
                       .hash = column_text(s, (int)FORMS[best].columns + 1) };
    *prev = column_text(s, (int)FORMS[best].columns);
    read[best](s, row);
    return JALI_OK;
}

void jali_walk_hash(const jali_walk *walk, char out[static JALI_HASH_TEXT])
{
    int kind = walk->current;
    sqlite3_stmt *s = walk->stmt[kind];
    jali_cell cells[JALI_MAX_CELLS];
    size_t n = FORMS[kind].columns;
    for (size_t i = 0; i < n; i++) {
        if (sqlite3_column_type(s, (int)i) == SQLITE_INTEGER)
            cells[i] = jali_cell_number(sqlite3_column_int64(s, (int)i));
        else
            cells[i] = (jali_cell){ .text = column_text(s, (int)i),
                                    .n = (size_t)sqlite3_column_bytes(s, (int)i) };
    }
    jali_row_hash(out, (jali_row_kind)kind, column_text(s, (int)n), cells, n);
}
