/* cli/audit.c — jali audit: the program attacks itself, on this machine. */
#define _GNU_SOURCE
#include "cli/cli.h"
#include <stdlib.h>
#include <unistd.h>

static const cli_option options[] = {
    { "runs", "N", "on each side of each case (default: the case's own number)", false },
    { "folder", "DIR", "scratch space (default: memory, or the folder for temporary files)",
      false },
    { "at-once", "N", "children that run side by side (default: one per core)", false },
    { 0 },
};

static const char *scratch(const cli_call *call)
{
    const char *given = cli_value(call, "folder"), *temporary = getenv("TMPDIR");
    if (given != NULL) return given;
    if (access("/dev/shm", W_OK) == 0) return "/dev/shm";
    return temporary != NULL && temporary[0] != '\0' ? temporary : "/tmp";
}

static jali_status run(cli_call *call, jali_err *err)
{
    char folder[512];
    jali_doc *doc;
    cli_meter meter;
    bool holds = false;
    jali_progress progress = cli_progress(call, &meter);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    jali_audit audit = { .verb = call->word,
                         .n_verbs = call->n_words,
                         .program = cli_main,
                         .at_once = cores > 0 ? (unsigned)cores : 1,
                         .folder = folder,
                         .progress = progress.tell == NULL ? NULL : &progress };
    jali_status status = cli_count(call, "runs", 1, 10000000, &audit.runs, err);
    if (status == JALI_OK) status = cli_count(call, "at-once", 1, 1024, &audit.at_once, err);
    if (status != JALI_OK) return status;
    snprintf(folder, sizeof folder, "%s/jali-audit-XXXXXX", scratch(call));
    if (mkdtemp(folder) == NULL)
        return cli_refuse(err, "no scratch folder can be made in %.200s; say --folder DIR",
                          scratch(call));
    /* Threads of XGBoost that spin while they wait would take the cores of other workers. */
    setenv("OMP_WAIT_POLICY", "passive", 0);
    char *whole = realpath(folder, NULL); /* workers have a folder of their own */
    audit.folder = whole == NULL ? folder : whole;
    status = jali_audit_all(&audit, &holds, &doc, err);
    free(whole);
    cli_progress_end(&meter);
    rmdir(folder);
    if (status != JALI_OK) return status;
    if (!holds) call->exit_code = 1;
    return cli_show(call, doc, err);
}

const cli_verb cli_audit = {
    .name = "audit",
    .usage = "audit [CASE ...] [--runs N] [--folder DIR] [--at-once N]",
    .summary = "tries to catch the program betraying somebody",
    .about =
        "Runs the verbs thousands of times on small tables that differ in one person, looks\n"
        "for events that tell them apart, and proves from below how much was given away.\n"
        "Exit code 1 means that more was given away than was charged: a bug, please report\n"
        "it. CASE is a verb (ask) or a case (ask.sum). Needs no vault and touches none.",
    .option = options,
    .example = "  jali audit ask.sum --runs 200\n",
    .least = 0,
    .most = CLI_MAX_WORDS,
    .run = run,
};
