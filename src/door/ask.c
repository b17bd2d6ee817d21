/* door/ask.c — jali ask: parse, price, pay, count, draw, store, and only then show. */
#include "door/ask.h"
#include "dice/dice.h"

enum { PATIENCE_MS = 10000 };

/* A book brought from elsewhere would not know what was spent here. */
static jali_status check_book(const jali_asking *a, jali_err *err)
{
    const jali_vault *v = a->vault;
    if (strcmp(a->totals.vault, v->id) == 0 && a->totals.created_ms == v->created_ms)
        return JALI_OK;
    return jali_fail(err, JALI_E_LEDGER, JALI_FOR_CURATOR,
                     "the ledger in %.200s is of another vault; bring back its own", v->path);
}

static jali_status prepare(jali_asking *a, jali_err *err)
{
    const jali_question *q = a->question;
    JALI_TRY(jali_vault_open(&a->vault, q->vault, err));
    JALI_TRY(jali_query_parse(&a->vault->schema, q->sql, &a->arena, &a->query, err));
    JALI_TRY(jali_asking_confidence(a, err));
    JALI_TRY(jali_door_ledger(q->vault, q->quote ? JALI_LEDGER_READ : JALI_LEDGER_WRITE,
                              &a->arena, &a->ledger, err));
    JALI_TRY(jali_ledger_totals(a->ledger, &a->arena, &a->totals, err));
    JALI_TRY(check_book(a, err));
    JALI_TRY(jali_asking_price(a, err));
    return jali_ask_bind(&a->ask, a->vault->columns, &a->arena, err);
}

/* ---- the order of a release ---------------------------------------------------- */

static jali_status draw(jali_asking *a, jali_charge *charge, jali_dice *dice, jali_pool *pool,
                        jali_err *err)
{
    char *body = NULL;
    jali_status status = jali_ask_run(&a->ask, pool, charge, dice, &a->arena, &body, err);
    if (status == JALI_OK)
        status = jali_ledger_store(a->ledger, charge, 'r', body, strlen(body),
                                   a->question->now_ms, a->release.id, err);
    if (status == JALI_OK) {
        a->release.body = body;
        a->release.n = strlen(body);
        a->release.charge = jali_charge_seq(charge);
        a->release.analyst = a->question->by;
    }
    return status;
}

/* The ledger keeps a line of text: what was asked, if it fits. The plan is kept whole. */
static const char *note_of(jali_asking *a)
{
    char *note = jali_arena_text(&a->arena, a->question->sql);
    if (note == NULL || strlen(note) > JALI_LEDGER_MAX_NOTE) return "a question in SQL";
    for (char *p = note; *p != '\0'; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f) *p = ' ';
    return note;
}

static jali_status pay_and_draw(jali_asking *a, jali_err *err)
{
    jali_charge *charge = NULL;
    jali_request request = { .analyst = a->question->by,
                             .id = a->question->request,
                             .plan = a->ask.plan,
                             .loss = a->ask.loss,
                             .exact = a->ask.exact,
                             .note = note_of(a),
                             .now_ms = a->question->now_ms,
                             .patience_ms = PATIENCE_MS };
    /* What can fail cheaply fails before paying. */
    jali_dice *dice = NULL;
    jali_pool *pool = NULL;
    jali_status status = jali_dice_new(&dice, err);
    if (status == JALI_OK) status = jali_pool_new(&pool, 0, err);
    if (status == JALI_OK) status = jali_plan_check(a->ask.tables, pool, err);
    if (status == JALI_OK)
        status = jali_ledger_charge(a->ledger, &request, &a->arena, &charge, &a->release, err);
    a->free = charge == NULL;
    if (status == JALI_OK && !a->free) status = draw(a, charge, dice, pool, err);
    jali_charge_free(charge);
    jali_pool_free(pool);
    jali_dice_free(dice);
    return status;
}

jali_status jali_vault_ask(const jali_question *question, jali_doc **out, jali_err *err)
{
    jali_asking a = { .question = question };
    jali_status status = prepare(&a, err);
    if (status == JALI_OK && question->quote)
        status = jali_asking_quote(&a, out, err);
    else if (status == JALI_OK) {
        status = pay_and_draw(&a, err);
        if (status == JALI_OK) status = jali_asking_answer(&a, out, err);
    }
    jali_ask_clear(&a.ask);
    jali_ledger_close(a.ledger, NULL);
    jali_vault_free(a.vault);
    jali_arena_clear(&a.arena);
    return status;
}
