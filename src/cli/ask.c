/* cli/ask.c — jali ask and jali cost: a question in SQL, and what it would cost. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"
#include <string.h>
#include <unistd.h>

static const cli_option options[] = {
    { "epsilon", "E", "what the question may cost", false },
    { "rho", "R", "the same in zCDP (not in a pure vault)", false },
    { "error", "X", "or how exact: every COUNT and SUM within X, at the least cost", false },
    { "confidence", "C", "of the intervals (default: 0.95); free to change", false },
    { "request", "ID", "a key under which a repeated request is one request", false },
    { "yes", NULL, "spend without being asked", false },
    { 0 },
};

static jali_question question(const cli_call *call, const char *sql, bool quote)
{
    return (jali_question){ .vault = call->word[0],
                            .sql = sql,
                            .epsilon = cli_value(call, "epsilon"),
                            .rho = cli_value(call, "rho"),
                            .error = cli_value(call, "error"),
                            .confidence = cli_value(call, "confidence"),
                            .request = cli_value(call, "request"),
                            .by = cli_who(call),
                            .now_ms = cli_now_ms(),
                            .quote = quote };
}

static jali_status show_quote(cli_call *call, const char *sql, jali_err *err)
{
    jali_doc *doc;
    jali_question q = question(call, sql, true);
    jali_status status = jali_vault_ask(&q, &doc, err);
    return status == JALI_OK ? cli_show(call, doc, err) : status;
}

/* Spending is agreed to: by --yes, or by a person who has seen the quote. */
static jali_status agree(cli_call *call, const char *sql, jali_err *err)
{
    char answer[16] = "";
    if (cli_flag(call, "yes")) return JALI_OK;
    if (isatty(STDIN_FILENO) != 1 || isatty(STDOUT_FILENO) != 1)
        return cli_refuse(err, "a script must say --yes to spend; jali cost tells the price");
    jali_status status = show_quote(call, sql, err);
    if (status != JALI_OK) return status;
    fputs("\nSpend this? [y/N] ", stdout);
    fflush(stdout);
    if (fgets(answer, sizeof answer, stdin) != NULL && (answer[0] == 'y' || answer[0] == 'Y'))
        return JALI_OK;
    return cli_refuse(err, "nothing was spent");
}

static jali_status run(cli_call *call, jali_err *err)
{
    jali_doc *doc;
    call->source = call->word[1];
    jali_status status = agree(call, call->word[1], err);
    jali_question q = question(call, call->word[1], false);
    if (status == JALI_OK) status = jali_vault_ask(&q, &doc, err);
    return status == JALI_OK ? cli_show(call, doc, err) : status;
}

static jali_status run_cost(cli_call *call, jali_err *err)
{
    if (strcmp(call->word[1], "ask") != 0)
        return cli_refuse(err, "cost knows ask, not \"%.20s\": jali cost VAULT ask SQL",
                          call->word[1]);
    call->source = call->word[2];
    return show_quote(call, call->word[2], err);
}

const cli_verb cli_ask = {
    .name = "ask",
    .usage = "ask VAULT SQL --epsilon E | --rho R | --error X [--confidence C] [--yes]",
    .summary = "a question in SQL, answered with noise and intervals",
    .about =
        "COUNT(*), COUNT(column), SUM and AVG with WHERE and up to three columns of GROUP\n"
        "BY, over the vault's one table. All groups of the public domain are answered, empty\n"
        "ones too. The answer is stored; asked again in any equal wording it is free.",
    .option = options,
    .example = "  jali ask demo/hospital.jali \"SELECT ward, AVG(cost) FROM hospital GROUP BY "
               "ward\" --epsilon 0.2 --yes\n",
    .least = 2,
    .most = 2,
    .run = run,
};

const cli_verb cli_cost = {
    .name = "cost",
    .usage = "cost VAULT ask SQL --epsilon E | --rho R | --error X [--confidence C]",
    .summary = "what a question would cost, and how exact it would be",
    .about =
        "Put in front of a question, tells the charge, the budget before and after, and the\n"
        "expected error. Spends nothing.",
    .option = options,
    .example =
        "  jali cost demo/hospital.jali ask \"SELECT COUNT(*) FROM hospital\" --epsilon 0.1\n",
    .least = 3,
    .most = 3,
    .run = run_cost,
};
