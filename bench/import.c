/* bench/import.c — the cost of reading a file and of opening a vault. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

static void run(void)
{
}

const jali_bench_set bench_import = { "import", run };
