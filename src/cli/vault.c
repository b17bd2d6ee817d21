/* cli/vault.c — jali show: what is public about a vault. */
#include "cli/cli.h"

static const cli_option options[] = { { 0 } };

static jali_status run(cli_call *call, jali_err *err)
{
    jali_doc *doc;
    jali_status status = jali_vault_show(call->word[0], &doc, err);
    return status == JALI_OK ? cli_show(call, doc, err) : status;
}

const cli_verb cli_show_vault = {
    .name = "show",
    .usage = "show VAULT",
    .summary = "what is public about a vault: columns, domains, persons",
    .about = "Everything here was declared by the curator. How many rows there are is not\n"
             "public and is not shown.",
    .option = options,
    .example = "  jali show demo/hospital.jali\n",
    .least = 1,
    .most = 1,
    .run = run,
};
