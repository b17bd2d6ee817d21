/* cli/profile.c — jali profile: what tells each cluster apart. */
#include "cli/cli.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 512, MOST_BYTES = 16 << 20 };

static const cli_option options[] = {
    { "columns", "NAME,...", "look at these only (default: all that a histogram can show)",
      true },
    { "per-cluster", "L", "attributes for each cluster (default: 1)", false },
    { "weights", "I,S,D", "interest, sufficiency, diversity (default: 1,1,1)", false },
    { "method", "M", "all (default): one choice among all combinations; paper: two stages",
      false },
    { "candidates", "K", "of the first of two stages (default: 3)", false },
    { "sufficiency", "S", "auto (default), paper or shared: how outsiders count", false },
    { 0 },
};

/* The text of a file, or NULL; to be freed. */
static char *slurp(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = f == NULL ? NULL : malloc(MOST_BYTES + 1);
    size_t n = text == NULL ? 0 : fread(text, 1, MOST_BYTES + 1, f);
    bool good = text != NULL && ferror(f) == 0 && n <= MOST_BYTES && memchr(text, 0, n) == NULL;
    if (f != NULL) fclose(f);
    if (good) {
        text[n] = '\0';
        return text;
    }
    free(text);
    return NULL;
}

static bool is_file(const char *word)
{
    return strchr(word, '.') != NULL || strchr(word, '/') != NULL;
}

static jali_status request(cli_call *call, const jali_spend *spend, jali_doc **out,
                           jali_err *err)
{
    const char *column[MOST_COLUMNS], *word = call->word[1];
    bool file = word[0] != '{' && is_file(word);
    char *text = file ? slurp(word) : NULL;
    if (file && text == NULL)
        return cli_refuse(err, "%.200s cannot be read as a clustering (at most %d MB of JSON)",
                          word, MOST_BYTES >> 20);
    jali_profiling p = { .spend = *spend,
                         .clustering = file ? text : word,
                         .method = cli_value(call, "method"),
                         .sufficiency = cli_value(call, "sufficiency"),
                         .weights = cli_value(call, "weights"),
                         .candidates = cli_value(call, "candidates"),
                         .per_cluster = cli_value(call, "per-cluster"),
                         .column = column,
                         .n_columns = cli_values(call, "columns", column, MOST_COLUMNS) };
    jali_status status = p.n_columns > MOST_COLUMNS
                             ? cli_refuse(err, "more than %d --columns", MOST_COLUMNS)
                             : jali_vault_profile(&p, out, err);
    free(text);
    return status;
}

static jali_status run(cli_call *call, jali_err *err)
{
    return cli_spend(call, request, err);
}

const cli_verb cli_profile = {
    .name = "profile",
    .usage = "profile VAULT CLUSTERING --epsilon E | --rho R [--columns NAME ...] [--yes]",
    .summary = "what tells each cluster apart: attributes, and a pair of histograms each",
    .about =
        "CLUSTERING is a stored one (c1), a file of JSON (centres, boxes, a tree, rules), or\n"
        "JSON itself: '{\"rules\": [\"age < 40\", \"ward = ''surgery''\"]}' makes three clusters.\n"
        "For each cluster the attribute that best tells it apart is chosen, and drawn inside and\n"
        "elsewhere, under one charge: a third for the choice, the rest for the histograms.",
    .option = options,
    .spends = true,
    .example = "  jali profile demo/hospital.jali '{\"rules\": [\"age < 40\", \"age < 70\"]}' "
               "--epsilon 0.3 --yes\n",
    .least = 2,
    .most = 2,
    .run = run,
};
