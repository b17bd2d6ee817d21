/* cli/ask.c — jali ask: a question in SQL. */
#include "cli/cli.h"

static const cli_option options[] = {
    { "error", "X", "or how exact: every COUNT and SUM within X, at the least cost", false },
    { 0 },
};

static jali_status request(cli_call *call, const jali_spend *spend, jali_doc **out,
                           jali_err *err)
{
    jali_question q = { .spend = *spend,
                        .sql = call->word[1],
                        .error = cli_value(call, "error") };
    return jali_vault_ask(&q, out, err);
}

static jali_status run(cli_call *call, jali_err *err)
{
    call->source = call->word[1];
    return cli_spend(call, request, err);
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
    .spends = true,
    .example = "  jali ask demo/hospital.jali \"SELECT ward, AVG(cost) FROM hospital GROUP BY "
               "ward\" --epsilon 0.2 --yes\n",
    .least = 2,
    .most = 2,
    .run = run,
};
