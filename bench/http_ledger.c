/* bench/http_ledger.c — what the ledger itself can do, beside the server that uses it. */
#include "http_ledger.h"
#include "bench.h"
#include "budget/ledger.h"
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { CHARGES = 4000, BURNERS = 2, BEHIND = 64 /* as many as there are clients */ };

/* ---- the clients' part, without a server --------------------------------------------------
 */

typedef struct load {
    double client_s;
    atomic_int made, begun, burnt; /* charges */
} load;

/* Takes a core for as long as a client takes one for each charge that was made. */
static void *burn(void *self)
{
    load *l = self;
    for (int mine = atomic_fetch_add(&l->begun, 1); mine < CHARGES;
         mine = atomic_fetch_add(&l->begun, 1)) {
        struct timespec nap = { .tv_nsec = 50000 };
        while (atomic_load(&l->made) <= mine) nanosleep(&nap, NULL);
        for (double end = bench_cpu_seconds() + l->client_s; bench_cpu_seconds() < end;)
            continue;
        atomic_fetch_add(&l->burnt, 1);
    }
    return NULL;
}

static void wait_for_clients(const load *l, int behind)
{
    struct timespec nap = { .tv_nsec = 50000 };
    while (l->client_s > 0 && atomic_load(&l->made) - atomic_load(&l->burnt) > behind)
        nanosleep(&nap, NULL);
}

/* ---- the ledger's -------------------------------------------------------------------------
 */

static jali_ledger *open_ledger(const char *vault)
{
    char file[160];
    jali_ledger *ledger = NULL;
    snprintf(file, sizeof file, "%s/ledger.sqlite", vault);
    jali_ledger_places places = { .file = file };
    bench_need(jali_ledger_open(&ledger, &places, JALI_LEDGER_WRITE, NULL) == JALI_OK,
               "the ledger does not open");
    return ledger;
}

static void charge_and_store(jali_ledger *ledger, int i, int64_t now_ms)
{
    static const char body[] = "{\"cells\": [1]}";
    char plan[64];
    jali_arena arena = JALI_ARENA_INIT;
    jali_charge *charge = NULL;
    jali_release stored;
    snprintf(plan, sizeof plan, "{\"bench\":%d,\"at\":%lld}", i, (long long)now_ms);
    jali_request request = { .analyst = "bench",
                             .plan = plan,
                             .loss = { .eps_infinite = true, .rho_pico = 1 },
                             .exact = "rho 1e-12",
                             .note = "bench",
                             .now_ms = now_ms };
    bench_need(jali_ledger_charge(ledger, &request, &arena, &charge, &stored, NULL) ==
                       JALI_OK &&
                   charge != NULL,
               "the ledger refuses a charge");
    bench_need(jali_ledger_store(ledger, charge, 'z', body, strlen(body), now_ms, &stored,
                                 NULL) == JALI_OK,
               "the ledger refuses a release");
    jali_charge_free(charge);
    jali_arena_clear(&arena);
}

double bench_ledger_rate(const char *vault, double client_s)
{
    pthread_t burner[BURNERS];
    load l = { .client_s = client_s };
    const int n = client_s > 0 ? BURNERS : 0;
    jali_ledger *ledger = open_ledger(vault);
    for (int i = 0; i < n; i++)
        bench_need(pthread_create(&burner[i], NULL, burn, &l) == 0, "no thread");
    double start = bench_seconds();
    for (int i = 0; i < CHARGES; i++) {
        charge_and_store(ledger, i, (int64_t)(start * 1000));
        atomic_fetch_add(&l.made, 1);
        wait_for_clients(&l, BEHIND);
    }
    wait_for_clients(&l, 0);
    double rate = CHARGES / (bench_seconds() - start);
    for (int i = 0; i < n; i++) pthread_join(burner[i], NULL);
    bench_need(jali_ledger_close(ledger, NULL) == JALI_OK, "the ledger does not close");
    return rate;
}

void bench_ledger_check(const char *vault, uint64_t told)
{
    char file[160];
    jali_ledger_report report;
    snprintf(file, sizeof file, "%s/ledger.sqlite", vault);
    jali_ledger_places places = { .file = file };
    bench_need(jali_ledger_verify(&places, &report, NULL) == JALI_OK && report.intact,
               "the ledger is not intact");
    bench_need(report.releases == (int64_t)told && report.charges == report.releases,
               "the ledger has not what was told");
    bench_need(jali_cap_admits(&report.cap, report.sum) != JALI_REFUSED,
               "more was spent than the cap allows");
}
