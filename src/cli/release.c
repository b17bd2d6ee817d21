/* cli/release.c — jali release: a stored release, told again. */
#include "cli/cli.h"

static const cli_option options[] = {
    { "confidence", "C", "of the intervals (default: 0.95); free to change", false },
    { 0 },
};

static jali_status run(cli_call *call, jali_err *err)
{
    jali_doc *doc;
    jali_status status = jali_vault_release(call->word[0], call->word[1],
                                            cli_value(call, "confidence"), &doc, err);
    return status == JALI_OK ? cli_show(call, doc, err) : status;
}

const cli_verb cli_release = {
    .name = "release",
    .usage = "release VAULT ID [--confidence C]",
    .summary = "a stored release, told again for free",
    .about =
        "Everything that was paid for is stored under a short id (r1, c1, ...). Looking at\n"
        "it again costs nothing, in any format and at any confidence.",
    .option = options,
    .example = "  jali release demo/hospital.jali r1 --confidence 0.99\n",
    .least = 2,
    .most = 2,
    .run = run,
};
