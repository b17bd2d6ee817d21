/* door/why.c — jali why: is it so, could it be the noise, and what explains it. */
#include "door/why.h"
#include <math.h>

jali_status jali_why_open(jali_asking_why *w, const jali_vault *vault, jali_ledger *ledger,
                          const char *release, const char *question, const char *label,
                          double miss, jali_arena *arena, jali_err *err)
{
    jali_release stored;
    JALI_TRY(jali_ledger_find_id(ledger, release, arena, &stored, err));
    if (stored.id[0] != 'r')
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "%.20s is not an answer: why explains what jali ask answered (r1)",
                         release);
    JALI_TRY(jali_asking_reopen(&w->asking, &vault->schema, &stored, miss, arena, err));
    JALI_TRY(jali_answer_read(&w->answer, &w->asking.ask, stored.body, stored.n, arena, err));
    JALI_TRY(jali_compare_parse(&vault->schema, &w->asking.query, question, label, arena,
                                &w->comparison, err));
    w->of = jali_arena_text(arena, stored.id);
    w->question = question;
    w->miss = miss;
    if (w->of == NULL) return jali_fail_memory(err);
    jali_gap_of(&w->answer, &w->comparison, miss, &w->gap);
    jali_gap_bootstrap(&w->answer, &w->comparison, miss, &w->gap);
    return JALI_OK;
}

/* ---- the price ------------------------------------------------------------------------- */

static jali_why_words words_of(const jali_why *y, const jali_desk *desk)
{
    return (jali_why_words){ .reasons = { .length = y->length,
                                          .up_to = y->up_to,
                                          .inequalities = y->inequalities,
                                          .column = y->columns,
                                          .n_columns = y->n_columns,
                                          .either = y->either,
                                          .predicates = y->predicates },
                             .top = y->top,
                             .ranks = y->ranks,
                             .split = y->split,
                             .lower = y->lower,
                             .constants = y->constants,
                             .miss = desk->miss };
}

/* The paper's constants are safe but need many times the budget: to compare, not to use. */
static jali_status check_constants(const jali_why *y, const jali_desk *desk, jali_err *err)
{
    if (y->constants == NULL || strcmp(y->constants, "paper") != 0 || desk->vault->is_public)
        return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "--constants paper is for comparison on public vaults: the proven ones "
                     "are smaller and just as safe");
}

/* The whole cap, as a budget. */
static void set_cap(const jali_desk *desk, mpq_t out)
{
    const jali_cap *cap = &desk->account.cap;
    uint64_t pico = desk->law == JALI_LAW_LAPLACE ? cap->eps_pico : cap->rho_pico;
    mpz_set_ui(mpq_numref(out), pico);
    mpz_ui_pow_ui(mpq_denref(out), 10, JALI_LOSS_DIGITS);
    mpq_canonicalize(out);
}

/* Noise falls with the budget, with rho by its root. */
static double half_at(const jali_desk *desk, double half, mpq_srcptr budget)
{
    mpq_t cap;
    mpq_init(cap);
    set_cap(desk, cap);
    double share = mpq_get_d(budget) / mpq_get_d(cap);
    mpq_clear(cap);
    return half * (desk->law == JALI_LAW_GAUSS ? sqrt(share) : share);
}

static bool advise(const jali_asking_why *w, const jali_desk *desk, const jali_inquiry *inquiry,
                   mpq_srcptr budget, jali_doc *doc)
{
    double half = jali_inquiry_half(inquiry, w->miss);
    return jali_why_advise(w, half, half_at(desk, half, budget), doc);
}

/* ---- phase 2 alone ------------------------------------------------------------------- */

/* Costs nothing, stores nothing. What no budget could explain is said already here. */
static jali_status only_verdict(const jali_why *y, const jali_asking_why *w, jali_desk *desk,
                                jali_doc **out, jali_err *err)
{
    jali_doc *doc;
    mpq_t budget;
    JALI_TRY(jali_doc_new(&doc, "why", err));
    jali_vault_tell_public(doc, desk->vault->is_public);
    jali_why_tell_gap(w, doc);
    jali_status status = JALI_OK;
    bool hopeless = false;
    if (w->comparison.linear) {
        jali_inquiry inquiry;
        jali_why_words words = words_of(y, desk);
        mpq_init(budget);
        set_cap(desk, budget);
        status = jali_inquiry_init(&inquiry, &w->asking.ask, &w->comparison, &words, desk->law,
                                   budget, desk->vault->columns, &desk->arena, err);
        if (status == JALI_OK) {
            hopeless = advise(w, desk, &inquiry, budget, doc);
            jali_inquiry_clear(&inquiry);
        }
        mpq_clear(budget);
    }
    jali_doc_fact(doc, "cost", "nothing: this was read off %s", w->of);
    jali_doc_set(doc, "free", json_true());
    if (w->comparison.linear && !hopeless)
        jali_doc_say(doc, "To be told what explains it, say what that may cost: --epsilon E or "
                          "--rho R.");
    return jali_doc_finish(doc, status, out, err);
}

/* ---- phase 3 ------------------------------------------------------------------------- */

struct run {
    const jali_asking_why *w;
    jali_inquiry inquiry;
};

