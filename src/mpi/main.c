/* mpi/main.c — jali-tally: the verbs of jali, counted by several machines.
 *
 *   mpirun -np 4 jali-tally [--threads N] [--traffic] VERB VAULT ...
 *
 * Rank 0 is jali itself, with its ledger, its dice and its words; the others count their shards
 * when they are told to. One thread a rank, because a rank a core is how MPI is started.
 */
#include "cli/cli.h"
#include "mpi/line.h"
#include <inttypes.h>
#include <locale.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
    unsigned threads;
    bool traffic;
    int used; /* words */
} options;

static bool read_options(options *o, int argc, char **argv)
{
    *o = (options){ .threads = 1 };
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--traffic") == 0) {
            o->traffic = true;
        } else if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc) {
            char *end;
            unsigned long n = strtoul(argv[++i], &end, 10);
            if (*end != '\0' || n < 1 || n > 1024) return false;
            o->threads = (unsigned)n;
        } else {
            break;
        }
        o->used = i;
    }
    return true;
}

/* The verbs that count. Others read the ledger or files, and need no company. */
static bool counts(const char *word)
{
    static const char *const verbs[] = { "ask",      "why",  "profile", "cluster",
                                         "contrast", "cost", "--help" };
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (word != NULL && strcmp(word, verbs[i]) == 0) return true;
    return false;
}

static int lead(const jali_crew *crew, const options *o, int argc, char **argv)
{
    if (!counts(argc > 1 ? argv[1] : NULL)) {
        fputs("jali-tally: give one of ask, why, profile, cluster, contrast or cost, after "
              "--threads N (1 to 1024) if that is wanted; other verbs are jali's\n",
              stderr);
        return JALI_E_USAGE;
    }
    return cli_run(argc, argv, crew->ranks > 1 ? crew : NULL, o->threads);
}

static int start(const jali_crew *crew, const mpi_line *line, int argc, char **argv)
{
    options o;
    bool good = read_options(&o, argc, argv);
    if (crew->rank > 0)
        return jali_exit_code(jali_crew_work(crew, o.threads, NULL)) == JALI_E_INTERNAL;
    argv[o.used] = argv[0];
    int code = good ? lead(crew, &o, argc - o.used, argv + o.used)
                    : lead(crew, &o, 1, argv); /* says what is wanted */
    jali_crew_dismiss(crew);
    if (o.traffic)
        fprintf(stderr,
                "jali-tally: %u ranks; to each %" PRIu64 " bytes, from each %" PRIu64 "\n",
                crew->ranks, line->told, line->heard);
    return code;
}

int main(int argc, char **argv)
{
    int given;
    mpi_line line = { 0 };
    setlocale(LC_CTYPE, "");
    if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS) {
        fputs("jali-tally: MPI does not start; run it by mpirun\n", stderr);
        return JALI_E_ENGINE;
    }
    jali_crew crew = mpi_crew(&line);
    int code = start(&crew, &line, argc, argv);
    MPI_Finalize();
    return code;
}
