/* cli/separators.c — jali separators: where to put the noise in a data flow. */
#include "cli/cli.h"

static const cli_option options[] = {
    { "limit", "N", "at most so many sets (default: 1000)", false },
    { "draw", "FOLDER", "draw each set as FOLDER/set-N.svg", false },
    { 0 },
};

static jali_status run(cli_call *call, jali_err *err)
{
    jali_doc *doc;
    uint64_t limit = 0;
    jali_flow_question q = { .flow = call->word[0], .draw = cli_value(call, "draw") };
    jali_status status = cli_whole(call, "limit", 1, 10000000, &limit, err);
    q.limit = limit;
    if (status == JALI_OK) status = jali_flow_separators(&q, &doc, err);
    return status == JALI_OK ? cli_show(call, doc, err) : status;
}

const cli_verb cli_separators = {
    .name = "separators",
    .usage = "separators FLOW.dot [--limit N] [--draw FOLDER]",
    .summary = "where to put the noise: the minimal privacy-enabling sets of a data flow",
    .about =
        "Reads a directed graph without cycles whose one source is the data and whose one sink is\n"
        "the answer; an edge says that a stage reads the output of another. Noise in all stages of\n"
        "one of the sets makes every algorithm with that flow private. Needs no vault.",
    .option = options,
    .example = "  jali separators docs/flows/ale.dot --draw drawings\n",
    .least = 1,
    .most = 1,
    .run = run,
};
