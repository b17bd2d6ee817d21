/* bench/ledger.c — the cost of a charge. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

static void run(void)
{
}

const jali_bench_set bench_ledger = { "ledger", run };
