/* door/desk.c — where every verb pays: open, price, pay, draw, store, and only then show. */
#include "door/desk.h"
#include "base/rat.h"
#include "budget/convert.h"
#include "budget/words.h"
#include "door/crew.h"

enum { PATIENCE_MS = 10000, CONFIDENCE_DIGITS = 9, BUDGET_DIGITS = 256 };

/* ---- what the request says ------------------------------------------------------- */

jali_status jali_door_miss(const char *confidence, double *miss, jali_err *err)
{
    const char *text = confidence == NULL ? "0.95" : confidence;
    const uint64_t one = 1000000000;
    uint64_t units = 0;
    mpq_t q;
    mpq_init(q);
    jali_status status = jali_rat_parse(q, text, "--confidence", err);
    bool good = status == JALI_OK && jali_rat_up(&units, q, CONFIDENCE_DIGITS) && units > 0 &&
                units < one;
    mpq_clear(q);
    if (status != JALI_OK) return status;
    if (!good)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "--confidence %.20s must lie between 0 and 1, like 0.95", text);
    *miss = (double)(one - units) / (double)one;
    return JALI_OK;
}

static void set_pico(mpq_t out, uint64_t pico)
{
    mpz_set_ui(mpq_numref(out), pico);
    mpz_ui_pow_ui(mpq_denref(out), 10, JALI_LOSS_DIGITS);
    mpq_canonicalize(out);
}

/* Asking for the cap's own eps asks for all of it, so eps is read as the cap reads it: at its
 * delta without the reserve. */
static jali_status rho_of_epsilon(const jali_desk *desk, mpq_t out, jali_err *err)
{
    const jali_cap *cap = &desk->account.cap;
    uint64_t pico = 0;
    if (!jali_rat_down(&pico, out, JALI_LOSS_DIGITS) || pico > JALI_CAP_MAX_EPS_PICO)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "--epsilon %.40s is beyond any cap", desk->spend->epsilon);
    set_pico(out, jali_convert_rho(pico, cap->delta_atto - cap->reserve_atto));
    return JALI_OK;
}

jali_status jali_desk_budget(const jali_desk *desk, mpq_t out, jali_err *err)
{
    const jali_spend *s = desk->spend;
    bool pure = desk->law == JALI_LAW_LAPLACE;
    if ((s->epsilon != NULL) + (s->rho != NULL) != 1)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "say what it may cost: --epsilon E or --rho R, one of them");
    if (pure && s->rho != NULL)
        return jali_fail(err, JALI_E_BUDGET, JALI_FOR_ANALYST,
                         "this vault is pure (delta 0), so rho buys nothing: ask with "
                         "--epsilon");
    JALI_TRY(jali_rat_parse(out, s->rho != NULL ? s->rho : s->epsilon,
                            s->rho != NULL ? "--rho" : "--epsilon", err));
    if (mpq_sgn(out) <= 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a question costs something: its budget must be above 0");
    return pure || s->rho != NULL ? JALI_OK : rho_of_epsilon(desk, out, err);
}

jali_status jali_desk_exact(mpq_srcptr budget, jali_arena *arena, const char **out,
                            jali_err *err)
{
    char number[BUDGET_DIGITS];
    if (mpz_sizeinbase(mpq_numref(budget), 10) + mpz_sizeinbase(mpq_denref(budget), 10) + 3 >
        sizeof number)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "the budget has too many digits; write a shorter number");
    const char *copy = jali_arena_text(arena, mpq_get_str(number, 10, budget));
    if (copy == NULL) return jali_fail_memory(err);
    *out = copy;
    return JALI_OK;
}

const char *jali_door_note(const char *text, const char *instead, jali_arena *arena)
{
    char *note = jali_arena_text(arena, text);
    if (note == NULL || strlen(note) > JALI_LEDGER_MAX_NOTE) return instead;
    for (char *p = note; *p != '\0'; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f) *p = ' ';
    return note;
}

/* ---- opening ----------------------------------------------------------------------- */

/* A book brought from elsewhere would not know what was spent here. */
static jali_status check_book(const jali_desk *desk, jali_err *err)
{
    const jali_vault *v = desk->vault;
    if (strcmp(desk->account.vault, v->id) == 0 && desk->account.created_ms == v->created_ms)
        return JALI_OK;
    return jali_fail(err, JALI_E_LEDGER, JALI_FOR_CURATOR,
                     "the ledger in %.200s is of another vault; bring back its own", v->path);
}

