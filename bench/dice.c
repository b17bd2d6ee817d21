/* bench/dice.c — the cost of randomness.
 *
 * Times are those of this thread alone (its processor time), medians of several rounds: a
 * busy neighbour steals less from them. Ratios divide by one word, measured just before. Slopes
 * are regressions of cycles on |noise| in units of the scale; between the ends of a printed 99%
 * interval must lie 0.
 */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include "dice/flip.h"
#include "dice/gauss.h"
#include "dice/laplace.h"
#include "dice/select.h"
#include "dice/topk.h"
#include <math.h>

enum { WORDS = 1000000, DRAWS = 100000, CANDIDATES = 1000000, WINNERS = 10, ROUNDS = 11 };

struct desk {
    jali_dice *dice;
    jali_laplace laplace;
    jali_gauss gauss;
    jali_rate rate;
    int64_t *score;
    uint64_t sink;
};

static double median(void (*work)(void *self), void *self)
{
    double time[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        double start = bench_cpu_seconds();
        work(self);
        time[i] = bench_cpu_seconds() - start;
    }
    bench_sort(time, ROUNDS);
    return time[ROUNDS / 2];
}

static void words(void *self)
{
    struct desk *desk = self;
    for (int i = 0; i < WORDS; i++) {
        uint64_t word = 0;
        bench_need(jali_dice_word(desk->dice, &word) == JALI_OK, "no entropy");
        desk->sink ^= word;
    }
}

static void laplaces(void *self)
{
    struct desk *desk = self;
    for (int i = 0; i < DRAWS; i++) {
        int64_t z = 0;
        bench_need(jali_laplace_draw(&desk->laplace, desk->dice, &z) == JALI_OK, "no entropy");
        desk->sink ^= (uint64_t)z;
    }
}

static void gausses(void *self)
{
    struct desk *desk = self;
    for (int i = 0; i < DRAWS; i++) {
        int64_t z = 0;
        bench_need(jali_gauss_draw(&desk->gauss, desk->dice, &z) == JALI_OK, "no entropy");
        desk->sink ^= (uint64_t)z;
    }
}

static void selects(void *self)
{
    struct desk *desk = self;
    size_t winner = 0;
    bench_need(jali_select_draw(&desk->rate, desk->score, CANDIDATES, desk->dice, &winner) ==
                   JALI_OK,
               "no selection");
    desk->sink ^= winner;
}

static void topks(void *self)
{
    struct desk *desk = self;
    size_t winner[WINNERS] = { 0 };
    bench_need(jali_topk_draw(&desk->rate, desk->score, CANDIDATES, WINNERS, desk->dice, winner,
                              NULL) == JALI_OK,
               "no top-k");
    desk->sink ^= winner[0];
}

static void flips(void *self)
{
    struct desk *desk = self;
    size_t winner = 0;
    bench_need(jali_flip_draw(&desk->rate, desk->score, CANDIDATES, desk->dice, &winner) ==
                   JALI_OK,
               "no permute-and-flip");
    desk->sink ^= winner;
}

static double word_seconds(struct desk *desk)
{
    return median(words, desk) / WORDS;
}

/* ---- noise --------------------------------------------------------------------------- */

static void set_scale(struct desk *desk, unsigned long scale)
{
    mpq_t q;
    mpq_init(q);
    mpq_set_ui(q, scale, 1);
    bench_need(jali_laplace_init(&desk->laplace, q, NULL) == JALI_OK, "no such scale");
    mpq_mul(q, q, q);
    bench_need(jali_gauss_init(&desk->gauss, q, NULL) == JALI_OK, "no such sigma");
    mpq_clear(q);
}

static void clear_scale(struct desk *desk)
{
    jali_laplace_clear(&desk->laplace);
    jali_gauss_clear(&desk->gauss);
}

static void measure_noise(struct desk *desk)
{
    static const unsigned long scales[] = { 1, 1000, 1000000, 1000000000 };
    double laplace = 0, gauss = 0;
    for (size_t i = 0; i < 4; i++) {
        set_scale(desk, scales[i]);
        double word = word_seconds(desk);
        double l = median(laplaces, desk) / DRAWS / word;
        double g = median(gausses, desk) / DRAWS / word;
        laplace = l > laplace ? l : laplace;
        gauss = g > gauss ? g : gauss;
        clear_scale(desk);
    }
    bench_print("dice.laplace.ratio", laplace, "words");
    bench_print("dice.gauss.ratio", gauss, "words");
}

/* ---- cycles against |noise| ------------------------------------------------------------ */

