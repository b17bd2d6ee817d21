/* door/book.c — the releases of a ledger beside the charges that paid for them. */
#include "door/book.h"
#include "budget/words.h"
#include "door/hold.h"
#include "door/teller.h"

/* Charges come before their releases; those never answered stay here. */
typedef struct reader {
    jali_arena *arena;
    jali_book *book;
    struct paid {
        int64_t seq;
        const char *who, *note, *hash;
        jali_loss loss;
    } * paid;
    size_t n_paid, paid_room, room;
    bool failed;
} reader;

static void *grown(jali_arena *arena, void *at, size_t n, size_t *room, size_t size)
{
    if (n < *room) return at;
    size_t more = *room == 0 ? 32 : 2 * *room;
    void *to = jali_arena_take(arena, more, size);
    if (to == NULL) return NULL;
    if (n > 0) memcpy(to, at, n * size);
    *room = more;
    return to;
}

static const char *copied(reader *r, const char *text)
{
    const char *copy = jali_arena_text(r->arena, text == NULL ? "" : text);
    if (copy == NULL) r->failed = true;
    return copy;
}

static void add_charge(reader *r, const jali_row *row)
{
    struct paid *at = grown(r->arena, r->paid, r->n_paid, &r->paid_room, sizeof *at);
    if (at == NULL) {
        r->failed = true;
        return;
    }
    r->paid = at;
    at[r->n_paid++] = (struct paid){ row->seq, copied(r, row->who), copied(r, row->note),
                                     copied(r, row->hash), row->loss };
}

static void add_release(reader *r, const jali_row *row)
{
    jali_book *b = r->book;
    jali_entry *at = grown(r->arena, b->entry, b->n, &r->room, sizeof *at);
    if (at == NULL) {
        r->failed = true;
        return;
    }
    b->entry = at;
    at += b->n++;
    *at = (jali_entry){ .row = row->seq, .charge = row->charge, .time_ms = row->time_ms };
    memcpy(at->id, row->id, sizeof at->id);
    at->hash = copied(r, row->hash);
    for (size_t i = r->n_paid; i > 0; i--) {
        const struct paid *p = &r->paid[i - 1];
        if (p->seq != row->charge) continue;
        at->who = p->who;
        at->note = p->note;
        at->loss = p->loss;
        at->charge_hash = p->hash;
        return;
    }
    at->who = at->note = at->charge_hash = "";
}

static bool take_row(void *self, const jali_row *row)
{
    reader *r = self;
    if (row->kind == JALI_ROW_CHARGE) add_charge(r, row);
    if (row->kind == JALI_ROW_RELEASE) add_release(r, row);
    r->book->rows = row->seq;
    r->book->head = copied(r, row->hash);
    return !r->failed;
}

jali_status jali_book_read(jali_ledger *ledger, jali_arena *arena, jali_book *out,
                           jali_err *err)
{
    jali_book book = { .head = "" };
    reader r = { .arena = arena, .book = &book };
    JALI_TRY(jali_ledger_each(ledger, 1, take_row, &r, err));
    if (r.failed) return jali_fail_memory(err);
    *out = book;
    return JALI_OK;
}

const jali_entry *jali_book_find(const jali_book *book, const char *id)
{
    for (size_t i = 0; i < book->n; i++)
        if (strcmp(book->entry[i].id, id) == 0) return &book->entry[i];
    return NULL;
}

static const char *kind_of(const jali_entry *e)
{
    const char *name = jali_teller_name(e->id[0]);
    return name == NULL ? "?" : name;
}

void jali_book_tell(jali_doc *doc, const jali_entry *const *entry, size_t n,
                    const jali_cap *cap)
{
    static const jali_col cols[] = { { "id", false },         { "kind", false },
                                     { "when (UTC)", false }, { "by", false },
                                     { "cost", false },       { "what", false } };
    char when[32], loss[JALI_LOSS_TEXT];
    jali_doc_list(doc, sizeof cols / sizeof *cols, cols);
    for (size_t i = 0; i < n; i++) {
        jali_doc_cell(doc, "%s", entry[i]->id);
        jali_doc_cell(doc, "%s", kind_of(entry[i]));
        jali_doc_cell(doc, "%s", jali_door_time(when, entry[i]->time_ms));
        jali_doc_cell(doc, "%s", entry[i]->who);
        jali_doc_cell(doc, "%s", jali_loss_words(loss, entry[i]->loss, cap));
        jali_doc_cell(doc, "%s", entry[i]->note);
    }
}

json_t *jali_book_json(const jali_entry *const *entry, size_t n)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < n; i++) {
        const jali_entry *e = entry[i];
        json_t *loss = NULL;
        if (jali_loss_to_json(&loss, e->loss, NULL) != JALI_OK) loss = NULL;
        json_t *row =
            json_pack("{s:s,s:s,s:I,s:s,s:o,s:s,s:I,s:I,s:s,s:s}", "release", e->id, "kind",
                      kind_of(e), "time_ms", (json_int_t)e->time_ms, "by", e->who, "paid", loss,
                      "what", e->note, "row", (json_int_t)e->row, "charge",
                      (json_int_t)e->charge, "hash", e->hash, "charge_hash", e->charge_hash);
        if (row == NULL || json_array_append_new(rows, row) != 0) {
            json_decref(rows);
            return NULL;
        }
    }
    return rows;
}

/* ---- jali releases ----------------------------------------------------------------- */

static jali_status releases_doc(const jali_book *book, const jali_cap *cap, jali_arena *arena,
                                jali_doc **out, jali_err *err)
{
    jali_doc *doc;
    const jali_entry **all = jali_arena_take(arena, book->n + 1, sizeof *all);
    if (all == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < book->n; i++) all[i] = &book->entry[i];
    JALI_TRY(jali_doc_new(&doc, "releases", err));
    if (book->n == 0)
        jali_doc_say(doc, "Nothing was released yet; jali ask asks the first question.");
    else
        jali_book_tell(doc, all, book->n, cap);
    jali_doc_set(doc, "rows", jali_book_json(all, book->n));
    return jali_doc_finish(doc, JALI_OK, out, err);
}

static jali_status releases(jali_ledger *ledger, jali_arena *arena, jali_doc **out,
                            jali_err *err)
{
    jali_book book;
    jali_account now;
    JALI_TRY(jali_ledger_account(ledger, &now, err));
    JALI_TRY(jali_book_read(ledger, arena, &book, err));
    return releases_doc(&book, &now.cap, arena, out, err);
}

jali_status jali_vault_releases(const char *vault, jali_doc **out, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_ledger *ledger = NULL;
    jali_status status = jali_door_ledger(vault, JALI_LEDGER_READ, &arena, &ledger, err);
    if (status == JALI_OK) status = releases(ledger, &arena, out, err);
    jali_ledger_close(ledger, NULL);
    jali_arena_clear(&arena);
    return status;
}

jali_status jali_hold_releases(jali_hold *hold, jali_doc **out, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_ledger *ledger;
    jali_held *held;
    JALI_TRY(jali_hold_take(hold, &held, &ledger, err));
    jali_status status = releases(ledger, &arena, out, err);
    jali_hold_give(hold, held);
    jali_arena_clear(&arena);
    return status;
}