static jali_status draw(void *self, jali_charge *charge, jali_dice *dice, jali_pool *pool,
                        jali_arena *arena, char **body, jali_err *err)
{
    struct run *r = self;
    const jali_asking_why *w = r->w;
    return jali_inquiry_run(&r->inquiry, w->of, w->question,
                            w->asking.query.aggregate[w->comparison.aggregate].label, pool,
                            charge, dice, arena, body, err);
}

static jali_status tell_price(struct run *r, jali_desk *desk, const jali_job *job,
                              mpq_srcptr budget, jali_doc **out, jali_err *err)
{
    jali_doc *doc;
    JALI_TRY(jali_doc_new(&doc, "cost", err));
    jali_why_tell_gap(r->w, doc);
    advise(r->w, desk, &r->inquiry, budget, doc);
    double whole = jali_why_whole(r->w), half = jali_inquiry_half(&r->inquiry, desk->miss);
    jali_doc_fact(doc, "predicates", "%llu may explain it; the %zu best will be shown",
                  (unsigned long long)jali_space_size(r->inquiry.reasons.space),
                  jali_explainer_k(r->inquiry.explainer));
    if (whole > 0)
        jali_doc_fact(doc, "error",
                      "influences within %.3g%% of the difference, %g%% of the "
                      "time",
                      100 * half / whole, 100 * (1 - desk->miss));
    jali_status status = jali_desk_quote(desk, job, doc, err);
    return jali_doc_finish(doc, status, out, err);
}

static jali_status tell_answer(struct run *r, jali_desk *desk, mpq_srcptr budget,
                               jali_doc **out, jali_err *err)
{
    jali_doc *doc;
    jali_told told;
    JALI_TRY(jali_told_read(&told, desk->release.body, desk->release.n, &desk->arena, err));
    told.unit = r->inquiry.unit; /* "2 * a > 2 * b" draws what "a > b" drew, in other units */
    JALI_TRY(jali_doc_new(&doc, "why", err));
    jali_vault_tell_public(doc, desk->vault->is_public);
    jali_why_tell_gap(r->w, doc);
    advise(r->w, desk, &r->inquiry, budget, doc);
    jali_status status = jali_why_tell_table(r->w, &told, &desk->arena, doc, err);
    if (status == JALI_OK) status = jali_desk_tell_cost(desk, doc, err);
    return jali_doc_finish(doc, status, out, err);
}

static jali_status run(struct run *r, jali_desk *desk, mpq_srcptr budget, jali_doc **out,
                       jali_err *err)
{
    jali_job job = { .kind = 'w',
                     .plan = r->inquiry.plan,
                     .exact = r->inquiry.exact,
                     .note = jali_door_note(r->w->question, "a comparison", &desk->arena),
                     .loss = r->inquiry.loss,
                     .draw = draw,
                     .self = r };
    if (desk->spend->quote) return tell_price(r, desk, &job, budget, out, err);
    JALI_TRY(jali_desk_pay(desk, &job, err));
    return tell_answer(r, desk, budget, out, err);
}

static jali_status explain(const jali_why *y, const jali_asking_why *w, jali_desk *desk,
                           jali_doc **out, jali_err *err)
{
    struct run r = { .w = w };
    jali_why_words words = words_of(y, desk);
    mpq_t budget;
    JALI_TRY(check_constants(y, desk, err));
    mpq_init(budget);
    jali_status status = jali_desk_budget(desk, budget, err);
    if (status == JALI_OK)
        status = jali_inquiry_init(&r.inquiry, &w->asking.ask, &w->comparison, &words,
                                   desk->law, budget, desk->vault->columns, &desk->arena, err);
    if (status == JALI_OK) status = run(&r, desk, budget, out, err);
    jali_inquiry_clear(&r.inquiry);
    mpq_clear(budget);
    return status;
}

jali_status jali_vault_why(const jali_why *why, jali_doc **out, jali_err *err)
{
    jali_desk desk;
    jali_asking_why w = { 0 };
    jali_spend spend = why->spend;
    bool free = spend.epsilon == NULL && spend.rho == NULL;
    spend.quote = spend.quote || free;
    jali_status status = jali_desk_open(&desk, &spend, err);
    if (status == JALI_OK)
        status = jali_why_open(&w, desk.vault, desk.ledger, why->release, why->question,
                               why->of, desk.miss, &desk.arena, err);
    if (status == JALI_OK)
        status =
            free ? only_verdict(why, &w, &desk, out, err) : explain(why, &w, &desk, out, err);
    jali_ask_clear(&w.asking.ask);
    jali_desk_close(&desk);
    return status;
}

/* Told again from the ledger: its own words, its own answer. */
jali_status jali_tell_why(const jali_telling *t, jali_err *err)
{
    jali_told told;
    jali_asking_why w = { 0 };
    JALI_TRY(jali_told_read(&told, t->release->body, t->release->n, t->arena, err));
    jali_status status = jali_why_open(&w, t->vault, t->ledger, told.of, told.question,
                                       told.label, t->miss, t->arena, err);
    if (status == JALI_OK) {
        jali_why_tell_gap(&w, t->doc);
        status = jali_why_tell_table(&w, &told, t->arena, t->doc, err);
    }
    jali_ask_clear(&w.asking.ask);
    return status;
}
