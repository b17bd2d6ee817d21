/* door/budget.c — what is spent, by whom, and what is left; and the curator's acts. */
#include "base/rat.h"
#include "budget/words.h"
#include "door/door.h"
#include "door/hold.h"
#include "door/vault.h"

enum { PPM = 1000000, PPM_DIGITS = 6 };

static char *eps_text(char out[static 32], uint64_t pico)
{
    return jali_decimal(out, pico, JALI_LOSS_DIGITS);
}

static void tell_promise(jali_doc *doc, const jali_totals *t)
{
    char eps[32], delta[32], rho[32], when[32];
    if (t->cap.delta_atto == 0)
        jali_doc_fact(doc, "cap", "eps %s, pure", eps_text(eps, t->cap.eps_pico));
    else
        jali_doc_fact(doc, "cap", "eps %s at delta %s (rho %s)", eps_text(eps, t->cap.eps_pico),
                      jali_decimal(delta, t->cap.delta_atto, JALI_DELTA_DIGITS),
                      jali_few_words(rho, t->cap.rho_pico, false));
    jali_doc_fact(doc, "created", "%s UTC", jali_door_time(when, t->created_ms));
}

static void tell_spent(jali_doc *doc, const jali_totals *t)
{
    char sum[JALI_LOSS_TEXT], eps[32];
    double part = jali_cap_part(&t->cap, t->sum);
    jali_doc_meter(doc, "spent", part, "%.1f%%", 100 * part);
    jali_doc_fact(doc, "sum", "%s", jali_loss_words(sum, t->sum, &t->cap));
    /* Where eps is a sum of its own, what the rho is worth is news; else it was just told. */
    if (!t->sum.eps_infinite && t->sum.rho_pico > 0 && t->cap.delta_atto > 0 &&
        t->eps_of_rho_pico != JALI_LOSS_MAX)
        jali_doc_fact(doc, "or by rho", "eps %s at the cap's delta; either may keep the cap",
                      jali_few_words(eps, t->eps_of_rho_pico, true));
    jali_door_tell_left(doc, &t->cap, t->sum);
    jali_doc_fact(doc, "charges", "%lld, releases %lld", (long long)t->charges,
                  (long long)t->releases);
    if (t->question_ppm < PPM)
        jali_doc_fact(doc, "largest question", "%g%% of the cap", t->question_ppm / 1e4);
    if (t->everybody_ppm < PPM)
        jali_doc_fact(doc, "quota of everybody", "%g%% of the cap", t->everybody_ppm / 1e4);
}

static void tell_spenders(jali_doc *doc, const jali_totals *t)
{
    static const jali_col cols[] = {
        { "analyst", false }, { "charges", true }, { "spent", false }, { "quota", true }
    };
    if (t->n_spenders == 0) {
        jali_doc_say(doc, "Nobody has asked anything yet.");
        return;
    }
    jali_doc_table(doc, 4, cols);
    for (size_t i = 0; i < t->n_spenders; i++) {
        char sum[JALI_LOSS_TEXT];
        const jali_spender *s = &t->spender[i];
        jali_doc_cell(doc, "%s", s->analyst);
        jali_doc_cell(doc, "%lld", (long long)s->charges);
        jali_doc_cell(doc, "%s", jali_loss_words(sum, s->sum, &t->cap));
        if (s->quota_ppm < PPM)
            jali_doc_cell(doc, "%g%%", s->quota_ppm / 1e4);
        else
            jali_doc_cell(doc, "none");
    }
}

static json_t *spender_json(const jali_spender *s)
{
    json_t *spent = NULL;
    char quota[32];
    if (jali_loss_to_json(&spent, s->sum, NULL) != JALI_OK) return NULL;
    return json_pack("{s:s,s:I,s:o,s:s}", "analyst", s->analyst, "charges",
                     (json_int_t)s->charges, "spent", spent, "quota",
                     jali_decimal(quota, s->quota_ppm, PPM_DIGITS));
}

static void set_json(jali_doc *doc, const jali_totals *t, const char *name)
{
    static const char *const tests[] = { "none", "eps", "rho", "both" };
    json_t *cap = NULL, *rows = json_array();
    char text[32];
    jali_doc_set(doc, "vault", json_string(name));
    jali_doc_set(doc, "id", json_string(t->vault));
    jali_doc_set(doc, "created_ms", json_integer(t->created_ms));
    if (jali_cap_to_json(&cap, &t->cap, NULL) != JALI_OK) cap = NULL;
    jali_doc_set(doc, "cap", cap);
    jali_door_set_loss(doc, "spent", t->sum);
    jali_doc_set(doc, "within", json_string(tests[t->within]));
    jali_doc_set(doc, "eps_of_rho",
                 t->eps_of_rho_pico == JALI_LOSS_MAX
                     ? json_null()
                     : json_string(eps_text(text, t->eps_of_rho_pico)));
    jali_doc_set(doc, "charges", json_integer(t->charges));
    jali_doc_set(doc, "releases", json_integer(t->releases));
    jali_doc_set(doc, "question_share",
                 json_string(jali_decimal(text, t->question_ppm, PPM_DIGITS)));
    jali_doc_set(doc, "quota_share",
                 json_string(jali_decimal(text, t->everybody_ppm, PPM_DIGITS)));
    for (size_t i = 0; i < t->n_spenders; i++)
        if (json_array_append_new(rows, spender_json(&t->spender[i])) != 0) doc->failed = true;
    jali_doc_set(doc, "rows", rows);
}

