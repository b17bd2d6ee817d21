/* door/ask.c — jali ask: a question in SQL, at the desk. */
#include "door/ask.h"

static jali_status prepare(jali_asking *a, jali_desk *desk, jali_err *err)
{
    JALI_TRY(jali_query_parse(a->schema, a->sql, a->arena, &a->query, err));
    JALI_TRY(jali_asking_price(a, desk, err));
    return jali_ask_bind(&a->ask, desk->vault->columns, a->arena, err);
}

/* The wording goes into the release: it has to be read again when the answer is told again. */
static jali_status draw(void *self, jali_charge *charge, jali_dice *dice, jali_pool *pool,
                        jali_arena *arena, char **body, jali_err *err)
{
    jali_asking *a = self;
    return jali_ask_run(&a->ask, a->sql, pool, charge, dice, arena, body, err);
}

/* Equal questions share a release, but each is told in its own words. */
static jali_status tell(jali_asking *a, jali_desk *desk, jali_doc **out, jali_err *err)
{
    jali_doc *doc;
    JALI_TRY(jali_desk_doc(desk, "ask", &doc, err));
    jali_telling t = { .vault = desk->vault,
                       .ledger = desk->ledger,
                       .release = &desk->release,
                       .miss = desk->miss,
                       .arena = a->arena,
                       .doc = doc };
    jali_vault_tell_public(doc, desk->vault->is_public);
    jali_status status = jali_asking_tell(a, &t, err);
    if (status == JALI_OK) status = jali_desk_tell_cost(desk, doc, err);
    return jali_doc_finish(doc, status, out, err);
}

static jali_status run(jali_asking *a, jali_desk *desk, jali_doc **out, jali_err *err)
{
    jali_job job = { .kind = 'r',
                     .plan = a->ask.plan,
                     .exact = a->ask.exact,
                     .note = jali_door_note(a->sql, "a question in SQL", a->arena),
                     .loss = a->ask.loss,
                     .tables = a->ask.tables,
                     .draw = draw,
                     .self = a };
    if (desk->spend->quote) return jali_asking_quote(a, desk, &job, out, err);
    JALI_TRY(jali_desk_pay(desk, &job, err));
    return tell(a, desk, out, err);
}

jali_status jali_vault_ask(const jali_question *question, jali_doc **out, jali_err *err)
{
    jali_desk desk;
    jali_asking a = { .sql = question->sql, .error = question->error, .arena = &desk.arena };
    jali_status status = jali_desk_open(&desk, &question->spend, err);
    if (status == JALI_OK) {
        a.schema = &desk.vault->schema;
        a.law = desk.law;
        a.miss = desk.miss;
        status = prepare(&a, &desk, err);
    }
    if (status == JALI_OK) status = run(&a, &desk, out, err);
    jali_ask_clear(&a.ask);
    jali_desk_close(&desk);
    return status;
}

jali_status jali_tell_ask(const jali_telling *t, jali_err *err)
{
    jali_asking a;
    jali_status status =
        jali_asking_reopen(&a, &t->vault->schema, t->release, t->miss, t->arena, err);
    if (status == JALI_OK) status = jali_asking_tell(&a, t, err);
    jali_ask_clear(&a.ask);
    return status;
}
