/* cli/init.c — jali init: a vault from data files and a schema. */
#include "cli/cli.h"

static const cli_option options[] = {
    { "data", "FILE...", "CSV, Parquet, JSON or NDJSON, plain or by gzip or zstd", true },
    { "postgres", "SERVER", "rows stay there: a conninfo without password; several: shards",
      true },
    { "table", "TABLE", "the table or view, TABLE or SCHEMA.TABLE", false },
    { "schema", "FILE", "what is public about the table (docs/schema.md)", false },
    { "epsilon", "E", "the cap: all questions together, for ever", false },
    { "delta", "D", "the cap's delta; 0 allows pure mechanisms only", false },
    { "ask-above", "S",
      "analysts at a terminal agree to costs above this share of the cap (default: 0.05)",
      false },
    { "shards", "N", "split the rows into N folders, for jali-tally (docs/scale.md)", false },
    { "ledger", "SERVER", "postgresql://..., so that several servers share one budget", false },
    { "public", NULL, "mark the vault as research: its truth may be shown", false },
    { "accept-draft", NULL, "take a draft schema, and answer for what it leaks", false },
    { 0 },
};

static jali_status run(cli_call *call, jali_err *err)
{
    const char *data[CLI_MAX_WORDS], *postgres[CLI_MAX_WORDS];
    cli_meter meter;
    jali_progress progress = cli_progress(call, &meter);
    jali_init ask = { .vault = call->word[0],
                      .data = data,
                      .n_data = cli_values(call, "data", data, CLI_MAX_WORDS),
                      .postgres = postgres,
                      .n_postgres = cli_values(call, "postgres", postgres, CLI_MAX_WORDS),
                      .table = cli_value(call, "table"),
                      .schema = cli_value(call, "schema"),
                      .epsilon = cli_value(call, "epsilon"),
                      .delta = cli_value(call, "delta"),
                      .ask_above = cli_value(call, "ask-above"),
                      .ledger = cli_value(call, "ledger"),
                      .is_public = cli_flag(call, "public"),
                      .accept_draft = cli_flag(call, "accept-draft"),
                      .shards = 1,
                      .by = cli_who(call),
                      .now_ms = cli_now_ms(),
                      .progress = &progress };
    jali_status status = cli_count(call, "shards", 1, 4096, &ask.shards, err);
    if (status != JALI_OK) return status;
    if (ask.n_data == 0 && ask.n_postgres == 0)
        return cli_refuse(err, "init needs --data FILE..., or --postgres SERVER --table TABLE");
    if (ask.schema == NULL)
        return cli_refuse(err, "init needs --schema FILE; jali draft writes one to be edited");
    if (ask.epsilon == NULL || ask.delta == NULL)
        return cli_refuse(err, "init needs the cap: --epsilon E --delta D");
    if (!cli_guard(call, ask.vault)) return JALI_OK;
    jali_doc *doc;
    status = jali_vault_init(&ask, &doc, err);
    cli_progress_end(&meter);
    return status == JALI_OK ? cli_show(call, doc, err) : status;
}

const cli_verb cli_init = {
    .name = "init",
    .usage = "init VAULT (--data FILE... | --postgres SERVER... --table TABLE) --schema FILE "
             "--epsilon E --delta D [--ledger SERVER] [--public] [--accept-draft] "
             "[--shards N]",
    .summary = "make a vault from data files, or over a table, and a schema",
    .about =
        "Reads the files, clamps every cell to its public domain, keeps at most\n"
        "rowsPerPerson rows of a person, and writes the folder VAULT with its columns and\n"
        "its ledger; or refuses and leaves nothing. What it prints is for the curator: it\n"
        "counts cells. The cap holds for all questions together and is logged.\n"
        "With --postgres nothing is copied: the rows stay in the database, and every\n"
        "question counts them there (docs/postgres.md).\n"
        "With --ledger the book is kept in PostgreSQL (docs/ledger.md): every copy of the\n"
        "vault's folder then spends from the same budget. No password is kept.",
    .option = options,
    .example = "  jali init people.jali --data people.csv --schema people.json --epsilon 1 "
               "--delta 1e-6\n",
    .least = 1,
    .most = 1,
    .run = run,
};
