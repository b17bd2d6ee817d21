/* door/report.c — the story of some releases on one page. */
#include "door/report.h"
#include "budget/words.h"
#include "door/teller.h"
#include "report/chart.h"

enum { HASH_SHOWN = 16, FINDINGS = 3 };

/* The ids that were asked for, or all of them. */
static jali_status choose(jali_reporting *r, jali_err *err)
{
    size_t n = r->ask->n_ids == 0 ? r->book.n : r->ask->n_ids;
    r->told = jali_arena_take(&r->desk.arena, n + 1, sizeof *r->told);
    if (r->told == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        r->told[i] =
            r->ask->n_ids == 0 ? &r->book.entry[i] : jali_book_find(&r->book, r->ask->id[i]);
        if (r->told[i] == NULL)
            return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                             "there is no release %.20s; jali releases lists them",
                             r->ask->id[i]);
    }
    r->n_told = n;
    if (n == 0)
        return jali_fail(
            err, JALI_E_USAGE, JALI_FOR_ANALYST,
            "nothing was released yet, so there is nothing to report; jali ask asks "
            "the first question");
    return JALI_OK;
}

/* ---- chapters ------------------------------------------------------------------------------
 */

static void tell_opening(jali_reporting *r)
{
    char first[32], last[32];
    jali_doc_heading(r->doc, "%s: what was asked, and what may be known", r->desk.vault->name);
    jali_vault_tell_public(r->doc, r->desk.vault->is_public);
    jali_door_time(first, r->told[0]->time_ms);
    jali_door_time(last, r->told[r->n_told - 1]->time_ms);
    jali_doc_say(
        r->doc,
        "%zu %s from a sensitive table, from %s to %s (UTC). Every number has noise in "
        "it that protects the persons in the table, and an interval that says how much.",
        r->n_told, r->n_told == 1 ? "answer" : "answers", first, last);
}

/* The titles of its first charts: they state what was found. */
static const char *finding_of(const jali_doc *part, const jali_entry *e, jali_arena *arena)
{
    const char *found = NULL;
    size_t n = 0, charts = 0;
    for (const jali_piece *b = part->first; b != NULL && n < FINDINGS; b = b->next) {
        if (b->kind != JALI_PIECE_CHART || b->text[0] == '\0') continue;
        if (n++ == 0) {
            found = b->text;
            continue;
        }
        const char *was = found == NULL ? "" : found;
        bool sentence = was[0] != '\0' && was[strlen(was) - 1] == '.';
        found = jali_arena_format(arena, sentence ? "%s %s" : "%s. %s", was, b->text);
    }
    for (const jali_piece *b = part->first; b != NULL; b = b->next)
        charts += b->kind == JALI_PIECE_CHART && b->text[0] != '\0';
    if (charts > FINDINGS && found != NULL)
        found = jali_arena_format(arena, "%s And %zu more below.", found, charts - FINDINGS);
    return found == NULL ? e->note : found;
}

/* Who paid, and what every release says of its guarantee. */
static void tell_paid(jali_reporting *r, jali_doc *part, const jali_release *release)
{
    char loss[JALI_LOSS_TEXT], when[32];
    jali_doc_fact(part, "paid", "%s, by %s, %s UTC, release %s",
                  jali_loss_words(loss, release->paid, &r->totals.cap), release->analyst,
                  jali_door_time(when, release->time_ms), release->id);
    jali_desk_set_terms(&r->desk, release, part);
}

static jali_status part_of(jali_reporting *r, const jali_entry *e, jali_doc **out,
                           jali_err *err)
{
    jali_doc *part;
    jali_release release;
    const char *name = jali_teller_name(e->id[0]);
    JALI_TRY(jali_ledger_find_id(r->desk.ledger, e->id, &r->desk.arena, &release, err));
    JALI_TRY(jali_doc_new(&part, name == NULL ? "?" : name, err));
    jali_telling t = { .vault = r->desk.vault,
                       .ledger = r->desk.ledger,
                       .release = &release,
                       .miss = r->desk.miss,
                       .story = true,
                       .arena = &r->desk.arena,
                       .doc = part };
    jali_status status = jali_tell(&t, err);
    if (status == JALI_OK) tell_paid(r, part, &release);
    return jali_doc_finish(part, status, out, err);
}

/* The findings first, then each answer as its verb told it. The answers' own documents are
 * taken in whole; their JSON goes into "releases". */
