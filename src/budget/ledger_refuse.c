/* budget/ledger_refuse.c — the sentences of a ledger that says no.
 *
 * They depend on the ledger and the request alone, so an analyst may read them.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/rat.h"
#include "base/text.h"
#include "budget/inside.h"
#include "budget/words.h"

char *jali_time_text(char out[static 24], int64_t ms)
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm tm;
    if (gmtime_r(&seconds, &tm) == NULL || strftime(out, 24, "%Y-%m-%d %H:%M", &tm) == 0)
        snprintf(out, 24, "an unknown time");
    return out;
}

/* "; most went to ana (rho 0.02, 2026-11-16 02:10, row 3) and ...": the two largest, in the
 * currency that counts under this cap. Silence if the storage fails: the refusal stands. */
static void add_largest(jali_text *t, jali_store *store, const jali_cap *cap)
{
    bool pure = cap->delta_atto == 0, row = true;
    jali_rows rows;
    const char *sql = pure ? "SELECT analyst, time_ms, seq, eps_pico FROM charges"
                             " ORDER BY eps_pico DESC, seq LIMIT 2"
                           : "SELECT analyst, time_ms, seq, rho_pico FROM charges"
                             " ORDER BY rho_pico DESC, seq LIMIT 2";
    if (jali_rows_start(&rows, store, sql, NULL, 0, NULL) != JALI_OK) return;
    for (int i = 0; jali_rows_next(&rows, &row, NULL) == JALI_OK && row; i++) {
        char when[24], size[32];
        jali_few_words(size, (uint64_t)jali_rows_number(&rows, 3), true);
        jali_text_format(t, "%s%.24s (%s %s, %s, row %lld)",
                         i == 0 ? "; most went to " : " and ", jali_rows_text(&rows, 0),
                         pure ? "eps" : "rho", size,
                         jali_time_text(when, jali_rows_number(&rows, 1)),
                         (long long)jali_rows_number(&rows, 2));
    }
    jali_rows_finish(&rows);
}

static jali_status say(jali_text *t, jali_err *err)
{
    jali_status status = jali_text_status(t, err);
    if (status == JALI_OK)
        status = jali_fail(err, JALI_E_BUDGET, JALI_FOR_ANALYST, "%s", t->at);
    jali_text_clear(t);
    return status;
}

jali_status jali_refuse_cap(jali_store *store, const jali_cap *cap, jali_loss sum,
                            jali_loss loss, jali_err *err)
{
    if (cap->delta_atto == 0 && loss.eps_infinite)
        return jali_fail(err, JALI_E_BUDGET, JALI_FOR_ANALYST,
                         "this vault's budget is pure (delta 0), so noise without a finite "
                         "epsilon, such as Gaussian noise or a threshold on unknown keys, is "
                         "refused; ask with Laplace noise or an exponential mechanism");
    char this[JALI_LOSS_TEXT], spent[JALI_LOSS_TEXT], left[JALI_LOSS_TEXT];
    jali_text t = { 0 };
    jali_text_format(&t, "the budget does not cover this: it costs %s; spent %s; left %s",
                     jali_loss_words(this, loss, cap), jali_loss_words(spent, sum, cap),
                     jali_left_words(left, cap, sum));
    add_largest(&t, store, cap);
    jali_text_add(
        &t,
        "; ask for less, read what was released (jali releases), or ask the curator to raise the cap");
    return say(&t, err);
}

jali_status jali_refuse_share(const char *whose, uint32_t ppm, const jali_cap *share,
                              jali_loss sum, jali_loss loss, jali_err *err)
{
    char this[JALI_LOSS_TEXT], spent[JALI_LOSS_TEXT], left[JALI_LOSS_TEXT], percent[32];
    jali_text t = { 0 };
    jali_text_format(&t,
                     "the policy gives %s at most %s%% of the budget: this costs %s; spent %s; "
                     "left %s; ask for less, or ask the curator for a larger share",
                     whose, jali_decimal(percent, ppm, 4), jali_loss_words(this, loss, NULL),
                     jali_loss_words(spent, sum, NULL), jali_left_words(left, share, sum));
    return say(&t, err);
}