/* With the ledger that is held for us, if one is. */
static jali_status open_vault(jali_desk *desk, jali_err *err)
{
    const jali_spend *s = desk->spend;
    if (s->hold == NULL) return jali_crew_open(&desk->vault, s->vault, s->crew, err);
    JALI_TRY(jali_hold_take(s->hold, &desk->held, &desk->ledger, err));
    return jali_hold_lend(s->hold, &desk->copy, &desk->vault, err);
}

jali_status jali_desk_open(jali_desk *desk, const jali_spend *spend, jali_err *err)
{
    *desk = (jali_desk){ .spend = spend };
    jali_ledger_mode mode = spend->quote ? JALI_LEDGER_READ : JALI_LEDGER_WRITE;
    JALI_TRY(open_vault(desk, err));
    JALI_TRY(jali_door_miss(spend->confidence, &desk->miss, err));
    if (desk->held == NULL)
        JALI_TRY(jali_door_ledger(spend->vault, mode, &desk->arena, &desk->ledger, err));
    JALI_TRY(jali_ledger_account(desk->ledger, &desk->account, err));
    JALI_TRY(check_book(desk, err));
    desk->law = desk->account.cap.delta_atto == 0 ? JALI_LAW_LAPLACE : JALI_LAW_GAUSS;
    desk->progress = desk->vault->is_public ? spend->progress : NULL;
    return JALI_OK;
}

void jali_desk_close(jali_desk *desk)
{
    if (desk->copy != NULL)
        jali_hold_return(desk->spend->hold, desk->copy);
    else
        jali_vault_free(desk->vault);
    if (desk->held != NULL)
        jali_hold_give(desk->spend->hold, desk->held);
    else
        jali_ledger_close(desk->ledger, NULL);
    jali_arena_clear(&desk->arena);
}

/* ---- the order of a release --------------------------------------------------------- */

static jali_status draw(jali_desk *desk, const jali_job *job, jali_charge *charge,
                        jali_dice *dice, jali_pool *pool, jali_err *err)
{
    char *body = NULL;
    JALI_TRY(job->draw(job->self, charge, dice, pool, &desk->arena, &body, err));
    return jali_ledger_store(desk->ledger, charge, job->kind, body, strlen(body),
                             desk->spend->now_ms, &desk->release, err);
}

static jali_request request_of(const jali_desk *desk, const jali_job *job)
{
    return (jali_request){ .analyst = desk->spend->by,
                           .id = desk->spend->request,
                           .plan = job->plan,
                           .loss = job->loss,
                           .exact = job->exact,
                           .note = job->note,
                           .now_ms = desk->spend->now_ms,
                           .patience_ms = PATIENCE_MS };
}

static jali_status charge_for(jali_desk *desk, const jali_job *job, jali_charge **charge,
                              jali_err *err)
{
    const jali_request request = request_of(desk, job);
    return jali_ledger_charge(desk->ledger, &request, &desk->arena, charge, &desk->release,
                              err);
}

static jali_status take_dice(const jali_desk *desk, jali_dice **out, jali_err *err)
{
    jali_hold *hold = desk->spend->hold;
    return hold == NULL ? jali_dice_new(out, err) : jali_hold_dice(hold, out, err);
}

static void give_dice(const jali_desk *desk, jali_dice *dice)
{
    if (desk->spend->hold == NULL)
        jali_dice_free(dice);
    else
        jali_hold_dice_back(desk->spend->hold, dice);
}

jali_status jali_desk_pay(jali_desk *desk, const jali_job *job, jali_err *err)
{
    jali_charge *charge = NULL;
    jali_dice *dice = NULL;
    jali_pool *pool = NULL;
    /* What can fail cheaply fails before paying. */
    jali_status status = take_dice(desk, &dice, err);
    if (status == JALI_OK) status = jali_pool_new(&pool, desk->spend->threads, err);
    if (status == JALI_OK && job->tables != NULL)
        status = jali_plan_check(job->tables, pool, err);
    if (status == JALI_OK) status = charge_for(desk, job, &charge, err);
    desk->free = charge == NULL;
    if (status == JALI_OK && !desk->free) status = draw(desk, job, charge, dice, pool, err);
    jali_charge_free(charge);
    jali_pool_free(pool);
    give_dice(desk, dice);
    return status;
}

/* ---- words --------------------------------------------------------------------------- */

jali_status jali_desk_doc(const jali_desk *desk, const char *kind, jali_doc **out,
                          jali_err *err)
{
    JALI_TRY(jali_doc_new(out, kind, err));
    (*out)->bare = desk->spend->bare;
    return JALI_OK;
}

