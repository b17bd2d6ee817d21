/* cli/topics.c — the ideas behind the verbs, a page each: jali help TOPIC. */
#include "cli/cli.h"
#include <string.h>

const cli_topic cli_topics[] = {
    { "privacy", "what is promised to the people in the table",
      "Everything that jali prints from a vault would look almost the same if any one\n"
      "person were added to the table or taken out of it. Nobody can tell which, not\n"
      "even somebody who knows all other rows and reads every answer ever given. How\n"
      "close \"almost\" is, is a number: epsilon. Somebody who thinks it even odds that a\n"
      "person is in the table can come to believe it at most so strongly:\n\n"
      "  epsilon   0.1   0.5   1     2     3\n"
      "  belief    52.5% 62.2% 73.1% 88.1% 95.3%\n\n"
      "Where delta is above 0, this may fail with about that probability. What is true\n"
      "of people in general is not hidden: it is what you came for.\n" },
    { "budget", "how privacy is spent, and why it does not come back",
      "Each answer lets a little be known about everyone, and the answers add up. So a\n"
      "vault has a cap, (epsilon, delta), fixed by the curator when it is made, and every\n"
      "question pays before anything is computed. No refund: that a question failed is an\n"
      "answer, too.\n\n"
      "  jali cost VERB ...   the price, and what would be left; spends nothing\n"
      "  jali budget VAULT    what is spent, by whom, what is left\n"
      "  jali ledger VAULT log|verify\n\n"
      "A vault with delta above 0 counts in rho (zero-concentrated differential privacy),\n"
      "in which many small questions add up more slowly; --epsilon E then buys the rho that\n"
      "converts to E as the cap's own does. The same question asked again, in any wording\n"
      "and by anyone, costs nothing: the stored answer is told again.\n\n"
      "When the budget is short: ask for less (a larger --error, a smaller --epsilon),\n"
      "look at what was released already (jali releases), or ask the curator, who may\n"
      "raise the cap. That starts a new promise and is logged.\n" },
    { "person", "who is protected",
      "One person is one row, or all rows that share an id (\"person\" in the schema), of\n"
      "which at most rowsPerPerson are kept, chosen by a secret hash. The promise holds for\n"
      "a person: all their kept rows at once. The more rows a person may have, the more\n"
      "noise every answer needs, so keep the number small. A human with two ids is two\n"
      "persons; join ids before the import. jali show VAULT says what holds here.\n" },
    { "intervals", "how far an answer may be from the truth",
      "Every number has noise in it, and the noise's law is public. So each comes with an\n"
      "interval that covers the true number of the table with the confidence you ask for\n"
      "(--confidence 0.95). Looking again at another confidence is free.\n\n"
      "  ward        AVG(cost)        interval\n"
      "  cardiology       7497    7167 to 7823  ████████████▒┃▒\n\n"
      "The bar is solid up to the low end, shaded to the high end, with a stroke at the\n"
      "answer. Two groups whose intervals overlap may well be the other way round. \"too few\n"
      "to tell\" means that the noise is as large as the group: no number is shown, because\n"
      "it would only be believed. The interval is about the noise alone: whether the table\n"
      "is a fair sample of the world is another question.\n" },
    { "why-table", "reading a why table",
      "jali why explains a difference between groups by predicates: parts of the rows\n"
      "without which the difference would be smaller.\n\n"
      "  rows with                 explains        interval                  rank\n"
      "  diagnosis = 'infarction'     49.0%  41.8% to 56.2%  ·         ├●┤   1\n"
      "  age BETWEEN 70 AND 79        17.4%  10.1% to 24.6%  · ├●┤           2 to 4\n\n"
      "explains: how much of the difference goes away if the rows that match are left out,\n"
      "marked down the more of a group they are. 100% explains all of it, 0% (the dot)\n"
      "nothing; below 0 the rows work against the difference. If the interval reaches\n"
      "across 0% they may explain nothing at all.\n"
      "rank: where the predicate truly stands among all; \"1 to 2\" is surely near the top,\n"
      "\"5 to 60\" is a guess. Read first whether the difference itself could be the\n"
      "noise: jali says so above the table. An explanation is a part of the data that\n"
      "carries the difference, not a cause.\n" },
    { "vault", "what a vault is made of",
      "A vault is a folder NAME.jali: schema.json (what is public), policy.json (cap, who is\n"
      "a person), columns/ (the rows as codes; private), ledger.sqlite (the book of all\n"
      "charges and releases, hashed row by row and signed). Who can read the folder can read\n"
      "the rows: it belongs on the curator's machine. Ctrl-C, a crash or a full disk leave it\n"
      "whole; a charge that was made stands.\n" },
    { "formats", "how answers are printed",
      "--format table    for people (the default), as wide as the terminal\n"
      "         json     everything, exact decimals as strings (docs/json.md)\n"
      "         ndjson   its rows, one a line        csv  its rows\n"
      "         md       Markdown                    html a page without network\n"
      "         svg      its charts as a picture     vega its charts as Vega-Lite\n"
      "         sql      a clustering as a query (cluster, release)\n\n"
      "--ascii draws with plain characters; NO_COLOR=1 switches colours off; what is piped is\n"
      "plain. jali report VAULT -o report.html tells all releases on one page.\n" },
    { "exit-codes", "what the program's exit codes mean",
      "  0  done\n"
      "  2  the request makes no sense\n"
      "  3  the budget or the policy refused; nothing was drawn\n"
      "  4  schema, policy or data are not acceptable\n"
      "  5  the ledger is not what it should be\n"
      "  6  a file, a disk or a database failed\n"
      "  7  our mistake\n" },
    { 0 },
};

const cli_topic *cli_find_topic(const char *name)
{
    for (const cli_topic *t = cli_topics; t->name != NULL; t++)
        if (strcmp(t->name, name) == 0) return t;
    return NULL;
}

void cli_help_topic(FILE *to, const cli_topic *topic)
{
    fprintf(to, "%s: %s\n\n%s", topic->name, topic->summary, topic->text);
    if (cli_find_verb(topic->name) != NULL)
        fprintf(to, "\njali %s --help tells the verb of that name.\n", topic->name);
}
