/* cli/token.c — jali token: who may come in by a server. */
#include "cli/cli.h"
#include <string.h>

static const cli_option options[] = {
    { "role", "analyst|auditor|curator", "what the holder may do (default: analyst)", false },
    { "name", "NAME", "who holds it: the name that charges are booked under", false },
    { 0 },
};

static jali_status read_role(const cli_call *call, jali_role *role, jali_err *err)
{
    static const char *const names[] = { "analyst", "auditor", "curator" };
    const char *asked = cli_value(call, "role");
    *role = JALI_ANALYST;
    for (size_t i = 0; asked != NULL && i < sizeof names / sizeof *names; i++)
        if (strcmp(asked, names[i]) == 0) {
            *role = (jali_role)i;
            return JALI_OK;
        }
    return asked == NULL
               ? JALI_OK
               : cli_refuse(err, "--role %.20s is not analyst, auditor or curator", asked);
}

static jali_status add(const cli_call *call, jali_err *err)
{
    const char *name = cli_value(call, "name");
    char *token;
    jali_role role;
    jali_status status = read_role(call, &role, err);
    if (status != JALI_OK) return status;
    if (name == NULL) return cli_refuse(err, "say whose token it is: --name NAME");
    status = jali_token_add(call->word[0], name, role, cli_now_ms(), &token, err);
    if (status != JALI_OK) return status;
    printf("%s\n", token);
    fputs("Give it to its holder now: it is not shown again.\n", stderr);
    jali_free(token);
    return JALI_OK;
}

static jali_status run(cli_call *call, jali_err *err)
{
    jali_doc *doc;
    const char *what = call->n_words > 1 ? call->word[1] : "list";
    if (strcmp(what, "add") == 0 && call->n_words == 2) return add(call, err);
    if (strcmp(what, "revoke") == 0 && call->n_words == 3)
        return jali_token_revoke(call->word[0], call->word[2], cli_now_ms(), err);
    if (strcmp(what, "list") != 0 || call->n_words > 2)
        return cli_refuse(err, "token knows add, list and revoke ID: jali token VAULT add ...");
    jali_status status = jali_token_list(call->word[0], &doc, err);
    return status == JALI_OK ? cli_show(call, doc, err) : status;
}

const cli_verb cli_token = {
    .name = "token",
    .usage = "token VAULT [add --name NAME --role ROLE | list | revoke ID]",
    .summary = "who may come in by a server, and as what",
    .about =
        "An analyst asks and sees releases; an auditor reads the ledger and spends nothing; a\n"
        "curator may do everything. A token is shown once, when it is made.",
    .option = options,
    .example = "  jali token demo/hospital.jali add --name eve --role analyst\n",
    .least = 1,
    .most = 3,
    .run = run,
};
