/* bench/bench.h — figures: one line each, `name value unit`.
 *
 * Time on a shared machine is weather, so a figure that matters is a ratio of two times
 * measured in the same run. Each file of bench/ defines one jali_bench_set.
 */
#ifndef JALI_BENCH_H
#define JALI_BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct jali_bench_set {
    const char *name;  /* what `jali-bench NAME` selects, e.g. "dice" */
    void (*run)(void); /* prints its figures by bench_print           */
} jali_bench_set;

extern const jali_bench_set bench_contrast;
extern const jali_bench_set bench_cluster, bench_cluster_large;
extern const jali_bench_set bench_dice, bench_ledger, bench_tally, bench_import, bench_mock,
    bench_import_large, bench_profile, bench_why;

extern const jali_bench_set bench_model, bench_mpi, bench_http, bench_pg;

static inline void bench_print(const char *name, double value, const char *unit)
{
    printf("%s %.4g %s\n", name, value, unit);
    fflush(stdout);
}

static inline double bench_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Time of this thread on a core: what a busy neighbour does not change. */
static inline double bench_cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void bench_sort(double *x, size_t n);
/* Sorts, and returns the middle one. */
double bench_middle(double *times, size_t n);

/* A figure that cannot be measured must not look like one. */
static inline void bench_need(int ok, const char *what)
{
    if (ok) return;
    fprintf(stderr, "jali-bench: %s\n", what);
    exit(1);
}

/* The median of `rounds` timings of work(self): robust against a neighbour's burst. */
double bench_median(void (*work)(void *self), void *self, int rounds);

#endif
