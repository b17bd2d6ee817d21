/* cli/serve.c — jali serve: the open door. */
#include "cli/cli.h"
#include "http/http.h"

static const cli_option options[] = {
    { "listen", "ADDRESS:PORT", "where (default: 127.0.0.1:8080; port 0: any that is free)",
      false },
    { "host", "NAME", "a name that it answers to; may be repeated", true },
    { "tls-cert", "FILE", "certificate (PEM): needed for a public address", false },
    { "tls-key", "FILE", "its key", false },
    { "patience", "SECONDS", "for a request to arrive whole (default: 20)", false },
    { "log", "FILE", "the curator's log (default: standard error)", false },
    { 0 },
};

static void ready(const char *address)
{
    printf("%s\n", address);
    fflush(stdout);
}

static jali_status run(cli_call *call, jali_err *err)
{
    const char *log = cli_value(call, "log");
    unsigned patience = 0;
    const char *host[CLI_MAX_WORDS];
    jali_status status = cli_count(call, "patience", 1, 3600, &patience, err);
    if (status != JALI_OK) return status;
    http_options o = { .vault = call->word,
                       .n_vaults = call->n_words,
                       .listen = cli_value(call, "listen"),
                       .host = host,
                       .n_hosts = cli_values(call, "host", host, CLI_MAX_WORDS),
                       .tls_cert = cli_value(call, "tls-cert"),
                       .tls_key = cli_value(call, "tls-key"),
                       .patience_s = patience,
                       .log = log == NULL ? stderr : fopen(log, "ae"),
                       .ready = ready };
    if (o.log == NULL) return cli_refuse(err, "the log %.200s cannot be opened", log);
    status = http_serve(&o, err);
    if (log != NULL) fclose(o.log);
    return status;
}

const cli_verb cli_serve = {
    .name = "serve",
    .prints = CLI_ITS_OWN,
    .usage = "serve VAULT... [--listen ADDRESS:PORT] [--tls-cert FILE --tls-key FILE]",
    .summary = "lets analysts in by HTTP, with a token and a browser",
    .about =
        "Analysts ask in a browser or by program and never touch the data. Make a token for\n"
        "each of them first (jali token). Spending takes two steps: a price, then its\n"
        "acceptance. Ctrl-C finishes what was begun and stops.",
    .option = options,
    .example = NULL,
    .least = 1,
    .most = 64,
    .run = run,
};
