/* cli/spend.c — what verbs that spend have in common: options, agreement, the price alone. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"
#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

const cli_option cli_spending[] = {
    { "epsilon", "E", "what it may cost", false },
    { "rho", "R", "the same in zCDP (not in a pure vault)", false },
    { "confidence", "C", "of the intervals (default: 0.95); free to change", false },
    { "request", "ID", "a key under which a repeated request is one request", false },
    { "ask-above", "S",
      "at a terminal, ask first above this share of the cap (default: the vault's)", false },
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
                         .quote = quote,
                         .threads = call->threads,
                         .crew = call->crew };
}

static jali_status show_quote(cli_call *call, cli_request request, jali_err *err)
{
    jali_doc *doc;
    jali_spend spend = spend_of(call, true);
    jali_status status = request(call, &spend, &doc, err);
    return status == JALI_OK ? cli_show(call, doc, err) : status;
}

/* The share above which a person is asked: this call's, or the vault's policy. */
static jali_status read_limit(const cli_call *call, const json_t *quote, double *out,
                              jali_err *err)
{
    const char *given = cli_value(call, "ask-above"),
               *policy = json_string_value(json_object_get(quote, "ask_above"));
    char *end;
    *out = strtod(given != NULL ? given : policy != NULL ? policy : "0", &end);
    if (given == NULL || (*end == '\0' && *given != '\0' && *out >= 0 && *out <= 1))
        return JALI_OK;
    return cli_refuse(err, "--ask-above %.20s is not a part of the cap; take 0 to 1", given);
}

/* A person is asked before the first spending in a vault, and above the limit. What is free or
 * small and habitual is not worth a question: people who are always asked always say yes. */
static jali_status must_ask(cli_call *call, const jali_doc *quote, bool *out, jali_err *err)
{
    char *text;
    double limit = 0;
    jali_style style = { .format = JALI_FORMAT_JSON };
    jali_status status = jali_doc_render(quote, &style, &text, err);
    if (status != JALI_OK) return status;
    json_t *said = json_loads(text, 0, NULL);
    jali_free(text);
    const char *share = json_string_value(json_object_get(said, "share"));
    double cost = share == NULL ? 1 : strtod(share, NULL);
    bool first = json_is_true(json_object_get(said, "first"));
    status = read_limit(call, said, &limit, err);
    *out = cost > limit || (first && cost > 0);
    json_decref(said);
    return status;
}

static jali_status put_question(cli_call *call, jali_doc *quote, jali_err *err)
{
    char answer[16] = "";
    jali_format format = call->style.format;
    call->style.format = JALI_FORMAT_TABLE; /* a person is to read it; no price is SQL */
    jali_status status = cli_show(call, quote, err);
    call->style.format = format;
    if (status != JALI_OK) return status;
    fputs("\nSpend this? [y/N] ", stdout);
    fflush(stdout);
    if (fgets(answer, sizeof answer, stdin) != NULL && (answer[0] == 'y' || answer[0] == 'Y'))
        return JALI_OK;
    return cli_refuse(err, "nothing was spent");
}

/* Spending is agreed to: by --yes, by a person who has seen the quote, or by a policy that
 * calls it small. */
static jali_status agree(cli_call *call, cli_request request, jali_err *err)
{
    jali_doc *quote;
    bool ask = true;
    if (cli_flag(call, "yes")) return JALI_OK;
    if (isatty(STDIN_FILENO) != 1 || isatty(STDOUT_FILENO) != 1)
        return cli_refuse(err, "a script must say --yes to spend; jali cost tells the price");
    jali_spend spend = spend_of(call, true);
    jali_status status = request(call, &spend, &quote, err);
    if (status != JALI_OK) return status;
    status = must_ask(call, quote, &ask, err);
    if (status == JALI_OK && ask) return put_question(call, quote, err);
    jali_doc_free(quote);
    return status;
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
