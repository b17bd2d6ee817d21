/* cli/budget.c — jali budget: what is spent, by whom, and what is left. */
#include "cli/cli.h"
#include <string.h>

static const cli_option options[] = {
    { "epsilon", "E", "raise: the new total", false },
    { "delta", "D", "raise: the new total (default: as it is)", false },
    { "share", "S", "quota, question: the part of the cap, between 0 and 1", false },
    { 0 },
};

static jali_status raise_cap(cli_call *call, const char *vault, jali_err *err)
{
    const char *epsilon = cli_value(call, "epsilon");
    if (epsilon == NULL) return cli_refuse(err, "raise needs the new total: --epsilon E");
    return jali_vault_raise(vault, epsilon, cli_value(call, "delta"), cli_who(call),
                            cli_now_ms(), err);
}

static jali_status set_share(cli_call *call, const char *vault, bool question, jali_err *err)
{
    const char *share = cli_value(call, "share");
    if (share == NULL) return cli_refuse(err, "%s needs --share S", call->word[1]);
    const char *analyst = !question && call->n_words == 3 ? call->word[2] : NULL;
    if (question) return jali_vault_question(vault, share, cli_who(call), cli_now_ms(), err);
    return jali_vault_quota(vault, analyst, share, cli_who(call), cli_now_ms(), err);
}

static jali_status change(cli_call *call, const char *vault, jali_err *err)
{
    const char *act = call->word[1];
    if (strcmp(act, "quota") == 0) return set_share(call, vault, false, err);
    if (call->n_words == 3)
        return cli_refuse(err, "jali budget VAULT %.20s takes no more words", act);
    if (strcmp(act, "raise") == 0) return raise_cap(call, vault, err);
    if (strcmp(act, "question") == 0) return set_share(call, vault, true, err);
    return cli_refuse(err, "jali budget VAULT knows raise, quota and question, not \"%.20s\"",
                      act);
}

static jali_status run(cli_call *call, jali_err *err)
{
    const char *vault = call->word[0];
    jali_doc *doc;
    jali_status status = call->n_words > 1 ? change(call, vault, err) : JALI_OK;
    if (status == JALI_OK) status = jali_vault_budget(vault, &doc, err);
    return status == JALI_OK ? cli_show(call, doc, err) : status;
}

const cli_verb cli_budget = {
    .name = "budget",
    .usage = "budget VAULT [raise --epsilon E [--delta D] | quota [ANALYST] --share S | "
             "question --share S]",
    .summary = "what is spent, by whom, and what is left",
    .about = "Shows the cap of the vault, what was charged against it, and what is left.\n"
             "raise, quota and question are acts of the curator: they are logged for good.\n"
             "A raised cap is a new promise; a quota (one analyst's, or everybody's) and the\n"
             "largest question are policy below the cap, as shares of it.",
    .option = options,
    .example = "  jali budget demo/hospital.jali\n"
               "  jali budget demo/hospital.jali --format json\n",
    .least = 1,
    .most = 3,
    .run = run,
};
