/* cli/report.c — jali report: the releases of a vault as one page. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const cli_option options[] = {
    { "output", "FILE", "where to write it (also -o FILE; default: standard output)", false },
    { "confidence", "C", "of the intervals (default: 0.95); free to change", false },
    { 0 },
};

/* Whole, or not at all: a page that stops in the middle of a table looks like an answer. */
static jali_status write_file(const char *path, const char *text, jali_err *err)
{
    char part[4096];
    snprintf(part, sizeof part, "%s.part", path);
    FILE *to = strlen(path) + 6 > sizeof part ? NULL : fopen(part, "wx");
    bool good = to != NULL && fputs(text, to) >= 0;
    if (to != NULL && fclose(to) != 0) good = false;
    if (good && rename(part, path) == 0) return JALI_OK;
    if (to != NULL) remove(part);
    *err = (jali_err){ .code = JALI_E_ENGINE, .reader = JALI_FOR_CURATOR };
    snprintf(err->text, sizeof err->text,
             "%.200s could not be written; is its folder there, and is there no %.100s.part?",
             path, path);
    return JALI_E_ENGINE;
}

static jali_status run(cli_call *call, jali_err *err)
{
    jali_doc *doc;
    char *text;
    const char *path = cli_value(call, "output");
    jali_report ask = { .vault = call->word[0],
                        .id = call->word + 1,
                        .n_ids = call->n_words - 1,
                        .confidence = cli_value(call, "confidence") };
    bool read_here = path == NULL && isatty(STDOUT_FILENO) == 1; /* nobody reads markup */
    if (cli_value(call, "format") == NULL && !read_here) call->style.format = JALI_FORMAT_HTML;
    jali_status status = jali_vault_report(&ask, &doc, err);
    if (status != JALI_OK) return status;
    if (path == NULL) return cli_show(call, doc, err);
    call->style.color = false;
    status = jali_doc_render(doc, &call->style, &text, err);
    jali_doc_free(doc);
    if (status != JALI_OK) return status;
    status = write_file(path, text, err);
    jali_free(text);
    if (status == JALI_OK && call->style.format == JALI_FORMAT_HTML)
        printf("%s is written; open it in a browser, it needs no network\n", path);
    return status;
}

const cli_verb cli_report = {
    .name = "report",
    .usage = "report VAULT [ID ...] [-o FILE]",
    .summary = "releases, their cost and what is promised, as one page",
    .about = "Tells the releases named (or all of them) as one self-contained page: questions\n"
             "and answers with pictures, what they cost, the guarantee in plain words, the\n"
             "ledger's hashes and how to check them, methods and limits. Costs nothing. HTML\n"
             "unless --format says otherwise; a story in words at a terminal.",
    .option = options,
    .example = "  jali report demo/hospital.jali -o demo/report.html\n",
    .least = 1,
    .most = CLI_MAX_WORDS,
    .run = run,
};
