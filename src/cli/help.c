/* cli/help.c — the pages that --help prints, made from the verbs' own tables. */
#include "cli/cli.h"
#include <string.h>

void cli_help(FILE *to)
{
    fputs("jali answers why over sensitive tables, with differential privacy.\n\n"
          "usage: jali VERB ... (jali VERB --help tells more)\n\n",
          to);
    for (size_t i = 0; cli_verbs[i] != NULL; i++)
        fprintf(to, "  %-10s %s\n", cli_verbs[i]->name, cli_verbs[i]->summary);
    fputs("\nIdeas (jali help IDEA):\n", to);
    for (const cli_topic *t = cli_topics; t->name != NULL; t++)
        fprintf(to, "  %-10s %s\n", t->name, t->summary);
    fputs("\nExit codes: 0 done, 2 usage, 3 budget, 4 schema, policy or data, 5 ledger,\n"
          "            6 engine or file, 7 internal.\n",
          to);
}

static void options(FILE *to, const cli_option *option)
{
    for (; option != NULL && option->name != NULL; option++) {
        char left[80];
        snprintf(left, sizeof left, "--%s%s%s", option->name, option->value ? " " : "",
                 option->value ? option->value : "");
        if (strlen(left) > 24)
            fprintf(to, "  %s\n  %-24s %s\n", left, "", option->help);
        else
            fprintf(to, "  %-24s %s\n", left, option->help);
    }
}

void cli_help_verb(FILE *to, const cli_verb *verb)
{
    fprintf(to, "jali %s: %s\n\nusage: jali %s\n\n%s\n\noptions:\n", verb->name, verb->summary,
            verb->usage, verb->about);
    options(to, verb->option);
    if (verb->spends) options(to, cli_spending);
    options(to, cli_common(verb));
    if (verb->example != NULL) fprintf(to, "\nexample:\n%s", verb->example);
}