/* What a client needs to decide whether a person has to agree. */
static void set_asking(const jali_desk *desk, jali_loss this, bool newcomer, jali_doc *doc)
{
    char share[32];
    snprintf(share, sizeof share, "%.6f", jali_cap_part(&desk->account.cap, this));
    jali_doc_set(doc, "share", json_string(share));
    jali_doc_set(doc, "ask_above", json_string(desk->vault->ask_above));
    jali_doc_set(doc, "first", json_boolean(newcomer)); /* somebody new is asked first */
}

/* In words, each of which takes a conversion; `free`: the release that answered before. */
static void tell_price(const jali_desk *desk, jali_loss this, const char *free, jali_doc *doc)
{
    char text[JALI_LOSS_TEXT];
    const jali_cap *cap = &desk->account.cap;
    const jali_loss sum = desk->account.sum;
    jali_doc_fact(doc, "before", "%s", jali_loss_words(text, sum, cap));
    if (free != NULL)
        jali_doc_fact(doc, "this", "nothing: it was released before as %s", free);
    else
        jali_doc_fact(doc, "this", "%s, %.2g%% of the cap", jali_loss_words(text, this, cap),
                      100 * jali_cap_part(cap, this));
    jali_doc_fact(doc, "after", "%s", jali_loss_words(text, jali_loss_add(sum, this), cap));
}

jali_status jali_desk_quote(jali_desk *desk, const jali_job *job, jali_doc *doc, jali_err *err)
{
    const jali_cap *cap = &desk->account.cap;
    const jali_request request = request_of(desk, job);
    jali_quote quote;
    JALI_TRY(jali_ledger_quote(desk->ledger, &request, &desk->arena, &quote, err));
    const char *free = quote.stored.id[0] != '\0' ? quote.stored.id : NULL;
    jali_loss this = free != NULL ? (jali_loss)JALI_LOSS_NONE : job->loss;
    jali_loss after = jali_loss_add(desk->account.sum, this);
    jali_vault_tell_public(doc, desk->vault->is_public);
    if (!doc->bare) tell_price(desk, this, free, doc);
    jali_door_tell_left(doc, cap, after);
    jali_door_set_loss(doc, "before", desk->account.sum);
    jali_door_set_loss(doc, "this", this);
    jali_door_set_loss(doc, "after", after);
    set_asking(desk, this, quote.newcomer, doc);
    return JALI_OK;
}

void jali_door_set_unit(jali_doc *doc, const jali_schema *schema)
{
    const char *unit = schema->person < 0 ? "row" : schema->fields[schema->person].name;
    jali_doc_set(doc, "unit", json_string(unit));
    jali_doc_set(doc, "rows_per_person", json_integer(schema->rows_per_person));
}

void jali_desk_set_terms(const jali_desk *desk, const jali_release *r, jali_doc *doc)
{
    char confidence[32];
    jali_doc_set(doc, "release", json_string(r->id));
    jali_doc_set(doc, "charge", json_integer(r->charge));
    jali_door_set_loss(doc, "paid", r->paid);
    snprintf(confidence, sizeof confidence, "%.9g", 1 - desk->miss);
    jali_doc_set(doc, "confidence", json_string(confidence));
    if (json_object_get(doc->json, "neighbours") == NULL)
        jali_doc_set(doc, "neighbours", json_string("add or remove one person"));
    jali_door_set_unit(doc, &desk->vault->schema);
}

static void tell_paid(const jali_desk *desk, const jali_cap *cap, jali_doc *doc)
{
    char text[JALI_LOSS_TEXT];
    const jali_release *r = &desk->release;
    if (desk->free)
        jali_doc_fact(doc, "cost", "nothing: %s was paid by %s before", r->id, r->analyst);
    else
        jali_doc_fact(doc, "cost", "%s, %.2g%% of the cap, release %s",
                      jali_loss_words(text, r->paid, cap), 100 * jali_cap_part(cap, r->paid),
                      r->id);
}

jali_status jali_desk_tell_cost(jali_desk *desk, jali_doc *doc, jali_err *err)
{
    jali_account now;
    JALI_TRY(jali_ledger_account(desk->ledger, &now, err));
    if (!doc->bare) tell_paid(desk, &now.cap, doc);
    jali_door_tell_left(doc, &now.cap, now.sum);
    jali_doc_set(doc, "free", json_boolean(desk->free));
    jali_desk_set_terms(desk, &desk->release, doc);
    return JALI_OK;
}
