/* audit/audit.c — all cases, one after the other, and a page about them. */
#include "audit/cases.h"
#include "report/doc.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The chance that a sound program fails the audit, over all its cases and events. */
#define FALSE_ALARM 1e-6

static const jali_audit_case *const lists[] = { jali_case_ask,     jali_case_why,
                                                jali_case_profile, jali_case_contrast,
                                                jali_case_cluster, jali_case_model };

enum { LISTS = sizeof lists / sizeof *lists, MAX_CASES = 256 };

typedef struct audit {
    const jali_audit *ask;
    jali_audit_bench bench;
    jali_doc *doc;
    json_t *rows;
    jali_arena arena;
    jali_audit_case *cases;
    size_t n_cases, failed;
    uint64_t runs;
    double alpha; /* of one event */
} audit;

static bool wanted(const jali_audit *ask, const jali_audit_case *c)
{
    for (size_t i = 0; i < ask->n_verbs; i++) {
        size_t n = strlen(ask->verb[i]);
        if (strncmp(c->name, ask->verb[i], n) == 0 && (c->name[n] == '\0' || c->name[n] == '.'))
            return true;
    }
    return ask->n_verbs == 0;
}

static jali_status list_cases(audit *a, jali_err *err)
{
    for (size_t i = 0; i < LISTS; i++)
        for (const jali_audit_case *c = lists[i]; c->name != NULL; c++)
            if (wanted(a->ask, c) && a->n_cases < MAX_CASES) a->cases[a->n_cases++] = *c;
    for (unsigned i = 1; i <= JALI_RANDOM_CASES && a->n_cases < MAX_CASES; i++) {
        JALI_TRY(jali_case_random(&a->cases[a->n_cases], i, &a->arena, err));
        a->n_cases += wanted(a->ask, &a->cases[a->n_cases]);
    }
    if (a->n_cases > 0) return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "there is no case of that name; jali audit without a name runs all");
}

/* Verbs that the wanted cases attack. */
static size_t count_verbs(const audit *a)
{
    size_t n = 0;
    for (size_t i = 0; i < a->n_cases; i++) {
        size_t j = 0;
        while (j < i && strcmp(a->cases[j].verb, a->cases[i].verb) != 0) j++;
        n += j == i;
    }
    return n;
}

/* ---- one case ----------------------------------------------------------------------- */

typedef struct verdict {
    double proved, charged;
    const char *currency;
    char words[160];  /* the best event */
    jali_stick stick; /* of that event, where the charge is in rho */
    bool good;
} verdict;

static verdict judge(const audit *a, const jali_sheet *sheet, jali_loss charged)
{
    jali_event event[JALI_AUDIT_EVENTS];
    size_t n = jali_events_find(sheet, event);
    bool pure = !charged.eps_infinite;
    verdict v = { .charged = (double)(pure ? charged.eps_pico : charged.rho_pico) * 1e-12,
                  .currency = pure ? "eps" : "rho" };
    snprintf(v.words, sizeof v.words, "none told them apart");
    for (size_t i = 0; i < n; i++) {
        double proved = jali_event_loss(&event[i], charged, a->alpha);
        if (proved <= v.proved) continue;
        v.proved = proved;
        memcpy(v.words, event[i].words, sizeof v.words);
        if (!pure) v.stick = jali_event_stick(&event[i], charged, a->alpha);
    }
    v.good = v.proved <= v.charged;
    return v;
}

static void tell(audit *a, const jali_audit_case *c, unsigned runs, const verdict *v)
{
    char proved[32], charged[32];
    snprintf(proved, sizeof proved, "%.3f", v->proved);
    snprintf(charged, sizeof charged, "%.3f", v->charged);
    jali_doc_cell(a->doc, "%s", c->name);
    jali_doc_cell(a->doc, "%s", c->tries);
    jali_doc_cell(a->doc, "%u", 2 * runs);
    jali_doc_cell(a->doc, "%s %s", v->currency, charged);
    jali_doc_cell(a->doc, "%s", proved);
    jali_doc_cell(a->doc, "%s", v->good ? "holds" : "BROKEN");
    if (v->stick.proved > 0)
        jali_doc_cell(a->doc, "%s; stick at eps %.2f: %.3f of %.3f", v->words, v->stick.eps,
                      v->stick.proved, v->stick.allowed);
    else
        jali_doc_cell(a->doc, "%s", v->words);
    json_t *row =
        json_pack("{s:s,s:s,s:i,s:s,s:s,s:s,s:b,s:s}", "case", c->name, "tries", c->tries,
                  "runs", (int)(2 * runs), "currency", v->currency, "charged", charged,
                  "proved", proved, "holds", v->good, "event", v->words);
    if (v->stick.proved > 0)
        json_object_set_new(row, "stick",
                            json_pack("{s:f,s:f,s:f}", "eps", v->stick.eps, "proved",
                                      v->stick.proved, "allowed", v->stick.allowed));
    if (json_array_append_new(a->rows, row) != 0) a->doc->failed = true;
    a->failed += !v->good;
    a->runs += 2 * (uint64_t)runs;
}

