/* door/ledger.c — the book itself, and whether it holds. */
#include "base/file.h"
#include "budget/words.h"
#include "door/door.h"
#include "door/vault.h"

enum { HASH_SHOWN = 12, PLAN_SHOWN = 60 };

/* The book lies in the vault, or a small file there says on which server it is. Two books are
 * one too many: nobody could say which of them counts. */
jali_status jali_door_book(const char *vault, jali_arena *arena, const char **out,
                           jali_err *err)
{
    char *file, *pointer;
    JALI_TRY(jali_door_path(vault, "ledger.sqlite", arena, &file, err));
    JALI_TRY(jali_door_path(vault, "ledger.postgresql", arena, &pointer, err));
    bool here = jali_file_exists(file), there = jali_file_exists(pointer);
    if (here && there)
        return jali_fail(err, JALI_E_LEDGER, JALI_FOR_CURATOR,
                         "%.200s has two ledgers, ledger.sqlite and ledger.postgresql; one of "
                         "them does not belong there",
                         vault);
    *out = there ? pointer : file;
    return JALI_OK;
}

jali_status jali_door_ledger(const char *vault, jali_ledger_mode mode, jali_arena *arena,
                             jali_ledger **out, jali_err *err)
{
    jali_ledger_places places = { 0 };
    JALI_TRY(jali_door_book(vault, arena, &places.file, err));
    if (!jali_file_exists(places.file))
        return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                         "%.200s is not a vault: it has no ledger.sqlite", vault);
    return jali_ledger_open(out, &places, mode, err);
}

struct log {
    jali_doc *doc;
    json_t *rows;
};

static const char *const kinds[] = { "charge", "release", "act" };

/* As many bytes as are shown: whole characters. */
static int shown(const char *text)
{
    size_t n = strlen(text) < PLAN_SHOWN ? strlen(text) : PLAN_SHOWN;
    while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80) n--;
    return (int)n;
}

static void add_about(jali_doc *doc, const char *text)
{
    jali_doc_cell(doc, "%.*s", shown(text), text);
}

static void add_cells(jali_doc *doc, const jali_row *row)
{
    char when[32], loss[JALI_LOSS_TEXT];
    jali_doc_cell(doc, "%lld", (long long)row->seq);
    jali_doc_cell(doc, "%s", jali_door_time(when, row->time_ms));
    jali_doc_cell(doc, "%s", row->who == NULL ? "" : row->who);
    if (row->kind == JALI_ROW_CHARGE) {
        jali_doc_cell(doc, "charge");
        jali_doc_cell(doc, "%s", jali_loss_words(loss, row->loss, NULL));
        add_about(doc, row->note != NULL ? row->note : row->plan);
    } else if (row->kind == JALI_ROW_RELEASE) {
        jali_doc_cell(doc, "release %s", row->id);
        jali_doc_cell(doc, "paid in row %lld", (long long)row->charge);
        jali_doc_cell(doc, "%zu bytes", row->body_n);
    } else {
        bool one = row->subject != NULL && *row->subject != '\0';
        jali_doc_cell(doc, "%s%s%s", row->what, one ? " of " : "", one ? row->subject : "");
        jali_doc_cell(doc, "%s", "");
        add_about(doc, row->body == NULL ? "" : row->body);
    }
    jali_doc_cell(doc, "%.*s", HASH_SHOWN, row->hash);
}

static int set_text(json_t *object, const char *key, const char *text)
{
    return text == NULL ? 0 : json_object_set_new(object, key, json_string(text));
}

static json_t *row_json(const jali_row *row)
{
    json_t *loss = NULL;
    json_t *o = json_pack("{s:I,s:I,s:s}", "row", (json_int_t)row->seq, "time_ms",
                          (json_int_t)row->time_ms, "kind", kinds[row->kind]);
    if (o == NULL) return NULL;
    int bad = set_text(o, "who", row->who) | set_text(o, "request", row->request) |
              set_text(o, "plan", row->plan) | set_text(o, "plan_hash", row->plan_hash) |
              set_text(o, "note", row->note) | set_text(o, "exact", row->exact) |
              set_text(o, "what", row->what) | set_text(o, "subject", row->subject);
    if (row->kind == JALI_ROW_CHARGE)
        bad |= jali_loss_to_json(&loss, row->loss, NULL) != JALI_OK ||
               json_object_set_new(o, "loss", loss) != 0;
    if (row->kind == JALI_ROW_RELEASE)
        bad |= set_text(o, "release", row->id) |
               json_object_set_new(o, "paid_in_row", json_integer(row->charge));
    if (row->kind == JALI_ROW_ACT) bad |= set_text(o, "body", row->body);
    bad |= set_text(o, "hash", row->hash);
    if (!bad) return o;
    json_decref(o);
    return NULL;
}

