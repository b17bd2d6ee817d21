/* cli/why.c — jali why: what makes one group larger than another. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = 256, MAX_FILE = 4 << 20 };

static const cli_option options[] = {
    { "of", "LABEL", "which number of the answer, if it has several", false },
    { "top", "K", "how many predicates to show (default: 5)", false },
    { "length", "L", "predicates of exactly L conditions, 1 to 3 (default: 1)", false },
    { "up-to", "L", "predicates of up to L conditions", false },
    { "inequalities", NULL, "<= and >= of ordered columns, too", false },
    { "columns", "NAME,...", "only these columns may explain", true },
    { "either", "A,B", "predicates A = value OR B = value", false },
    { "predicates", "FILE", "predicates from a file: one SQL condition a line", false },
    { "ranks", "shared|search", "ranks from one noisy vector, or searched as in the paper",
      false },
    { "split", "S,S[,S]|paper", "shares of the budget: choice, influences, ranks", false },
    { "lower", "S", "share of the lower bound in a rank search (default: 0.1)", false },
    { "constants", "proven|paper", "paper: for comparison, on public vaults only", false },
    { 0 },
};

/* What the request borrows; one call a process. */
typedef struct lists {
    const char *column[MAX_COLUMNS];
    size_t n;
    char *text[MAX_COLUMNS]; /* to be freed */
    char *file;
} lists;

static void clear(lists *l)
{
    for (size_t i = 0; i < MAX_COLUMNS; i++) free(l->text[i]);
    free(l->file);
}

/* --columns a,b c: by commas or as words. */
static jali_status read_columns(const cli_call *call, lists *l, jali_err *err)
{
    const char *given[MAX_COLUMNS];
    size_t n = cli_values(call, "columns", given, MAX_COLUMNS);
    for (size_t i = 0; i < n; i++) {
        char *at = l->text[i] = strdup(given[i]);
        while (at != NULL && *at != '\0') {
            char *comma = strchr(at, ',');
            if (comma != NULL) *comma = '\0';
            if (l->n == MAX_COLUMNS) return cli_refuse(err, "--columns: too many columns");
            l->column[l->n++] = at;
            at = comma == NULL ? NULL : comma + 1;
        }
    }
    return JALI_OK;
}

static jali_status read_file(const cli_call *call, lists *l, jali_err *err)
{
    const char *path = cli_value(call, "predicates");
    if (path == NULL) return JALI_OK;
    FILE *in = fopen(path, "rb");
    if (in == NULL) return cli_refuse(err, "--predicates %.200s: %s", path, strerror(errno));
    l->file = malloc(MAX_FILE + 1);
    size_t n = l->file == NULL ? 0 : fread(l->file, 1, MAX_FILE + 1, in);
    bool bad = l->file == NULL || ferror(in) != 0;
    fclose(in);
    if (bad) return cli_refuse(err, "--predicates %.200s: it cannot be read", path);
    if (n > MAX_FILE) return cli_refuse(err, "--predicates %.200s: it is too large", path);
    l->file[n] = '\0';
    if (strlen(l->file) != n)
        return cli_refuse(err, "--predicates %.200s: it is not text", path);
    return JALI_OK;
}

static jali_status read_words(cli_call *call, jali_why *why, lists *l, jali_err *err)
{
    jali_status status = cli_count(call, "top", 1, 1000, &why->top, err);
    if (status == JALI_OK) status = cli_count(call, "length", 1, 3, &why->length, err);
    if (status == JALI_OK) status = cli_count(call, "up-to", 1, 3, &why->up_to, err);
    if (status == JALI_OK) status = read_columns(call, l, err);
    if (status == JALI_OK) status = read_file(call, l, err);
    why->columns = l->column;
    why->n_columns = l->n;
    why->predicates = l->file;
    return status;
}

static jali_status request(cli_call *call, const jali_spend *spend, jali_doc **out,
                           jali_err *err)
{
    lists l = { 0 };
    jali_why why = { .spend = *spend,
                     .release = call->word[1],
                     .question = call->word[2],
                     .of = cli_value(call, "of"),
                     .inequalities = cli_flag(call, "inequalities"),
                     .either = cli_value(call, "either"),
                     .ranks = cli_value(call, "ranks"),
                     .split = cli_value(call, "split"),
                     .lower = cli_value(call, "lower"),
                     .constants = cli_value(call, "constants") };
    jali_status status = read_words(call, &why, &l, err);
    if (status == JALI_OK) status = jali_vault_why(&why, out, err);
    clear(&l);
    return status;
}

/* Without a budget there is only the verdict, and nothing to agree to. */
static jali_status run_free(cli_call *call, jali_err *err)
{
    jali_doc *doc;
    jali_spend spend = { .vault = call->word[0],
                         .confidence = cli_value(call, "confidence"),
                         .by = cli_who(call),
                         .now_ms = cli_now_ms(),
                         .quote = true };
    jali_status status = request(call, &spend, &doc, err);
    return status == JALI_OK ? cli_show(call, doc, err) : status;
}

static jali_status run(cli_call *call, jali_err *err)
{
    call->source = call->word[2];
    if (cli_value(call, "epsilon") == NULL && cli_value(call, "rho") == NULL)
        return run_free(call, err);
    return cli_spend(call, request, err);
}

const cli_verb cli_why = {
    .name = "why",
    .usage =
        "why VAULT RELEASE QUESTION [--epsilon E | --rho R] [--top K] [--length L] [--yes]",
    .summary = "why one group of an answer is above another",
    .about =
        "QUESTION compares groups of an answer: \"a > b\", \"a,x >= 10 * b,x\" where GROUP BY\n"
        "has two columns, \"a + b > c + d\", \"a > 100\". First, and free: how large is the\n"
        "difference, and could it be the noise? With a budget: the conditions whose rows\n"
        "explain it best, how much of it they explain, and their true place among all.\n"
        "The explanation is stored; asked again it is free.",
    .option = options,
    .spends = true,
    .example =
        "  jali ask demo/hospital.jali \"SELECT ward, AVG(cost) FROM hospital GROUP BY "
        "ward\" --epsilon 0.2 --yes\n"
        "  jali why demo/hospital.jali r1 \"cardiology > surgery\"\n"
        "  jali why demo/hospital.jali r1 \"cardiology > surgery\" --epsilon 0.3 --yes\n",
    .least = 3,
    .most = 3,
    .run = run,
};
