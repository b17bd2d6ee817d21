/* bench/mock.c — the cost of a generated table. */
#define _POSIX_C_SOURCE 200809L
#include "mock/mock.h"
#include "bench.h"

/* To memory and not to a disk: the figure is ours, not the disk's. The bytes are summed
 * so that somebody has looked at them. */
typedef struct taken {
    uint64_t bytes, lines;
} taken;

static bool count(void *self, const char *bytes, size_t n)
{
    taken *t = self;
    t->bytes += n;
    for (size_t i = 0; i < n; i++) t->lines += bytes[i] == '\n';
    return true;
}

static double seconds_of(const char *kind, const char *preset, taken *t)
{
    jali_mock_options o;
    jali_err err;
    bench_need(jali_mock_defaults(&o, kind, preset, &err) == JALI_OK, "no such preset");
    o.take = count;
    o.self = t;
    double start = bench_seconds();
    bench_need(jali_mock_write(&o, NULL, &err) == JALI_OK, "the table was not written");
    double took = bench_seconds() - start;
    bench_need(t->lines == o.rows + 1, "the table lacks rows");
    return took;
}

static void run(void)
{
    taken census = { 0 }, ipums = { 0 }, synth = { 0 };
    bench_print("mock.census.seconds", seconds_of("table", "census", &census), "s");
    bench_print("mock.census.bytes", (double)census.bytes, "bytes");
    bench_print("mock.ipums.seconds", seconds_of("table", "ipums", &ipums), "s");
    bench_print("mock.synth100.seconds", seconds_of("gauss", "synth100", &synth), "s");
}

const jali_bench_set bench_mock = { "mock", run };
