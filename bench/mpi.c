/* bench/mpi.c — what a second rank is worth, and what goes over the line.
 *
 *   mpi.two.ratio      time of one plan by two ranks over that by one (0.5 is perfect), two
 * free cores, one thread a rank; startup is not in it mpi.rows.exponent  how the time of one
 * rank grows with rows: log of the ratio over log 8 mpi.line.kb        bytes to and from each
 * further rank for one plan, and mpi.line.growth    the same with 8 times the rows over it: 1,
 * or rows would travel
 */
#define _DEFAULT_SOURCE
#include "base/file.h"
#include "bench.h"
#include "engine/shards.h"
#include "engine/writer.h"
#include <inttypes.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COLUMNS = 9, SHARDS = 2, BATCH = 65536, ROWS = 10 << 20, TABLES = 28 };

static const char *const names[] = { "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8" };
static const uint64_t domains[] = { 3, 8, 12, 20, 5, 9, 40, 17, 100001 };

static void need(jali_status status, const jali_err *err)
{
    bench_need(status == JALI_OK, err->text);
}

static void write_shard(const char *table, size_t shard, uint64_t rows)
{
    static uint64_t codes[BATCH];
    static const char set[] = "00000000000000000000000000000000";
    char folder[128], name[32];
    jali_columns_writer *w;
    jali_err err;
    uint64_t state = 20240607 + shard;
    jali_shards_name(name, sizeof name, shard);
    snprintf(folder, sizeof folder, "%s/%s", table, name);
    need(jali_columns_writer_new(&w, folder, COLUMNS, names, domains, &err), &err);
    jali_columns_writer_shard(w, set, shard, SHARDS);
    for (size_t c = 0; c < COLUMNS; c++)
        for (uint64_t row = 0; row < rows; row += BATCH) {
            for (size_t k = 0; k < BATCH; k++) {
                state = state * 6364136223846793005u + 1442695040888963407u;
                codes[k] = (state >> 33) % domains[c];
            }
            need(jali_columns_writer_column(w, c, BATCH, codes, 8, &err), &err);
        }
    need(jali_columns_writer_finish(w, &err), &err);
    jali_columns_writer_free(w);
    need(jali_shards_write(table, set, SHARDS, &err), &err);
}

static void write_table(char *out, size_t room, uint64_t rows)
{
    snprintf(out, room, "jali-bench-mpi-%ld-%" PRIu64, (long)getpid(), rows);
    jali_file_remove_tree(out);
    bench_need(mkdir(out, 0700) == 0, "cannot make a folder here");
    for (size_t i = 0; i < SHARDS; i++) write_shard(out, i, rows / SHARDS);
}

typedef struct measure {
    double seconds, told, heard;
} measure;

/* jali-bench-mpi is built beside this program. */
static measure run(const char *folder, int ranks)
{
    char self[512], command[1024];
    measure m = { 0 };
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    bench_need(n > 0, "cannot find myself");
    self[n] = '\0';
    snprintf(command, sizeof command,
             "mpirun --allow-run-as-root --oversubscribe -np %d %s-mpi %s", ranks, self,
             folder);
    FILE *p = popen(command, "r");
    bench_need(p != NULL && fscanf(p, "%lf %lf %lf", &m.seconds, &m.told, &m.heard) == 3,
               "mpirun jali-bench-mpi does not run");
    bench_need(pclose(p) == 0, "mpirun jali-bench-mpi failed");
    return m;
}

static void bench_all(void)
{
    char small[64], large[64];
    double ratio[5];
    if (system("command -v mpirun >/dev/null 2>&1") != 0) {
        fprintf(stderr, "jali-bench: mpi is left out: there is no mpirun\n");
        return;
    }
    write_table(small, sizeof small, ROWS / 8);
    write_table(large, sizeof large, ROWS);
    measure two = { 0 }, one = { 0 };
    for (size_t i = 0; i < sizeof ratio / sizeof *ratio; i++) { /* in turns */
        one = run(large, 1);
        two = run(large, 2);
        ratio[i] = two.seconds / one.seconds;
    }
    measure less = run(small, 1), fewer = run(small, 2);
    bench_print("mpi.two.ratio", bench_middle(ratio, 5), "x");
    bench_print("mpi.row.ns", one.seconds * 1e9 / ROWS / TABLES, "ns");
    bench_print("mpi.rows.exponent", log(one.seconds / less.seconds) / log(8), "");
    bench_print("mpi.line.kb", (two.told + two.heard) / 1000, "kB");
    bench_print("mpi.line.growth", (two.told + two.heard) / (fewer.told + fewer.heard), "x");
    jali_file_remove_tree(small);
    jali_file_remove_tree(large);
}

const jali_bench_set bench_mpi = { "mpi", bench_all };
