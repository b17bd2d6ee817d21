/* cli/draft.c — jali draft: a schema read off data files, to be edited. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const cli_option options[] = {
    { "output", "FILE", "where to write it; -o for short (default: standard output)", false },
    { "postgres", "SERVER", "a database instead of files: a conninfo without password", false },
    { "table", "TABLE", "its table or view, TABLE or SCHEMA.TABLE", false },
    { "catalog", NULL, "names and types only, read no row: then nothing is private", false },
    { 0 },
};

static jali_status cannot_write(const char *path, jali_err *err)
{
    int why = errno;
    *err = (jali_err){ .code = JALI_E_ENGINE, .reader = JALI_FOR_CURATOR };
    snprintf(err->text, sizeof err->text, "cannot write %.200s: %s%s", path, strerror(why),
             why == EEXIST ? "; an edited schema is not written over" : "");
    return JALI_E_ENGINE;
}

/* A draft is as private as the data: nobody else may read the file. */
static jali_status save(const char *path, const char *text, jali_err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (file == NULL) {
        jali_status status = cannot_write(path, err);
        if (fd >= 0) close(fd);
        return status;
    }
    bool good = fprintf(file, "%s\n", text) > 0;
    good = fclose(file) == 0 && good;
    return good ? JALI_OK : cannot_write(path, err);
}

static jali_status run(cli_call *call, jali_err *err)
{
    cli_meter meter;
    char *text;
    jali_progress progress = cli_progress(call, &meter);
    const char *to = cli_value(call, "output");
    const char *server = cli_value(call, "postgres"), *table = cli_value(call, "table");
    bool rows = !cli_flag(call, "catalog");
    if ((call->n_words > 0) == (server != NULL) || (server != NULL) != (table != NULL))
        return cli_refuse(err, "draft needs DATA..., or --postgres SERVER --table TABLE");
    jali_status status = server != NULL
                             ? jali_draft_postgres(server, table, rows, &text, err)
                             : jali_draft(call->word, call->n_words, &progress, &text, err);
    cli_progress_end(&meter);
    if (status != JALI_OK) return status;
    if (to == NULL)
        puts(text);
    else
        status = save(to, text, err);
    jali_free(text);
    if (status == JALI_OK && (server == NULL || rows))
        fprintf(stderr, "jali: this draft was read off private data; replace its bounds and "
                        "values by what is publicly known\n");
    return status;
}

const cli_verb cli_draft = {
    .name = "draft",
    .prints = CLI_ITS_OWN,
    .usage = "draft (DATA... | --postgres SERVER --table TABLE [--catalog]) [-o SCHEMA.json]",
    .summary = "a schema read off data files or a table, to be edited",
    .about =
        "Reads CSV (any dialect), Parquet, JSON or NDJSON files, plain or packed by gzip or\n"
        "zstd, and writes a schema with the columns, types, bounds and categories that it\n"
        "saw. These are facts about single persons, so the schema is marked as a draft and\n"
        "jali init refuses it: replace them by what is publicly known, then remove the mark.",
    .option = options,
    .example = "  jali draft people.csv -o people.json\n",
    .least = 0,
    .most = CLI_MAX_WORDS,
    .run = run,
};
