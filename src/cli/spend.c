/* cli/spend.c — what verbs that spend have in common: options, agreement, the price alone. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"
#include <unistd.h>

const cli_option cli_spending[] = {
    { "epsilon", "E", "what it may cost", false },
    { "rho", "R", "the same in zCDP (not in a pure vault)", false },
    { "confidence", "C", "of the intervals (default: 0.95); free to change", false },
    { "request", "ID", "a key under which a repeated request is one request", false },
    { "yes", NULL, "spend without being asked", false },
    { 0 },
};

static jali_spend spend_of(const cli_call *call, bool quote)
{
    return (jali_spend){ .vault = call->word[0],
                         .epsilon = cli_value(call, "epsilon"),
                         .rho = cli_value(call, "rho"),
                         .confidence = cli_value(call, "confidence"),
                         .request = cli_value(call, "request"),
                         .by = cli_who(call),
                         .now_ms = cli_now_ms(),
                         .quote = quote };
}

static jali_status show_quote(cli_call *call, cli_request request, jali_err *err)
{
    jali_doc *doc;
    jali_spend spend = spend_of(call, true);
    jali_status status = request(call, &spend, &doc, err);
    return status == JALI_OK ? cli_show(call, doc, err) : status;
}

/* Spending is agreed to: by --yes, or by a person who has seen the quote. */
static jali_status agree(cli_call *call, cli_request request, jali_err *err)
{
    char answer[16] = "";
    if (cli_flag(call, "yes")) return JALI_OK;
    if (isatty(STDIN_FILENO) != 1 || isatty(STDOUT_FILENO) != 1)
        return cli_refuse(err, "a script must say --yes to spend; jali cost tells the price");
    jali_status status = show_quote(call, request, err);
    if (status != JALI_OK) return status;
    fputs("\nSpend this? [y/N] ", stdout);
    fflush(stdout);
    if (fgets(answer, sizeof answer, stdin) != NULL && (answer[0] == 'y' || answer[0] == 'Y'))
        return JALI_OK;
    return cli_refuse(err, "nothing was spent");
}

jali_status cli_spend(cli_call *call, cli_request request, jali_err *err)
{
    jali_doc *doc;
    cli_meter meter;
    if (call->quote) return show_quote(call, request, err);
    jali_status status = agree(call, request, err);
    if (status != JALI_OK) return status;
    jali_progress progress = cli_progress(call, &meter);
    jali_spend spend = spend_of(call, false);
    spend.progress = progress.tell == NULL ? NULL : &progress;
    status = request(call, &spend, &doc, err);
    cli_progress_end(&meter);
    return status == JALI_OK ? cli_show(call, doc, err) : status;
}