static bool add_row(void *self, const jali_row *row)
{
    struct log *log = self;
    add_cells(log->doc, row);
    if (json_array_append_new(log->rows, row_json(row)) != 0) log->doc->failed = true;
    return !log->doc->failed;
}

static jali_status log_doc(jali_ledger *ledger, int64_t from, bool is_public, jali_doc **out,
                           jali_err *err)
{
    static const jali_col cols[] = { { "row", true },   { "when (UTC)", false },
                                     { "who", false },  { "what", false },
                                     { "loss", false }, { "about", false },
                                     { "hash", false } };
    jali_doc *doc;
    JALI_TRY(jali_doc_new(&doc, "ledger", err));
    jali_vault_tell_public(doc, is_public);
    struct log log = { doc, json_array() };
    jali_doc_set(doc, "rows", log.rows);
    jali_doc_list(doc, sizeof cols / sizeof *cols, cols);
    jali_status status = jali_doc_status(doc, err);
    if (status == JALI_OK) status = jali_ledger_each(ledger, from, add_row, &log, err);
    return jali_doc_finish(doc, status, out, err);
}

jali_status jali_vault_log(const char *vault, int64_t from, jali_doc **out, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_ledger *ledger = NULL;
    jali_status status = jali_door_ledger(vault, JALI_LEDGER_READ, &arena, &ledger, err);
    if (status == JALI_OK)
        status = log_doc(ledger, from, jali_vault_is_public(vault), out, err);
    jali_ledger_close(ledger, NULL);
    jali_arena_clear(&arena);
    return status;
}

/* ---- verify --------------------------------------------------------------------------- */

static void tell_report(jali_doc *doc, const jali_ledger_report *r)
{
    char sum[JALI_LOSS_TEXT];
    if (r->intact)
        jali_doc_say(doc, "The ledger holds: every hash, every sum and the signature.");
    else if (r->bad_row > 0)
        jali_doc_say(doc, "The ledger does not hold from row %lld on: %s.",
                     (long long)r->bad_row, r->why);
    else
        jali_doc_say(doc, "The ledger does not hold: %s.", r->why);
    jali_doc_fact(doc, "rows read", "%lld", (long long)r->rows);
    jali_doc_fact(doc, "charges", "%lld", (long long)r->charges);
    jali_doc_fact(doc, "releases", "%lld", (long long)r->releases);
    jali_doc_fact(doc, "acts", "%lld", (long long)r->acts);
    jali_doc_fact(doc, "signed up to row", "%lld", (long long)r->signed_row);
    jali_doc_fact(doc, "sum", "%s%s", jali_loss_text(sum, r->sum),
                  r->sum.eps_infinite && r->sum.rho_pico > 0
                      ? " (zCDP; jali budget tells what it is worth as eps)"
                      : "");
}

static void set_report(jali_doc *doc, const jali_ledger_report *r)
{
    json_t *sum = NULL;
    jali_doc_set(doc, "intact", json_boolean(r->intact));
    jali_doc_set(doc, "bad_row", r->bad_row > 0 ? json_integer(r->bad_row) : json_null());
    jali_doc_set(doc, "why", r->intact ? json_null() : json_string(r->why));
    jali_doc_set(doc, "rows_read", json_integer(r->rows));
    jali_doc_set(doc, "charges", json_integer(r->charges));
    jali_doc_set(doc, "releases", json_integer(r->releases));
    jali_doc_set(doc, "acts", json_integer(r->acts));
    jali_doc_set(doc, "signed_row", json_integer(r->signed_row));
    if (jali_loss_to_json(&sum, r->sum, NULL) != JALI_OK) sum = NULL;
    jali_doc_set(doc, "sum", sum);
}

static jali_status report_doc(const jali_ledger_report *report, bool is_public, jali_doc **out,
                              jali_err *err)
{
    jali_doc *doc;
    JALI_TRY(jali_doc_new(&doc, "verify", err));
    jali_vault_tell_public(doc, is_public);
    tell_report(doc, report);
    set_report(doc, report);
    return jali_doc_finish(doc, JALI_OK, out, err);
}

jali_status jali_vault_verify(const char *vault, bool *intact, jali_doc **out, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_ledger_places places = { 0 };
    jali_ledger_report report;
    jali_status status = jali_door_book(vault, &arena, &places.file, err);
    if (status == JALI_OK) status = jali_ledger_verify(&places, &report, err);
    if (status == JALI_OK) status = report_doc(&report, jali_vault_is_public(vault), out, err);
    if (status == JALI_OK) *intact = report.intact;
    jali_arena_clear(&arena);
    return status;
}
