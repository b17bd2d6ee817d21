/* bench/http_ledger.h — what the ledger itself can do, beside the server that uses it. */
#ifndef JALI_BENCH_HTTP_LEDGER_H
#define JALI_BENCH_HTTP_LEDGER_H

#include <stdint.h>

/* Charges a second of one caller on an open handle: a charge and the storing of its release,
 * each a commit. `client_s`: seconds of a core that clients take for each charge, and which are
 * taken beside it here, too; 0: none. */
double bench_ledger_rate(const char *vault, double client_s);

/* Dies if the ledger is not intact, is beyond its cap, or has not `told` releases. */
void bench_ledger_check(const char *vault, uint64_t told);

#endif
