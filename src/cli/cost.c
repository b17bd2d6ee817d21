/* cli/cost.c — jali cost: in front of any verb that spends, its price and nothing else. */
#include "cli/cli.h"
#include <string.h>

/* `cost VERB VAULT ...` and `cost VAULT VERB ...` both read well. The verb moves to the front,
 * so that it can be read as if it stood alone. */
const cli_verb *cli_cost_of(int argc, char **argv)
{
    for (int i = 1; i < argc && i < 3; i++) {
        const cli_verb *verb = cli_find_verb(argv[i]);
        if (verb == NULL || !verb->spends) continue;
        memmove(argv + 1, argv, (size_t)i * sizeof *argv);
        return verb;
    }
    return NULL;
}

static jali_status run(cli_call *call, jali_err *err)
{
    (void)call;
    return cli_refuse(err, "cost wants a verb that spends: jali cost ask VAULT SQL, and so on");
}

const cli_verb cli_cost = {
    .name = "cost",
    .usage = "cost VERB VAULT ... (the words of any verb that spends)",
    .summary = "what a question would cost, and how exact it would be",
    .about =
        "Put in front of a question, tells the charge, the budget before and after, and the\n"
        "expected error. Spends nothing.",
    .example =
        "  jali cost ask demo/hospital.jali \"SELECT COUNT(*) FROM hospital\" --epsilon 0.1\n",
    .least = 0,
    .most = CLI_MAX_WORDS,
    .run = run,
};
