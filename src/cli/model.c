/* cli/model.c — jali model: a private portrait of a model. */
#define _GNU_SOURCE
#include "cli/cli.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 1000 };

static const cli_option options[] = {
    { "model", "M", "a registered name, an XGBoost file, FILE.so, or \"command:WORDS\"",
      false },
    { "declared", "D", "public, or private: trained on rows that must not be known", false },
    { "bounds", "L:H", "public bounds of the model's output (0:1 for a probability)", false },
    { "feature", "F", "the column of a curve", false },
    { "label", "Y", "COLUMN or COLUMN=VALUE that the model predicts, for importance", false },
    { "loss", "L", "pfi: absolute errors (default), or squared: far more noise", false },
    { "columns", "A,B", "what the model is fed, in order (default: as its file says)", false },
    { "resolution", "N", "points of a curve (default: 20; pdp: every value of up to 100)",
      false },
    { "grid", "G", "even, or quantiles (paid for; the default of ale)", false },
    { "explainer", "X", "plot: pdp, ale, shap; rank: pfi, interaction; or \"command:WORDS\"",
      false },
    { "blocks", "N", "of persons, for plot, shap, rank and interaction (default: 200)", false },
    { "range", "L:H", "public bounds of the curve of a plot", false },
    { "neighbours", "R", "replace: one person replaced, with a public number of rows", false },
    { "rows", "N", "that public number", false },
    { "output", "K", "which output of an XGBoost model with several, from 0", false },
    { "ndjson", NULL, "a command reads NDJSON instead of CSV", false },
    { "timeout", "S", "seconds for one batch of a command (default: 600)", false },
    { "pin", "A,B", "add: more files that must not change, such as a command reads", false },
    { 0 },
};

static jali_status read_numbers(const cli_call *call, jali_model_question *q, jali_err *err)
{
    jali_status status = cli_count(call, "resolution", 1, 1000000, &q->resolution, err);
    if (status == JALI_OK) status = cli_count(call, "blocks", 1, 1000000, &q->blocks, err);
    if (status == JALI_OK) status = cli_count(call, "output", 0, 1000000, &q->output, err);
    if (status == JALI_OK) status = cli_count(call, "timeout", 1, 1000000, &q->timeout_s, err);
    return status;
}

/* --neighbours replace and --rows N belong together. */
static jali_status read_neighbours(const cli_call *call, jali_model_question *q, jali_err *err)
{
    const char *how = cli_value(call, "neighbours");
    q->rows = cli_value(call, "rows");
    bool replace = how != NULL && strcmp(how, "replace") == 0;
    if (how != NULL && !replace && strcmp(how, "add-remove") != 0)
        return cli_refuse(
            err, "--neighbours is add-remove (the default) or replace, not \"%.20s\"", how);
    if (replace == (q->rows != NULL)) return JALI_OK;
    return cli_refuse(err,
                      "--neighbours replace and --rows N belong together: the number of rows "
                      "is then public, and you say it");
}

/* The words of a list with commas; `copy` holds them. */
static size_t read_list(char *copy, const char **out)
{
    size_t n = 0;
    for (char *rest = copy; rest != NULL && n < MOST_COLUMNS;) out[n++] = strsep(&rest, ",");
    return n;
}

static jali_status use(cli_call *call, const jali_model_question *q, jali_doc **out,
                       jali_err *err)
{
    if (strcmp(q->what, "add") == 0) return jali_vault_model_add(call->word[2], q, err);
    return jali_vault_model(q, out, err);
}