static jali_status run_case(audit *a, const jali_audit_case *c, jali_err *err)
{
    jali_sheet sheet = { 0 };
    jali_loss charged;
    unsigned runs = a->ask->runs == 0 ? c->runs : a->ask->runs;
    jali_status status = jali_audit_collect(&a->bench, c, runs, &sheet, &charged, err);
    if (status == JALI_OK) {
        verdict v = judge(a, &sheet, charged);
        tell(a, c, runs, &v);
    }
    jali_sheet_clear(&sheet);
    return status;
}

/* ---- the page ------------------------------------------------------------------------- */

static jali_status run_all(audit *a, jali_err *err)
{
    static const jali_col cols[] = { { "case", false },        { "one person", false },
                                     { "runs", true },         { "charged", true },
                                     { "proved", true },       { "", false },
                                     { "by the event", false } };
    JALI_TRY(list_cases(a, err));
    a->alpha = FALSE_ALARM / (double)(a->n_cases * JALI_AUDIT_EVENTS);
    jali_doc_heading(a->doc, "What its outputs give away");
    jali_doc_say(a->doc,
                 "Each case runs a command on a table with a person and on the same table "
                 "without. \"Proved\" is a lower bound on the privacy loss that the outputs "
                 "show; above \"charged\" the program is broken. A sound program fails with "
                 "probability below %g.",
                 FALSE_ALARM);
    jali_doc_table(a->doc, sizeof cols / sizeof *cols, cols);
    for (size_t i = 0; i < a->n_cases; i++) {
        if (a->ask->progress != NULL)
            a->ask->progress->tell(a->ask->progress->self, a->cases[i].name, i, a->n_cases);
        JALI_TRY(run_case(a, &a->cases[i], err));
    }
    return JALI_OK;
}

jali_status jali_audit_all(const jali_audit *ask, bool *holds, jali_doc **out, jali_err *err)
{
    audit a = { .ask = ask,
                .bench = {
                    .folder = ask->folder, .program = ask->program, .at_once = ask->at_once } };
    JALI_TRY(jali_doc_new(&a.doc, "audit", err));
    a.rows = json_array();
    a.cases = calloc(MAX_CASES, sizeof *a.cases);
    jali_doc_set(a.doc, "rows", a.rows);
    jali_status status =
        a.rows == NULL || a.cases == NULL ? jali_fail_memory(err) : run_all(&a, err);
    if (status == JALI_OK) {
        jali_doc_fact(a.doc, "verdict",
                      a.failed == 0 ? "every case holds" : "BROKEN: %zu of %zu", a.failed,
                      a.n_cases);
        jali_doc_fact(a.doc, "audit.verbs", "%zu", count_verbs(&a));
        jali_doc_fact(a.doc, "audit.cases", "%zu", a.n_cases);
        jali_doc_fact(a.doc, "audit.runs", "%llu", (unsigned long long)a.runs);
        jali_doc_set(a.doc, "verbs", json_integer((json_int_t)count_verbs(&a)));
        jali_doc_set(a.doc, "runs", json_integer((json_int_t)a.runs));
        jali_doc_set(a.doc, "cases", json_integer((json_int_t)a.n_cases));
        jali_doc_set(a.doc, "broken", json_integer((json_int_t)a.failed));
        *holds = a.failed == 0;
    }
    free(a.cases);
    jali_arena_clear(&a.arena);
    return jali_doc_finish(a.doc, status, out, err);
}