static uint64_t cycles(void)
{
#if defined(__x86_64__)
    uint32_t low, high;
    __asm__ __volatile__("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high)::"memory");
    return (uint64_t)high << 32 | low;
#else
    return (uint64_t)(bench_seconds() * 1e9);
#endif
}

/* Least squares of t on x; prints the slope and the ends of its 99% interval. Draws that an
 * interrupt or a refill of the pool fell into are the largest times: their share is cut off as
 * t > limit. */
static void print_slope(const char *name, const double *x, const double *t, size_t n)
{
    static double sorted[DRAWS];
    for (size_t i = 0; i < n; i++) sorted[i] = t[i];
    bench_sort(sorted, n);
    double limit = 4 * sorted[n / 2], m = 0, mx = 0, mt = 0, sxx = 0, sxt = 0, rest = 0;
    for (size_t i = 0; i < n; i++)
        if (t[i] <= limit) {
            m++;
            mx += x[i];
            mt += t[i];
        }
    mx /= m;
    mt /= m;
    for (size_t i = 0; i < n; i++)
        if (t[i] <= limit) {
            sxx += (x[i] - mx) * (x[i] - mx);
            sxt += (x[i] - mx) * (t[i] - mt);
        }
    double slope = sxt / sxx;
    for (size_t i = 0; i < n; i++)
        if (t[i] <= limit) {
            double e = t[i] - mt - slope * (x[i] - mx);
            rest += e * e;
        }
    double half = 2.5758 * sqrt(rest / (m - 2) / sxx);
    char line[64];
    bench_print(name, slope, "cycles/scale");
    snprintf(line, sizeof line, "%s.low", name);
    bench_print(line, slope - half, "cycles/scale");
    snprintf(line, sizeof line, "%s.high", name);
    bench_print(line, slope + half, "cycles/scale");
}

static void measure_slope(struct desk *desk, bool gauss)
{
    enum { SCALE = 1000 };
    static double x[DRAWS], t[DRAWS];
    set_scale(desk, SCALE);
    for (size_t i = 0; i < DRAWS; i++) {
        int64_t z = 0;
        uint64_t start = cycles();
        jali_status status = gauss ? jali_gauss_draw(&desk->gauss, desk->dice, &z)
                                   : jali_laplace_draw(&desk->laplace, desk->dice, &z);
        t[i] = (double)(cycles() - start);
        bench_need(status == JALI_OK, "no entropy");
        x[i] = fabs((double)z) / SCALE;
    }
    print_slope(gauss ? "dice.slope.gauss" : "dice.slope.laplace", x, t, DRAWS);
    clear_scale(desk);
}

/* ---- choices --------------------------------------------------------------------------- */

/* Percent that `work` takes longer with one clear winner than with equal scores: the median
 * over pairs timed back to back, in turns. */
static double skew(struct desk *desk, void (*work)(void *))
{
    enum { PAIRS = 41 };
    double ratio[PAIRS];
    for (int i = 0; i < PAIRS; i++) {
        double time[2];
        for (int j = 0; j < 2; j++) {
            int winner = (i + j) % 2;
            desk->score[CANDIDATES / 3] = winner ? 1000000000 : 0;
            double start = bench_cpu_seconds();
            work(desk);
            time[winner] = bench_cpu_seconds() - start;
        }
        ratio[i] = time[1] / time[0];
    }
    desk->score[CANDIDATES / 3] = 0;
    bench_sort(ratio, PAIRS);
    return 100 * (ratio[PAIRS / 2] - 1);
}

static void measure_choices(struct desk *desk)
{
    mpq_t q;
    mpq_init(q);
    mpq_set_ui(q, 1, 10);
    bench_need(jali_rate_init(&desk->rate, q, NULL) == JALI_OK, "no such rate");
    desk->score = calloc(CANDIDATES, sizeof *desk->score);
    bench_need(desk->score != NULL, "out of memory");
    for (size_t i = 0; i < CANDIDATES; i++) desk->score[i] = (int64_t)(i * 7919 % 1000);
    double each = 1e9 / CANDIDATES;
    bench_print("dice.select.ns", median(selects, desk) * each, "ns/candidate");
    bench_print("dice.topk.ns", median(topks, desk) * each, "ns/candidate");
    bench_print("dice.flip.ns", median(flips, desk) * each, "ns/candidate");
    for (size_t i = 0; i < CANDIDATES; i++) desk->score[i] = 0;
    bench_print("dice.select.skew", skew(desk, selects), "%");
    bench_print("dice.topk.skew", skew(desk, topks), "%");
    free(desk->score);
    jali_rate_clear(&desk->rate);
    mpq_clear(q);
}

static void run(void)
{
    struct desk desk = { 0 };
    bench_need(jali_dice_new(&desk.dice, NULL) == JALI_OK, "no entropy");
    bench_print("dice.word.ns", word_seconds(&desk) * 1e9, "ns");
    measure_noise(&desk);
    measure_slope(&desk, false);
    measure_slope(&desk, true);
    measure_choices(&desk);
    jali_dice_free(desk.dice);
}

const jali_bench_set bench_dice = { "dice", run };
