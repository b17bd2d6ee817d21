/* cli/eval.c — jali eval: how good a verb is against the truth, on public vaults only. */
#include "cli/cli.h"

static const cli_option options[] = {
    { "runs", "N", "how often to draw (default: the verb's own number)", false },
    { "epsilon", "E", "budget of one run", false },
    { "rho", "R", "the same in zCDP", false },
    { "confidence", "C", "of the intervals (default: 0.95)", false },
    { 0 },
};

static jali_status run(cli_call *call, jali_err *err)
{
    jali_doc *doc;
    cli_meter meter;
    jali_progress progress = cli_progress(call, &meter);
    jali_trial trial = { .spend = { .vault = call->word[1],
                                    .epsilon = cli_value(call, "epsilon"),
                                    .rho = cli_value(call, "rho"),
                                    .confidence = cli_value(call, "confidence"),
                                    .by = cli_who(call),
                                    .now_ms = cli_now_ms(),
                                    .progress = progress.tell == NULL ? NULL : &progress },
                         .what = call->word[0],
                         .argument = call->word + 2,
                         .n_arguments = call->n_words - 2 };
    jali_status status = cli_count(call, "runs", 1, 1000000, &trial.runs, err);
    if (status == JALI_OK) status = jali_vault_eval(&trial, &doc, err);
    cli_progress_end(&meter);
    return status == JALI_OK ? cli_show(call, doc, err) : status;
}

const cli_verb cli_eval = {
    .name = "eval",
    .usage = "eval WHAT VAULT [NAME=VALUE ...] [--runs N] [--epsilon E | --rho R]",
    .summary = "how good a verb is against the truth, on a public vault",
    .about =
        "Runs a verb many times on a vault that was imported with --public and compares with\n"
        "the truth: for research. Nothing it prints is private, and it says so. Nothing is\n"
        "charged: a public vault has nobody to protect.",
    .option = options,
    .example = NULL,
    .least = 2,
    .most = CLI_MAX_WORDS,
    .run = run,
};