static jali_status request(cli_call *call, const jali_spend *spend, jali_doc **out,
                           jali_err *err)
{
    static const char *columns[MOST_COLUMNS], *pins[MOST_COLUMNS];
    jali_model_question q = { .spend = *spend,
                              .what = call->word[1],
                              .model = cli_value(call, "model"),
                              .declared = cli_value(call, "declared"),
                              .feature = cli_value(call, "feature"),
                              .columns = columns,
                              .bounds = cli_value(call, "bounds"),
                              .range = cli_value(call, "range"),
                              .label = cli_value(call, "label"),
                              .explainer = cli_value(call, "explainer"),
                              .grid = cli_value(call, "grid"),
                              .loss = cli_value(call, "loss"),
                              .pins = pins,
                              .ndjson = cli_flag(call, "ndjson") };
    const char *fed = cli_value(call, "columns"), *pinned = cli_value(call, "pin");
    char *copy = fed == NULL ? NULL : strdup(fed), *files = pinned ? strdup(pinned) : NULL;
    q.n_columns = read_list(copy, columns);
    q.n_pins = read_list(files, pins);
    jali_status status = read_numbers(call, &q, err);
    if (status == JALI_OK) status = read_neighbours(call, &q, err);
    if (status == JALI_OK) status = use(call, &q, out, err);
    free(files);
    free(copy);
    return status;
}

/* ---- the list of registered models ------------------------------------------------------- */

/* Options of questions, which a registration does not have. */
static jali_status check_add(const cli_call *call, jali_err *err)
{
    static const char *const idle[] = { "feature",   "loss",    "resolution", "grid",
                                        "explainer", "blocks",  "range",      "neighbours",
                                        "rows",      "epsilon", "rho" };
    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
        if (cli_value(call, idle[i]) != NULL)
            return cli_refuse(err, "a model is registered without --%s: that is for questions",
                              idle[i]);
    return JALI_OK;
}

static jali_status add(cli_call *call, jali_err *err)
{
    jali_spend spend = { .vault = call->word[0], .by = cli_who(call), .now_ms = cli_now_ms() };
    jali_status status = check_add(call, err);
    if (status == JALI_OK) status = request(call, &spend, NULL, err);
    if (status == JALI_OK)
        fprintf(stderr, "Registered. Analysts may now say --model %s.\n", call->word[2]);
    return status;
}

static jali_status list(cli_call *call, jali_err *err)
{
    jali_doc *doc;
    jali_status status = jali_vault_models(call->word[0], &doc, err);
    return status == JALI_OK ? cli_show(call, doc, err) : status;
}

static jali_status run(cli_call *call, jali_err *err)
{
    const char *what = call->word[1];
    bool names = strcmp(what, "add") == 0 || strcmp(what, "remove") == 0;
    bool lists = strcmp(what, "list") == 0;
    if ((names || lists) && call->quote)
        return cli_refuse(err, "the list of models costs nothing; ask without cost");
    if (names != (call->n_words == 3))
        return cli_refuse(err,
                          names ? "say its name: jali model VAULT %s NAME"
                                : "\"%s\" is followed by options only",
                          what);
    if (lists) return list(call, err);
    if (!names) return cli_spend(call, request, err);
    return what[0] == 'a' ? add(call, err)
                          : jali_vault_model_remove(call->word[0], call->word[2], err);
}

const cli_verb cli_model = {
    .name = "model",
    .usage =
        "model VAULT pdp|ale|pfi|interaction|shap|plot|rank --model M --declared D --bounds "
        "L:H\n       [--feature F] --epsilon E | --rho R [--yes]\n"
        "       jali model VAULT add NAME --model M --declared D --bounds L:H | list | remove NAME",
    .summary = "a private portrait of a model: curves and what matters to it",
    .about =
        "pdp, ale      how the output moves with a column, by noise on the explainer's own sums\n"
        "pfi           what matters: how much worse the model gets without a column\n"
        "shap, plot    a curve, by running an explainer on blocks of persons\n"
        "interaction,  a ranking of columns, in the same way\n"
        "rank\n"
        "A command gets rows as CSV on its stdin and prints one number a line. It runs without\n"
        "network and without leave to write. Under each curve stands a private histogram.\n"
        "add registers a model for everybody: --model NAME then says all that is said here of\n"
        "it, and its files must stay what they are.",
    .option = options,
    .spends = true,
    .example =
        "  jali model demo/hospital.jali pdp --model command:demo/risk --declared public "
        "--bounds 0:1 --columns age,bmi --feature age --epsilon 1 --yes\n",
    .least = 2,
    .most = 3,
    .run = run,
};
