/* door/eval.c — jali eval: only for a vault that its curator marked public. */
#include "eval/eval.h"
#include "door/desk.h"

static jali_status refuse_private(const jali_vault *vault, jali_err *err)
{
    if (vault->is_public) return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "eval prints the truth, and the vault %.200s is not public; import a copy "
                     "that nobody has to be protected in, with jali init --public",
                     vault->path);
}

static jali_status run(const jali_trial *trial, jali_desk *desk, jali_stage *stage,
                       jali_err *err)
{
    const jali_spend *s = &trial->spend;
    if (s->epsilon != NULL || s->rho != NULL)
        JALI_TRY(jali_desk_budget(desk, stage->budget, err));
    JALI_TRY(jali_dice_new(&stage->dice, err));
    JALI_TRY(jali_pool_new(&stage->pool, s->threads, err));
    JALI_TRY(jali_columns_load(stage->columns, err)); /* truth is read row by row */
    jali_doc_heading(stage->doc, "How good is %s on %s?", trial->what, desk->vault->name);
    jali_vault_tell_public(stage->doc, true);
    return jali_eval_run(trial->what, stage, err);
}

/* A trial pays nothing and stores nothing: the ledger is opened to read, for its cap. */
jali_status jali_vault_eval(const jali_trial *trial, jali_doc **out, jali_err *err)
{
    jali_desk desk;
    jali_doc *doc = NULL;
    jali_spend spend = trial->spend;
    spend.quote = true;
    jali_status status = jali_desk_open(&desk, &spend, err);
    if (status == JALI_OK) status = refuse_private(desk.vault, err);
    if (status == JALI_OK) status = jali_doc_new(&doc, "eval", err);
    if (status == JALI_OK) {
        jali_stage stage = { .name = desk.vault->name,
                             .schema = &desk.vault->schema,
                             .columns = desk.vault->columns,
                             .law = desk.law,
                             .miss = desk.miss,
                             .runs = trial->runs,
                             .argument = trial->argument,
                             .n_arguments = trial->n_arguments,
                             .progress = desk.progress,
                             .arena = &desk.arena,
                             .doc = doc };
        mpq_init(stage.budget);
        status = jali_doc_finish(doc, run(trial, &desk, &stage, err), out, err);
        mpq_clear(stage.budget);
        jali_pool_free(stage.pool);
        jali_dice_free(stage.dice);
    }
    jali_desk_close(&desk);
    return status;
}
