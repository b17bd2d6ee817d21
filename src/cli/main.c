/* cli/main.c — the program: finds the verb, runs it, says no in one sentence. */
#include "cli/cli.h"
#include <stdlib.h>
#include <string.h>

const cli_verb *const cli_verbs[] = {
    &cli_init,       &cli_draft,    &cli_schema,  &cli_show_vault, &cli_ask,     &cli_cluster,
    &cli_why,        &cli_contrast, &cli_profile, &cli_assign,     &cli_release, &cli_releases,
    &cli_report,     &cli_cost,     &cli_budget,  &cli_ledger,     &cli_eval,    &cli_audit,
    &cli_token,      &cli_serve,    &cli_mock,    &cli_completion, &cli_manual,  &cli_model,
    &cli_separators, &cli_claims,   NULL,
};

const cli_verb *cli_find_verb(const char *name)
{
    for (size_t i = 0; cli_verbs[i] != NULL; i++)
        if (strcmp(cli_verbs[i]->name, name) == 0) return cli_verbs[i];
    return NULL;
}

static jali_status unknown_verb(const char *name, jali_err *err)
{
    const char *names[64];
    size_t n = 0;
    for (; cli_verbs[n] != NULL; n++) names[n] = cli_verbs[n]->name;
    const char *near = jali_nearest(name, names, n);
    if (near != NULL)
        return cli_refuse(err, "there is no verb \"%.40s\"; did you mean \"jali %s\"?", name,
                          near);
    return cli_refuse(err, "there is no verb \"%.40s\"; jali --help lists them", name);
}

static jali_status run(cli_call *call, int argc, char **argv, jali_err *err)
{
    const cli_verb *verb = cli_find_verb(argv[0]), *priced = NULL;
    if (verb == NULL) return unknown_verb(argv[0], err);
    if (verb == &cli_cost) priced = cli_cost_of(argc, argv);
    int skip = priced == NULL ? 1 : 2;
    jali_status status =
        cli_read(call, priced == NULL ? verb : priced, argc - skip, argv + skip, err);
    call->quote = priced != NULL;
    if (status == JALI_OK && cli_flag(call, "help")) {
        cli_help_verb(stdout, call->verb);
        return JALI_OK;
    }
    if (status == JALI_OK) status = cli_style(call, err);
    return status == JALI_OK ? call->verb->run(call, err) : status;
}

int cli_main(int argc, char **argv)
{
    return cli_run(argc, argv, NULL, 0);
}

int cli_run(int argc, char **argv, const jali_crew *crew, unsigned threads)
{
    static cli_call call;
    jali_err err = { 0 };
    if (argc < 2) {
        cli_help(stderr);
        return JALI_E_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("jali %s\n", jali_version());
        return 0;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        (strcmp(argv[1], "help") == 0 && argc == 2)) {
        cli_help(stdout);
        return 0;
    }
    if (strcmp(argv[1], "--complete") == 0) {
        cli_complete(argc - 2, argv + 2);
        return 0;
    }
    if (strcmp(argv[1], "help") == 0 && cli_find_topic(argv[2]) != NULL) {
        cli_help_topic(stdout, cli_find_topic(argv[2]));
        return 0;
    }
    if (strcmp(argv[1], "help") == 0) { /* jali help VERB is jali VERB --help */
        argv[1] = argv[2];
        argv[2] = "--help";
    }
    call.crew = crew;
    call.threads = threads;
    jali_status status = run(&call, argc - 1, argv + 1, &err);
    if (status == JALI_OK) return call.exit_code;
    cli_complain(&call, &err);
    return jali_exit_code(status);
}
