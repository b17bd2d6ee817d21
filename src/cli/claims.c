/* cli/claims.c — jali claims: what this program promises. */
#include "cli/cli.h"

static jali_status run(cli_call *call, jali_err *err)
{
    jali_doc *doc;
    jali_status status = jali_claims(call->n_words > 0 ? call->word[0] : NULL, &doc, err);
    return status == JALI_OK ? cli_show(call, doc, err) : status;
}

const cli_verb cli_claims = {
    .name = "claims",
    .usage = "claims [NAME]",
    .summary = "what is promised, by which mechanism, where it is proven and tested",
    .about =
        "Tells the claim cards that this program was built from: the guarantee (who is a neighbour,\n"
        "what is one person, the price), the law of what is drawn, the proof and its state, the test,\n"
        "and what the claim is silent about. NAME is a claim (noise.gauss) or a family (noise).",
    .example = "  jali claims noise\n",
    .least = 0,
    .most = 1,
    .run = run,
};
