/* bench/main.c — jali-bench [NAME...]: measures and prints. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include <string.h>

static const jali_bench_set *const sets[] = { &bench_model,   &bench_contrast, &bench_dice,
                                              &bench_ledger,  &bench_tally,    &bench_cluster,
                                              &bench_import,  &bench_mock,     &bench_why,
                                              &bench_profile, &bench_mpi };

/* Too long for everyday: only when named. */
static const jali_bench_set *const large[] = { &bench_import_large, &bench_cluster_large,
                                               &bench_http, &bench_pg };

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void bench_sort(double *x, size_t n)
{
    qsort(x, n, sizeof *x, by_size);
}

double bench_middle(double *times, size_t n)
{
    bench_sort(times, n);
    return times[n / 2];
}

double bench_median(void (*work)(void *self), void *self, int rounds)
{
    double times[64];
    bench_need(rounds > 0 && rounds <= 64, "between 1 and 64 rounds");
    for (int i = 0; i < rounds; i++) {
        double start = bench_seconds();
        work(self);
        times[i] = bench_seconds() - start;
    }
    return bench_middle(times, (size_t)rounds);
}

static int wanted(const char *name, int n, char **names)
{
    for (int i = 0; i < n; i++)
        if (strcmp(name, names[i]) == 0) return 1;
    return n == 0;
}

int main(int argc, char **argv)
{
    int ran = 0;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        if (!wanted(sets[i]->name, argc - 1, argv + 1)) continue;
        sets[i]->run();
        ran++;
    }
    for (size_t i = 0; argc > 1 && i < sizeof large / sizeof *large; i++) {
        if (!wanted(large[i]->name, argc - 1, argv + 1)) continue;
        large[i]->run();
        ran++;
    }
    if (ran > 0) return 0;
    fprintf(stderr, "jali-bench: no such figure; the sets are:");
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        fprintf(stderr, " %s", sets[i]->name);
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        fprintf(stderr, " %s", large[i]->name);
    fprintf(stderr, "\n");
    return 2;
}
