/* bench/ledger.c — the cost of a charge, and of a conversion.
 *
 * A charge is one commit with synchronous=FULL, so it is compared with the least it could
 * cost: one write of 4 KiB and its fsync, in the same folder, turn by turn. Beside a server
 * (tests/support/postgres jali-bench ledger) the same is done with the ledger there.
 */
#define _POSIX_C_SOURCE 200809L
#include "budget/ledger.h"
#include "base/file.h"
#include "base/rat.h"
#include "bench.h"
#include "budget/convert.h"
#include <fcntl.h>
#include <unistd.h>

enum { ROUNDS = 101, CONVERSIONS = 200 };

static double time_charge(jali_ledger *ledger, jali_arena *arena, jali_loss loss, int round)
{
    char plan[64];
    jali_charge *charge = NULL;
    jali_release stored;
    snprintf(plan, sizeof plan, "{\"question\":%d}", round);
    jali_request request = { .analyst = "bench",
                             .plan = plan,
                             .loss = loss,
                             .exact = "pure 1/1000",
                             .note = "laplace",
                             .now_ms = 1700000000000 };
    double start = bench_seconds();
    bench_need(jali_ledger_charge(ledger, &request, arena, &charge, &stored, NULL) == JALI_OK,
               "the ledger refused a charge");
    double seconds = bench_seconds() - start;
    jali_charge_free(charge);
    return seconds;
}

static double time_write(int fd)
{
    static const char page[4096];
    double start = bench_seconds();
    bench_need(write(fd, page, sizeof page) == (ssize_t)sizeof page && fsync(fd) == 0,
               "cannot write beside the ledger");
    return bench_seconds() - start;
}

static jali_ledger *make(const char *folder, const char *server, jali_loss *loss)
{
    char file[96];
    jali_cap cap;
    jali_ledger *ledger = NULL;
    mpq_t eps, delta;
    mpq_inits(eps, delta, NULL);
    snprintf(file, sizeof file, "%s/ledger.%s", folder,
             server == NULL ? "sqlite" : "postgresql");
    jali_ledger_places places = { .file = file, .server = server };
    mpq_set_ui(eps, 1, 1000);
    *loss = jali_loss_pure(eps);
    mpq_set_ui(eps, 1, 1);
    mpq_set_ui(delta, 1, 1000000);
    bool ok = jali_cap_make(&cap, eps, delta, NULL, NULL) == JALI_OK &&
              jali_ledger_create(&places, "bench", &cap, &(jali_hand){ "bench", 0 }, NULL) ==
                  JALI_OK &&
              jali_ledger_open(&ledger, &places, JALI_LEDGER_WRITE, NULL) == JALI_OK;
    bench_need(ok, "cannot make a ledger here");
    mpq_clears(eps, delta, NULL);
    return ledger;
}

static void run_charges(const char *server, const char *ms, const char *ratio)
{
    char folder[] = "jali-bench-XXXXXX", beside[64];
    double charge[ROUNDS], raw[ROUNDS];
    jali_arena arena = JALI_ARENA_INIT;
    jali_loss loss;
    bench_need(mkdtemp(folder) != NULL, "cannot make a folder here");
    snprintf(beside, sizeof beside, "%s/raw", folder);
    int fd = open(beside, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    jali_ledger *ledger = make(folder, server, &loss);
    for (int i = 0; i < ROUNDS; i++) {
        raw[i] = time_write(fd);
        charge[i] = time_charge(ledger, &arena, loss, i);
    }
    close(fd);
    bench_need(jali_ledger_close(ledger, NULL) == JALI_OK, "cannot close the ledger");
    jali_arena_clear(&arena);
    jali_file_remove_tree(folder);
    double c = bench_middle(charge, ROUNDS), r = bench_middle(raw, ROUNDS);
    bench_print(ms, c * 1e3, "ms");
    bench_print(ratio, c / r, "x");
}

static void convert_many(void *self)
{
    uint64_t *sum = self;
    for (uint64_t i = 0; i < CONVERSIONS; i++)
        *sum += jali_convert_delta(1000000000 + i * 100000000, 1000000000000);
}

static void run(void)
{
    uint64_t sum = 0;
    run_charges(NULL, "ledger.charge.ms", "ledger.charge.ratio");
    if (getenv("JALI_POSTGRES") != NULL) /* a server of our own, that may be written to */
        run_charges("postgresql://", "ledger.pg.charge.ms", "ledger.pg.charge.ratio");
    bench_print("ledger.convert.us", bench_median(convert_many, &sum, 15) * 1e6 / CONVERSIONS,
                "us");
    bench_need(sum > 0, "the conversions came out as nothing");
}

const jali_bench_set bench_ledger = { "ledger", run };
