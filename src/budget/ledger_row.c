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
    { "charge", 17,
      "INSERT INTO charges VALUES($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19)",
      "SELECT * FROM charges WHERE seq >= $1 ORDER BY seq" },
    { "release", 6, "INSERT INTO releases VALUES($1,$2,$3,$4,$5,$6,$7,$8)",
      "SELECT * FROM releases WHERE seq >= $1 ORDER BY seq" },
    { "act", 6, "INSERT INTO acts VALUES($1,$2,$3,$4,$5,$6,$7,$8)",
      "SELECT * FROM acts WHERE seq >= $1 ORDER BY seq" },
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

jali_status jali_row_head(jali_store *store, jali_head *out, jali_err *err)
{
    jali_rows rows;
    bool found;
    JALI_TRY(jali_rows_first(&rows, store, store->kind->head, NULL, 0, &found, err));
    *out = (jali_head){ 0 };
    memset(out->hash, '0', JALI_HASH_TEXT - 1);
    if (found) {
        out->seq = jali_rows_number(&rows, 0);
        snprintf(out->hash, sizeof out->hash, "%s", jali_rows_text(&rows, 1));
        out->time_ms = jali_rows_number(&rows, 2);
    }
    jali_rows_finish(&rows);
    return JALI_OK;
}

jali_status jali_row_append(jali_store *store, jali_row_kind kind, const jali_cell *content,
                            jali_head *out, jali_err *err)
{
    jali_head head, next = { 0 };
    jali_cell cells[JALI_MAX_CELLS + 2];
    size_t n = FORMS[kind].columns;
    JALI_TRY(jali_row_head(store, &head, err));
    memcpy(cells, content, n * sizeof *cells);
    next.seq = head.seq + 1;
    next.time_ms = cells[1].number;
    cells[0] = jali_cell_number(next.seq);
    jali_row_hash(next.hash, kind, head.hash, cells, n);
    cells[n] = jali_cell_text(head.hash);
    cells[n + 1] = jali_cell_text(next.hash);
    JALI_TRY(jali_store_run(store, FORMS[kind].insert, cells, n + 2, err));
    *out = next;
    return JALI_OK;
}

/* ---- walking ---- */

jali_status jali_walk_init(jali_walk *walk, jali_store *store, int64_t from, jali_err *err)
{
    *walk = (jali_walk){ .current = -1 };
    const jali_cell first = jali_cell_number(from);
    for (int k = 0; k < 3; k++) {
        walk->rows[k].store = store;
        JALI_TRY(store->kind->start(&walk->rows[k], FORMS[k].select, &first, 1, true, err));
        JALI_TRY(jali_rows_next(&walk->rows[k], &walk->more[k], err));
    }
    return JALI_OK;
}

void jali_walk_clear(jali_walk *walk)
{
    for (int k = 0; k < 3; k++) jali_rows_finish(&walk->rows[k]);
    *walk = (jali_walk){ .current = -1 };
}

bool jali_column_loss(const jali_rows *rows, int at, jali_loss *out)
{
    int64_t v[4];
    for (int i = 0; i < 4; i++) v[i] = jali_rows_number(rows, at + i);
    *out = (jali_loss){ .eps_pico = (uint64_t)v[0],
                        .eps_infinite = v[1] != 0,
                        .rho_pico = (uint64_t)v[2],
                        .delta_atto = (uint64_t)v[3] };
    return v[0] >= 0 && v[1] >= 0 && v[1] <= 1 && v[2] >= 0 && v[3] >= 0 &&
           jali_loss_is_sound(*out);
}

/* A loss that is out of range is shown as one that nobody can pay; verify refuses it. */
static void read_charge(const jali_rows *s, jali_row *row)
{
    static const jali_loss BAD = { .rho_pico = JALI_LOSS_MAX, .eps_pico = JALI_LOSS_MAX };
    row->who = jali_rows_text(s, 2);
    row->request = jali_rows_text(s, 4);
    row->plan_hash = jali_rows_text(s, 5);
    row->plan = jali_rows_text(s, 6);
    row->note = jali_rows_text(s, 7);
    row->exact = jali_rows_text(s, 8);
    if (!jali_column_loss(s, 9, &row->loss)) row->loss = BAD;
    if (!jali_column_loss(s, 13, &row->sum)) row->sum = BAD;
}

static void read_release(const jali_rows *s, jali_row *row)
{
    row->charge = jali_rows_number(s, 2);
    snprintf(row->id, sizeof row->id, "%.1s%lld", jali_rows_text(s, 3),
             (long long)jali_rows_number(s, 4));
    row->body = jali_rows_text(s, 5);
    row->body_n = s->store->kind->bytes(s, 5);
}

static void read_act(const jali_rows *s, jali_row *row)
{
    row->who = jali_rows_text(s, 2);
    row->what = jali_rows_text(s, 3);
    row->subject = jali_rows_text(s, 4);
    row->body = jali_rows_text(s, 5);
    row->body_n = s->store->kind->bytes(s, 5);
}

jali_status jali_walk_next(jali_walk *walk, bool *found, jali_row *row, const char **prev,
                           jali_err *err)
{
    static void (*const read[3])(const jali_rows *, jali_row *) = { read_charge, read_release,
                                                                    read_act };
    int k = walk->current;
    if (k >= 0) JALI_TRY(jali_rows_next(&walk->rows[k], &walk->more[k], err));
    int best = -1;
    for (k = 0; k < 3; k++)
        if (walk->more[k] && (best < 0 || jali_rows_number(&walk->rows[k], 0) <
                                              jali_rows_number(&walk->rows[best], 0)))
            best = k;
    walk->current = best;
    *found = best >= 0;
    if (best < 0) return JALI_OK;
    const jali_rows *s = &walk->rows[best];
    *row = (jali_row){ .seq = jali_rows_number(s, 0),
                       .time_ms = jali_rows_number(s, 1),
                       .kind = (jali_row_kind)best,
                       .hash = jali_rows_text(s, (int)FORMS[best].columns + 1) };
    *prev = jali_rows_text(s, (int)FORMS[best].columns);
    read[best](s, row);
    return JALI_OK;
}

void jali_walk_hash(const jali_walk *walk, char out[static JALI_HASH_TEXT])
{
    int kind = walk->current;
    const jali_rows *s = &walk->rows[kind];
    jali_cell cells[JALI_MAX_CELLS];
    size_t n = FORMS[kind].columns;
    for (size_t i = 0; i < n; i++) {
        if (s->store->kind->is_number(s, (int)i))
            cells[i] = jali_cell_number(jali_rows_number(s, (int)i));
        else
            cells[i] = (jali_cell){ .text = jali_rows_text(s, (int)i),
                                    .n = s->store->kind->bytes(s, (int)i) };
    }
    jali_row_hash(out, (jali_row_kind)kind, jali_rows_text(s, (int)n), cells, n);
}
