/* cli/release.c — jali releases and jali release: what is stored, and one of it told again. */
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
    .prints = CLI_OR_QUERY,
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

static const cli_option none[] = { { 0 } };

static jali_status run_list(cli_call *call, jali_err *err)
{
    jali_doc *doc;
    jali_status status = jali_vault_releases(call->word[0], &doc, err);
    return status == JALI_OK ? cli_show(call, doc, err) : status;
}

const cli_verb cli_releases = {
    .name = "releases",
    .usage = "releases VAULT",
    .summary = "what was released: id, when, by whom, what, cost",
    .about = "Every release was paid for once and can be looked at again for free:\n"
             "jali release VAULT ID tells one, jali report tells them all.",
    .option = none,
    .example = "  jali releases demo/hospital.jali\n",
    .least = 1,
    .most = 1,
    .run = run_list,
};