static jali_status tell_answers(jali_reporting *r, jali_err *err)
{
    jali_doc **part = jali_arena_take(&r->desk.arena, r->n_told, sizeof *part);
    json_t *all = json_array();
    char loss[JALI_LOSS_TEXT];
    jali_doc_set(r->doc, "releases", all);
    if (part == NULL) return jali_fail_memory(err);
    jali_status status = JALI_OK;
    for (size_t i = 0; i < r->n_told && status == JALI_OK; i++)
        status = part_of(r, r->told[i], &part[i], err);
    if (status == JALI_OK) {
        jali_doc_chapter(r->doc, "short", "In short");
        jali_doc_say(r->doc, "In round brackets how far a number may be off, in square ones "
                             "what the answer cost of the privacy budget.");
        for (size_t i = 0; i < r->n_told; i++)
            jali_doc_link(r->doc, r->told[i]->id, "%s [%s]",
                          finding_of(part[i], r->told[i], &r->desk.arena),
                          jali_loss_words(loss, r->told[i]->loss, &r->totals.cap));
        jali_doc_chapter(r->doc, "answers", "Questions and answers");
    }
    for (size_t i = 0; i < r->n_told && part[i] != NULL; i++) {
        if (json_array_append(all, part[i]->json) != 0) r->doc->failed = true;
        jali_doc_append(r->doc, part[i], r->told[i]->id);
    }
    return status;
}

static jali_status tell_cost(jali_reporting *r, jali_err *err)
{
    jali_doc *budget;
    if (r->ask->hold != NULL)
        JALI_TRY(jali_hold_budget(r->ask->hold, &budget, err));
    else
        JALI_TRY(jali_vault_budget(r->ask->vault, &budget, err));
    jali_doc_chapter(r->doc, "cost", "What it cost");
    jali_doc_say(r->doc,
                 "Privacy is spent like money: each answer took a part of a budget that "
                 "was fixed before, and nothing gives it back.");
    jali_book_tell(r->doc, r->told, r->n_told, &r->totals.cap);
    jali_doc_set(r->doc, "budget", json_incref(budget->json));
    jali_doc_append(r->doc, budget, NULL);
    return JALI_OK;
}

static jali_status tell_book(jali_reporting *r, jali_err *err)
{
    static const jali_col cols[] = { { "release", false },
                                     { "paid in row", true },
                                     { "hash of the charge", false },
                                     { "stored in row", true },
                                     { "hash of the release", false } };
    bool intact;
    jali_doc *verify;
    JALI_TRY(jali_vault_verify(r->ask->vault, &intact, &verify, err));
    jali_doc_chapter(r->doc, "book", "The book, and how to check it");
    jali_doc_say(r->doc,
                 "Each row of the ledger carries the hash of the row before it, so that "
                 "nobody can change one without changing all that follow.");
    jali_doc_table(r->doc, sizeof cols / sizeof *cols, cols);
    for (size_t i = 0; i < r->n_told; i++) {
        const jali_entry *e = r->told[i];
        jali_doc_cell(r->doc, "%s", e->id);
        jali_doc_cell(r->doc, "%lld", (long long)e->charge);
        jali_doc_cell(r->doc, "%.*s", HASH_SHOWN, e->charge_hash);
        jali_doc_cell(r->doc, "%lld", (long long)e->row);
        jali_doc_cell(r->doc, "%.*s", HASH_SHOWN, e->hash);
    }
    jali_doc_fact(r->doc, "last row", "%lld", (long long)r->book.rows);
    jali_doc_fact(r->doc, "its hash", "%s", r->book.head);
    jali_doc_set(r->doc, "verify", json_incref(verify->json));
    jali_doc_append(r->doc, verify, NULL);
    jali_doc_say(r->doc,
                 "To check it yourself: jali ledger %s verify recomputes every hash, every sum "
                 "and the signature; tools/ledger-replay does the same with sqlite3, b2sum and "
                 "openssl alone. Keep the last hash: it proves later that this book was not "
                 "rewritten.",
                 r->ask->vault);
    return JALI_OK;
}

static jali_status tell(jali_reporting *r, jali_err *err)
{
    tell_opening(r);
    JALI_TRY(tell_answers(r, err));
    JALI_TRY(tell_cost(r, err));
    jali_report_promise(r);
    JALI_TRY(tell_book(r, err));
    jali_report_methods(r);
    jali_report_limits(r);
    jali_doc_set(r->doc, "vault", json_string(r->desk.vault->name));
    jali_doc_set(r->doc, "head", json_string(r->book.head));
    jali_doc_set(r->doc, "rows", jali_book_json(r->told, r->n_told));
    return JALI_OK;
}

jali_status jali_vault_report(const jali_report *ask, jali_doc **out, jali_err *err)
{
    jali_reporting r = { .ask = ask };
    jali_spend spend = {
        .vault = ask->vault, .confidence = ask->confidence, .quote = true, .hold = ask->hold
    };
    jali_status status = jali_desk_open(&r.desk, &spend, err);
    if (status == JALI_OK) /* what rho is worth as eps: a desk does not look */
        status = jali_ledger_totals(r.desk.ledger, &r.desk.arena, &r.totals, err);
    if (status == JALI_OK) status = jali_book_read(r.desk.ledger, &r.desk.arena, &r.book, err);
    if (status == JALI_OK) status = choose(&r, err);
    if (status == JALI_OK) status = jali_doc_new(&r.doc, "report", err);
    if (status == JALI_OK) status = jali_doc_finish(r.doc, tell(&r, err), out, err);
    jali_desk_close(&r.desk);
    return status;
}
