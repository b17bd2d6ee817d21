/* cli/cluster.c — jali cluster: groups in the table. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    { "columns", "A,B,C", "what to cluster by; NAME:codes or NAME:onehot for categories",
      true },
    { "method", "NAME",
      "refined (default), dpm, lsh, lloyd, cover, grid, modes, rules, given; for\n"
      "                           public vaults also kmeans, gmm, agglomerative, kmodes",
      false },
    { "clusters", "K", "how many (refined finds out by itself)", false },
    { "delta", "D", "the delta that --epsilon is meant at (default: the cap's)", false },
    { "scale", "bounds|values", "every column as wide as the others, or as its values", false },
    { "rules", "FILE", "method rules: conditions as after WHERE, one a line; free", false },
    { "from", "FILE", "method given: a clustering as JSON; free", false },
    { "set", "NAME=VALUE", "a parameter of the method; may be repeated", true },
    { 0 },
};

enum { MOST = 2048, FILE_MOST = 8 << 20 };

typedef struct words {
    const char *column[MOST], *set[CLI_MAX_WORDS];
    size_t n_columns, n_set;
    char *text[CLI_MAX_WORDS];
    size_t n_text;
} words;

/* "a,b c" by commas; several words are several lists. */
static jali_status split(words *w, const cli_call *call, jali_err *err)
{
    const char *given[CLI_MAX_WORDS];
    size_t n = cli_values(call, "columns", given, CLI_MAX_WORDS);
    for (size_t i = 0; i < n; i++) {
        char *text = strdup(given[i]), *rest = text;
        if (text == NULL) return cli_refuse(err, "out of memory");
        w->text[w->n_text++] = text;
        while (rest != NULL) {
            char *comma = strchr(rest, ',');
            if (comma != NULL) *comma = '\0';
            if (w->n_columns == MOST) return cli_refuse(err, "too many columns are named");
            if (*rest != '\0') w->column[w->n_columns++] = rest;
            rest = comma == NULL ? NULL : comma + 1;
        }
    }
    w->n_set = cli_values(call, "set", w->set, CLI_MAX_WORDS);
    return JALI_OK;
}

/* NAME=(what the file holds) becomes one more word of --set. */
static jali_status take_file(words *w, const cli_call *call, const char *option,
                             const char *name, jali_err *err)
{
    const char *path = cli_value(call, option);
    if (path == NULL) return JALI_OK;
    size_t n = strlen(name) + 1, room = n + FILE_MOST + 1;
    FILE *file = fopen(path, "r");
    char *text = file == NULL ? NULL : malloc(room);
    if (file == NULL) return cli_refuse(err, "%.200s cannot be read", path);
    if (text != NULL) {
        snprintf(text, room, "%s=", name);
        n += fread(text + n, 1, FILE_MOST, file);
        text[n] = '\0';
        w->text[w->n_text++] = text;
        w->set[w->n_set++] = text;
    }
    bool whole = text != NULL && fgetc(file) == EOF && strlen(text) == n;
    fclose(file);
    return whole
               ? JALI_OK
               : cli_refuse(err, "%.200s is no text, or longer than %d bytes", path, FILE_MOST);
}

static jali_status request(cli_call *call, const jali_spend *spend, jali_doc **out,
                           jali_err *err)
{
    static words w; /* one command, one process */
    w = (words){ 0 };
    jali_status status = split(&w, call, err);
    if (status == JALI_OK) status = take_file(&w, call, "rules", "rules", err);
    if (status == JALI_OK) status = take_file(&w, call, "from", "json", err);
    bool rules = cli_value(call, "rules") != NULL, given = cli_value(call, "from") != NULL;
    const char *method = cli_value(call, "method");
    if (method == NULL && rules) method = "rules";
    if (method == NULL && given) method = "given";
    jali_cluster_request r = { .spend = *spend,
                               .columns = w.column,
                               .n_columns = w.n_columns,
                               .method = method,
                               .clusters = cli_value(call, "clusters"),
                               .delta = cli_value(call, "delta"),
                               .scale = cli_value(call, "scale"),
                               .set = w.set,
                               .n_set = w.n_set };
    if (status == JALI_OK) status = jali_vault_cluster(&r, out, err);
    for (size_t i = 0; i < w.n_text; i++) free(w.text[i]);
    return status;
}

static jali_status run(cli_call *call, jali_err *err)
{
    return cli_spend(call, request, err);
}

const cli_verb cli_cluster = {
    .name = "cluster",
    .prints = CLI_OR_QUERY,
    .usage = "cluster VAULT --columns A,B,C [--method M] [--clusters K] --epsilon E [--yes]",
    .summary = "groups in the table, with private sizes and centres",
    .about = "Finds clusters and releases them as a function from any record to a label, with\n"
             "noisy sizes and centres. Without --clusters, refined chooses their number and\n"
             "shows the curve it chose by. Columns are scaled by their public bounds; what is\n"
             "NULL lies in the middle of them. docs/cluster.md tells the methods apart.",
    .option = options,
    .spends = true,
    .example =
        "  jali cluster demo/hospital.jali --columns age,bmi,pressure,glucose --epsilon 1 --yes\n",
    .least = 1,
    .most = 1,
    .run = run,
};
