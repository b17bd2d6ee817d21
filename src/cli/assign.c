/* cli/assign.c — jali assign: labels of a clustering for rows of your own file. */
#include "cli/cli.h"

static const cli_option options[] = {
    { "output", "FILE", "where to write the CSV (-o FILE; default: standard output)", false },
    { 0 },
};

static bool to_stdout(void *self, const char *bytes, size_t n)
{
    (void)self;
    return fwrite(bytes, 1, n, stdout) == n && fflush(stdout) == 0;
}

static jali_status run(cli_call *call, jali_err *err)
{
    cli_meter meter;
    jali_doc *doc;
    bool vault = call->n_words == 3;
    jali_progress progress = cli_progress(call, &meter);
    jali_assign request = { .vault = vault ? call->word[0] : NULL,
                            .release = vault ? call->word[1] : NULL,
                            .clustering = vault ? NULL : call->word[0],
                            .data = call->word[call->n_words - 1],
                            .out = cli_value(call, "output"),
                            .take = to_stdout };
    if (request.out != NULL && progress.tell != NULL) request.progress = &progress;
    jali_status status = jali_clustering_assign(&request, &doc, err);
    cli_progress_end(&meter);
    if (status != JALI_OK) return status;
    if (request.out != NULL) return cli_show(call, doc, err);
    jali_doc_free(doc);
    return JALI_OK;
}

const cli_verb cli_assign = {
    .name = "assign",
    .usage = "assign VAULT c1 FILE [-o OUT], or assign CLUSTERING.json FILE [-o OUT]",
    .summary = "labels of a clustering for rows of your own file",
    .about =
        "A clustering is a function from any record to a label, so it can be applied to\n"
        "rows that it never saw. FILE is yours: CSV, Parquet or JSON with the columns\n"
        "that the clustering reads; it is written as CSV with a column `cluster`. It costs\n"
        "nothing and nothing of the vault's table is read. CLUSTERING.json comes from\n"
        "jali release VAULT c1 --format json and needs no vault.",
    .option = options,
    .example = NULL,
    .least = 2,
    .most = 3,
    .run = run,
};
