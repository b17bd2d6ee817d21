/* cli/ledger.c — jali ledger: the book itself, and whether it holds. */
#include "cli/cli.h"
#include <string.h>

static const cli_option options[] = {
    { "from", "ROW", "log: the first row to show (default: 1)", false },
    { 0 },
};

static jali_status first_row(const cli_call *call, int64_t *out, jali_err *err)
{
    const char *text = cli_value(call, "from");
    *out = 1;
    if (text == NULL) return JALI_OK;
    *out = 0;
    for (const char *p = text; *p >= '0' && *p <= '9' && *out < 1000000000000; p++) {
        *out = *out * 10 + (*p - '0');
        if (p[1] == '\0' && *out > 0) return JALI_OK;
    }
    return cli_refuse(err, "--from \"%.20s\" is not a row; rows count from 1", text);
}

static jali_status run_log(cli_call *call, jali_err *err)
{
    int64_t from;
    jali_doc *doc;
    jali_status status = first_row(call, &from, err);
    if (status == JALI_OK) status = jali_vault_log(call->word[0], from, &doc, err);
    return status == JALI_OK ? cli_show(call, doc, err) : status;
}

static jali_status run_verify(cli_call *call, jali_err *err)
{
    bool intact;
    jali_doc *doc;
    jali_status status = jali_vault_verify(call->word[0], &intact, &doc, err);
    if (status != JALI_OK) return status;
    call->exit_code = intact ? 0 : JALI_E_LEDGER;
    return cli_show(call, doc, err);
}

static jali_status run(cli_call *call, jali_err *err)
{
    if (strcmp(call->word[1], "log") == 0) return run_log(call, err);
    if (strcmp(call->word[1], "verify") == 0) return run_verify(call, err);
    static const char *const known[] = { "log", "verify" };
    return cli_refuse_word(err, "jali ledger VAULT knows log and verify", call->word[1], 2,
                           known);
}

const cli_verb cli_ledger = {
    .name = "ledger",
    .usage = "ledger VAULT log|verify",
    .summary = "the book of all charges, and whether it holds",
    .about = "log prints every row: charges, releases, acts of the curator.\n"
             "verify recomputes every hash and every sum, checks the signed checkpoint, and\n"
             "exits with 5 and the first bad row if something does not hold.",
    .option = options,
    .example = "  jali ledger demo/hospital.jali log\n"
               "  jali ledger demo/hospital.jali verify\n",
    .least = 2,
    .most = 2,
    .run = run,
};
