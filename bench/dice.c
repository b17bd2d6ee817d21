/* bench/dice.c — the cost of randomness. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

static void run(void)
{
}

const jali_bench_set bench_dice = { "dice", run };
