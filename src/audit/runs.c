/* audit/runs.c — a case's command on both tables, many times: a few in processes of their own,
 * as users run it, the others in workers that do the same without the price of a process. */
#include "audit/inside.h"
#include "base/file.h"
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

enum { AT_ONCE = 64, ALONE = 20, ALONE_SHARE = 100 };

typedef struct collection {
    const jali_pair *pair;
    unsigned at_once;
    jali_sheet *sheet;
    jali_loss *charged;
    bool told;
    char last[256]; /* error of a run that did not say what it cost */
} collection;

static jali_status make_folder(const collection *k, unsigned i, char folder[static 512],
                               jali_err *err)
{
    snprintf(folder, 512, "%s/slot-%02u", k->pair->home, i);
    if (mkdir(folder, 0700) == 0 || errno == EEXIST) return JALI_OK;
    return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "cannot make %.200s: %s", folder,
                     strerror(errno));
}

/* Even runs are with the person. Takes the output over. */
static jali_status note(collection *k, unsigned run, jali_output *out, jali_err *err)
{
    if (!k->told) k->told = jali_output_paid(out, k->charged);
    if (!k->told) snprintf(k->last, sizeof k->last, "%s", out->err);
    jali_status status = jali_sheet_add(k->sheet, run % 2 == 0, out, err);
    jali_output_clear(out);
    return status;
}

/* ---- processes ------------------------------------------------------------------------ */

static jali_status start_alone(const collection *k, unsigned i, unsigned run, jali_child *child,
                               jali_err *err)
{
    char folder[512];
    JALI_TRY(make_folder(k, i, folder, err));
    JALI_TRY(jali_pair_copy(k->pair, folder, run % 2 == 0, err));
    return jali_child_start(child, k->pair->bench->program, folder, k->pair->words, err);
}

/* A row of children, side by side, from run `done` on. */
static jali_status run_row(collection *k, unsigned done, unsigned n, jali_err *err)
{
    jali_child child[AT_ONCE];
    jali_status status = JALI_OK;
    unsigned started = 0;
    for (; status == JALI_OK && started < n; started++)
        status = start_alone(k, started, done + started, &child[started], err);
    if (status != JALI_OK) started--; /* the last one did not start */
    for (unsigned i = 0; i < started; i++) {
        jali_output out;
        jali_status taken = jali_child_end(&child[i], &out, err);
        if (taken == JALI_OK) taken = note(k, done + i, &out, err);
        if (status == JALI_OK) status = taken;
    }
    return status;
}

static jali_status run_alone(collection *k, unsigned end, jali_err *err)
{
    for (unsigned done = 0; done < end; done += k->at_once) {
        unsigned n = end - done < k->at_once ? end - done : k->at_once;
        JALI_TRY(run_row(k, done, n, err));
    }
    return JALI_OK;
}

/* ---- workers ---------------------------------------------------------------------------- */

static jali_status run_workers(collection *k, unsigned first, unsigned end, jali_err *err)
{
    jali_worker worker[AT_ONCE];
    char folder[AT_ONCE][512];
    unsigned n = 0;
    jali_status status = JALI_OK;
    for (; status == JALI_OK && n < k->at_once && first + n < end; n++) {
        worker[n] = (jali_worker){ .pair = k->pair,
                                   .folder = folder[n],
                                   .first = first + n,
                                   .step = k->at_once,
                                   .end = end };
        status = make_folder(k, n, folder[n], err);
        if (status == JALI_OK) status = jali_worker_start(&worker[n], err);
    }
    for (unsigned run = first; status == JALI_OK && run < end; run++) {
        jali_output out;
        status = jali_worker_next(&worker[(run - first) % k->at_once], &out, err);
        if (status == JALI_OK)
            status = note(k, run, &out, err);
        else
            jali_output_clear(&out);
    }
    for (unsigned i = 0; i < n; i++) jali_worker_end(&worker[i]);
    return status;
}

/* ---- a case ------------------------------------------------------------------------------ */

static jali_status run_all(collection *k, unsigned runs, jali_err *err)
{
    unsigned alone = ALONE + runs / ALONE_SHARE;
    if (alone > runs / 4) alone = runs / 4 + 1;
    JALI_TRY(run_alone(k, 2 * alone, err));
    JALI_TRY(run_workers(k, 2 * alone, 2 * runs, err));
    if (k->told) return JALI_OK;
    return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_CURATOR,
                     "case %s: no output told what it cost: %s", k->pair->c->name, k->last);
}

jali_status jali_audit_collect(const jali_audit_bench *bench, const jali_audit_case *c,
                               unsigned runs, jali_sheet *sheet, jali_loss *charged,
                               jali_err *err)
{
    jali_pair p;
    unsigned most = bench->at_once == 0 ? 1 : bench->at_once;
    collection k = { .pair = &p,
                     .at_once = most > AT_ONCE ? AT_ONCE : most,
                     .sheet = sheet,
                     .charged = charged };
    jali_status status = jali_pair_make(&p, bench, c, err);
    if (status == JALI_OK) status = run_all(&k, runs, err);
    jali_pair_clear(&p);
    return status;
}
