/* bench/mpi_rank.c — one rank of the figures of bench/mpi.c: mpirun -np K jali-bench-mpi
 * FOLDER.
 *
 * Rank 0 runs one plan (a table by each pair of eight columns, the sums of a ninth) nine times
 * and prints the median, and how many bytes went to and came from each other rank for one run.
 */
#define _DEFAULT_SOURCE
#include "bench.h"
#include "engine/columns.h"
#include "mpi/line.h"
#include "tally/hand.h"
#include "tally/order.h"
#include "tally/plan.h"
#include <inttypes.h>
#include <mpi.h>
#include <string.h>

enum { ROUNDS = 9, COLUMNS = 8 };

static void need(jali_status status, const jali_err *err)
{
    bench_need(status == JALI_OK, err->text);
}

static jali_plan *make_plan(jali_columns *columns)
{
    jali_plan *plan;
    jali_err err;
    size_t table;
    need(jali_plan_new(&plan, columns, 1, &err), &err);
    for (size_t i = 0; i < COLUMNS; i++)
        for (size_t k = i + 1; k < COLUMNS; k++) {
            const char *by[] = { jali_columns_at(columns, i)->name,
                                 jali_columns_at(columns, k)->name };
            need(jali_plan_sums(plan, 0, by, 2, "c8", 0, &table, &err), &err);
        }
    return plan;
}

static void lead(jali_columns *columns, mpi_line *line)
{
    double times[ROUNDS];
    mpi_line before;
    jali_err err;
    jali_plan *plan = make_plan(columns);
    need(jali_plan_check(plan, NULL, &err), &err);
    before = *line;
    for (int i = 0; i < ROUNDS; i++) {
        jali_arena arena = JALI_ARENA_INIT;
        const jali_tallies *out;
        double start = bench_seconds();
        need(jali_plan_run(plan, NULL, &arena, &out, &err), &err);
        times[i] = bench_seconds() - start;
        jali_arena_clear(&arena);
    }
    for (int i = 1; i < ROUNDS; i++) /* the median, without the bench's main */
        for (int k = i; k > 0 && times[k] < times[k - 1]; k--) {
            double old = times[k];
            times[k] = times[k - 1];
            times[k - 1] = old;
        }
    printf("%.6f %" PRIu64 " %" PRIu64 "\n", times[ROUNDS / 2],
           (line->told - before.told) / ROUNDS, (line->heard - before.heard) / ROUNDS);
    jali_plan_free(plan);
}

static void follow(jali_columns *columns, const jali_crew *crew)
{
    jali_hand hand = { .columns = columns };
    for (bool stop = false; !stop;) {
        char *bytes;
        size_t n;
        uint64_t kind;
        jali_err err;
        need(jali_crew_receive(crew, &bytes, &n, &err), &err);
        memcpy(&kind, bytes, sizeof kind);
        stop = kind == JALI_ORDER_STOP;
        if (!stop)
            need(jali_hand_do(&hand, (jali_order_kind)kind, bytes + 8, n - 8, &err), &err);
        free(bytes);
    }
}

int main(int argc, char **argv)
{
    mpi_line line = { 0 };
    jali_columns *columns;
    jali_err err;
    MPI_Init(&argc, &argv);
    bench_need(argc == 2, "usage: mpirun -np K jali-bench-mpi FOLDER");
    jali_crew crew = mpi_crew(&line);
    need(jali_columns_open_share(&columns, argv[1], crew.rank, crew.ranks, &err), &err);
    if (crew.ranks > 1) jali_columns_join(columns, &crew);
    if (crew.rank == 0) {
        lead(columns, &line);
        jali_crew_dismiss(&crew);
    } else {
        follow(columns, &crew);
    }
    jali_columns_free(columns);
    MPI_Finalize();
    return 0;
}
