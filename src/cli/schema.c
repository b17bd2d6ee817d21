/* cli/schema.c — jali schema check: is this schema good, and where is it not? */
#include "cli/cli.h"
#include <string.h>

static const cli_option options[] = { { 0 } };

static jali_status run(cli_call *call, jali_err *err)
{
    jali_doc *doc;
    if (strcmp(call->word[0], "check") != 0)
        return cli_refuse(err, "jali schema knows check, not \"%.20s\"", call->word[0]);
    jali_status status = jali_schema_check(call->word[1], &doc, err);
    return status == JALI_OK ? cli_show(call, doc, err) : status;
}

const cli_verb cli_schema = {
    .name = "schema",
    .usage = "schema check FILE",
    .summary = "is this schema good, and where is it not?",
    .about = "Reads a schema (docs/schema.md) and shows what it declares. A mistake is one\n"
             "sentence that names its line.",
    .option = options,
    .example = "  jali schema check people.json\n",
    .least = 2,
    .most = 2,
    .run = run,
};