static jali_status budget_doc(const jali_totals *totals, const jali_vault *v, jali_doc **out,
                              jali_err *err)
{
    jali_doc *doc;
    JALI_TRY(jali_doc_new(&doc, "budget", err));
    jali_doc_heading(doc, "Budget of %s", v->name);
    jali_vault_tell_public(doc, v->is_public);
    tell_promise(doc, totals);
    tell_spent(doc, totals);
    tell_spenders(doc, totals);
    set_json(doc, totals, v->name);
    return jali_doc_finish(doc, JALI_OK, out, err);
}

static jali_status budget(const jali_vault *vault, jali_ledger *ledger, jali_doc **out,
                          jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_totals totals;
    jali_status status = jali_ledger_totals(ledger, &arena, &totals, err);
    if (status == JALI_OK) status = budget_doc(&totals, vault, out, err);
    jali_arena_clear(&arena);
    return status;
}

jali_status jali_vault_budget(const char *vault, jali_doc **out, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_ledger *ledger = NULL;
    jali_vault *v = NULL;
    jali_status status = jali_door_ledger(vault, JALI_LEDGER_READ, &arena, &ledger, err);
    if (status == JALI_OK) status = jali_vault_open(&v, vault, err);
    if (status == JALI_OK) status = budget(v, ledger, out, err);
    jali_vault_free(v);
    jali_ledger_close(ledger, NULL);
    jali_arena_clear(&arena);
    return status;
}

jali_status jali_hold_budget(jali_hold *hold, jali_doc **out, jali_err *err)
{
    jali_ledger *ledger;
    jali_held *held;
    jali_copy *copy = NULL;
    jali_vault *vault;
    JALI_TRY(jali_hold_take(hold, &held, &ledger, err));
    jali_status status = jali_hold_lend(hold, &copy, &vault, err);
    if (status == JALI_OK) status = budget(vault, ledger, out, err);
    jali_hold_return(hold, copy);
    jali_hold_give(hold, held);
    return status;
}

/* ---- acts of the curator ------------------------------------------------------------ */

static jali_status read_cap(jali_cap *to, const jali_cap *now, const char *epsilon,
                            const char *delta, jali_err *err)
{
    mpq_t eps, del;
    char was[32];
    mpq_inits(eps, del, NULL);
    jali_decimal(was, now->delta_atto, JALI_DELTA_DIGITS);
    jali_status status = jali_rat_parse(eps, epsilon, "--epsilon", err);
    if (status == JALI_OK)
        status = jali_rat_parse(del, delta == NULL ? was : delta, "--delta", err);
    if (status == JALI_OK) status = jali_cap_make(to, eps, del, NULL, err);
    mpq_clears(eps, del, NULL);
    return status;
}

/* One act on an open ledger; what each does is the caller's. */
struct act {
    jali_status (*run)(jali_ledger *ledger, const struct act *act, jali_err *err);
    const char *epsilon, *delta, *analyst;
    uint32_t ppm;
    jali_hand by;
};

static jali_status run_raise(jali_ledger *ledger, const struct act *act, jali_err *err)
{
    jali_account now;
    jali_cap to;
    JALI_TRY(jali_ledger_account(ledger, &now, err));
    JALI_TRY(read_cap(&to, &now.cap, act->epsilon, act->delta, err));
    return jali_ledger_raise_cap(ledger, &to, &act->by, err);
}

static jali_status run_quota(jali_ledger *ledger, const struct act *act, jali_err *err)
{
    return jali_ledger_set_quota(ledger, act->analyst, act->ppm, &act->by, err);
}

static jali_status run_question(jali_ledger *ledger, const struct act *act, jali_err *err)
{
    return jali_ledger_set_question(ledger, act->ppm, &act->by, err);
}

static jali_status perform(const char *vault, const struct act *act, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_ledger *ledger = NULL;
    jali_status status = jali_door_ledger(vault, JALI_LEDGER_WRITE, &arena, &ledger, err);
    if (status == JALI_OK) status = act->run(ledger, act, err);
    if (status == JALI_OK)
        status = jali_ledger_close(ledger, err);
    else
        jali_ledger_close(ledger, NULL);
    jali_arena_clear(&arena);
    return status;
}

static jali_status read_share(uint32_t *ppm, const char *share, jali_err *err)
{
    mpq_t q;
    uint64_t units = 0;
    mpq_init(q);
    jali_status status = jali_rat_parse(q, share, "--share", err);
    bool good =
        status == JALI_OK && jali_rat_down(&units, q, PPM_DIGITS) && units >= 1 && units <= PPM;
    mpq_clear(q);
    if (status != JALI_OK) return status;
    if (!good)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_CURATOR,
                         "--share %.20s is not a part of the cap; take 0.000001 to 1", share);
    *ppm = (uint32_t)units;
    return JALI_OK;
}

jali_status jali_vault_raise(const char *vault, const char *epsilon, const char *delta,
                             const char *by, int64_t now_ms, jali_err *err)
{
    struct act act = { .run = run_raise, .epsilon = epsilon, .delta = delta };
    act.by = (jali_hand){ by, now_ms };
    return perform(vault, &act, err);
}

jali_status jali_vault_quota(const char *vault, const char *analyst, const char *share,
                             const char *by, int64_t now_ms, jali_err *err)
{
    struct act act = { .run = run_quota, .analyst = analyst, .by = { by, now_ms } };
    JALI_TRY(read_share(&act.ppm, share, err));
    return perform(vault, &act, err);
}

jali_status jali_vault_question(const char *vault, const char *share, const char *by,
                                int64_t now_ms, jali_err *err)
{
    struct act act = { .run = run_question, .by = { by, now_ms } };
    JALI_TRY(read_share(&act.ppm, share, err));
    return perform(vault, &act, err);
}
