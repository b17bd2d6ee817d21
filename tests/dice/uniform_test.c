/* Refutes dice.uniform if it can: law at awkward n, and a modulo-biased twin. */
#include "dice/laws.h"
#include "dice/uniform.h"
#include "unit.h"

enum { DRAWS = 100000, SLOTS = 12 };

typedef uint64_t draw_fn(jali_dice *d, uint64_t n);

static uint64_t exactly(jali_dice *d, uint64_t n)
{
    uint64_t x = UINT64_MAX;
    CHECK_OK(jali_uniform_below(d, n, &x));
    CHECK(x < n);
    return x;
}

static uint64_t by_mpz(jali_dice *d, uint64_t n)
{
    mpz_t z, x;
    mpz_init_set_ui(z, n);
    mpz_init(x);
    CHECK_OK(jali_uniform_below_z(d, z, x));
    CHECK(mpz_sgn(x) >= 0 && mpz_cmp(x, z) < 0);
    uint64_t y = mpz_get_ui(x);
    mpz_clears(z, x, NULL);
    return y;
}

static uint64_t by_remainder(jali_dice *d, uint64_t n)
{
    uint64_t word;
    CHECK_OK(jali_dice_word(d, &word));
    return word % n;
}

/* Lemire's product without his rejection: some remainders come twice. */
static uint64_t by_product(jali_dice *d, uint64_t n)
{
    uint64_t word;
    CHECK_OK(jali_dice_word(d, &word));
    return (uint64_t)((jali_u128)word * n >> 64);
}

/* Counts by twelfths of [0, n) and by remainders, n a multiple of 12. */
static bool flat(draw_fn *draw, uint64_t n)
{
    jali_dice *d = seeded_dice(99);
    uint64_t seen[SLOTS] = { 0 }, rest[SLOTS] = { 0 };
    double law[SLOTS];
    for (size_t i = 0; i < DRAWS; i++) {
        uint64_t x = draw(d, n);
        seen[x / (n / SLOTS)]++;
        rest[x % SLOTS]++;
    }
    for (size_t i = 0; i < SLOTS; i++) law[i] = 1.0 / SLOTS;
    jali_dice_free(d);
    return chi_fits(seen, law, SLOTS) && chi_fits(rest, law, SLOTS);
}

SENTENCE(every_number_below_n_is_equally_likely)
{
    UNUSED_STATE;
    CHECK(flat(exactly, 12));
    CHECK(flat(exactly, 3 << 20));
    CHECK(flat(exactly, UINT64_C(3) << 62));
    CHECK(flat(exactly, UINT64_MAX / 12 * 12));
    CHECK(flat(by_mpz, 12));
    CHECK(flat(by_mpz, UINT64_C(3) << 62));
}

SENTENCE(biased_shortcuts_are_refused)
{
    UNUSED_STATE;
    CHECK(!flat(by_product, UINT64_C(3) << 62));
    CHECK(!flat(by_remainder, UINT64_C(3) << 62));
}

/* All outcomes of small n, and n = 1, which leaves no choice. */
SENTENCE(small_and_extreme_n_stay_in_range)
{
    UNUSED_STATE;
    jali_dice *d = seeded_dice(4);
    for (uint64_t n = 1; n < 70; n++) {
        uint64_t seen[70] = { 0 };
        double law[70];
        for (size_t i = 0; i < 100 * n; i++) seen[exactly(d, n)]++;
        for (uint64_t i = 0; i < n; i++) law[i] = 1.0 / (double)n;
        CHECK(chi_fits(seen, law, (size_t)n));
    }
    for (int i = 0; i < 100; i++) (void)exactly(d, UINT64_MAX);
    jali_dice_free(d);
}

/* 3 * 2^200: the two leading bits are 00, 01 or 10, and the last word is used, too. */
SENTENCE(huge_n_is_flat_at_both_ends)
{
    UNUSED_STATE;
    jali_dice *d = seeded_dice(8);
    mpz_t n, x, high;
    uint64_t seen[3] = { 0 }, low[8] = { 0 };
    double law[3] = { 1.0 / 3, 1.0 / 3, 1.0 / 3 }, eighth[8];
    for (int i = 0; i < 8; i++) eighth[i] = 0.125;
    mpz_inits(n, x, high, NULL);
    mpz_set_ui(n, 3);
    mpz_mul_2exp(n, n, 200);
    for (size_t i = 0; i < DRAWS; i++) {
        CHECK_OK(jali_uniform_below_z(d, n, x));
        mpz_fdiv_q_2exp(high, x, 200);
        seen[mpz_get_ui(high)]++;
        low[mpz_get_ui(x) % 8]++;
    }
    CHECK(chi_fits(seen, law, 3));
    CHECK(chi_fits(low, eighth, 8));
    mpz_clears(n, x, high, NULL);
    jali_dice_free(d);
}

RUN_ALL(TEST(every_number_below_n_is_equally_likely), TEST(biased_shortcuts_are_refused),
        TEST(small_and_extreme_n_stay_in_range), TEST(huge_n_is_flat_at_both_ends))
