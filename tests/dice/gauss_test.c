/* Refutes dice.gauss if it can: law, exact tier, oracle, broken twins, refusals. */
#include "dice/gauss.h"
#include "dice/laws.h"
#include "support/oracle.h"
#include "unit.h"

enum { DRAWS = 200000, TERMS = 200000 };

/* Sum of exp(-z^2 / (2 s2)) over from <= z < to, cut where nothing is left. */
static double mass(double s2, double from, double to)
{
    double sum = 0;
    for (int i = 0; i < TERMS && from + i < to; i++) {
        double t = exp(-(from + i) * (from + i) / (2 * s2));
        sum += t;
        if (t < 1e-30 && from + i > 0) break;
    }
    return sum;
}

/* Small sigma: the sums themselves. Large: the normal law between half-integers, whose
 * distance is below 1/sigma^2 (Euler and Maclaurin). */
static void gauss_law(double s2, uint64_t width, double law[2 * BINS])
{
    double h = (double)width, all = 2 * mass(s2, 1, INFINITY) + 1;
    for (int j = 0; j < BINS; j++) {
        double from = j * h, to = j == BINS - 1 ? INFINITY : from + h;
        double first = j == 0 ? 1 : from;
        if (s2 < 1e8) {
            law[j] = mass(s2, from, to) / all;
            law[BINS + j] = mass(s2, first, to) / all;
        } else {
            double r = sqrt(2 * s2);
            law[j] = (erfc((from - 0.5) / r) - erfc((to - 0.5) / r)) / 2;
            law[BINS + j] = (erfc((first - 0.5) / r) - erfc((to - 0.5) / r)) / 2;
        }
    }
}

static void count(const char *sigma2, uint64_t seed, uint64_t width, uint64_t seen[2 * BINS])
{
    mpq_t q;
    jali_gauss s;
    jali_dice *d = seeded_dice(seed);
    int64_t *z = malloc(DRAWS * sizeof *z);
    rational(q, sigma2);
    CHECK_OK(jali_gauss_init(&s, q, NULL));
    CHECK_OK(jali_gauss_draw_many(&s, d, z, DRAWS));
    for (size_t i = 0; i < DRAWS; i++) seen[noise_bin(z[i], width)]++;
    jali_gauss_clear(&s);
    jali_dice_free(d);
    mpq_clear(q);
    free(z);
}

static bool follows(const char *drawn, double claimed, uint64_t width)
{
    uint64_t seen[2 * BINS] = { 0 };
    double law[2 * BINS];
    count(drawn, 20261117, width, seen);
    gauss_law(claimed, width, law);
    return chi_fits(seen, law, 2 * BINS);
}

SENTENCE(noise_follows_its_law_at_small_scales)
{
    UNUSED_STATE;
    CHECK(follows("1/100", 0.01, 1));
    CHECK(follows("1/10", 0.1, 1));
    CHECK(follows("1/3", 1.0 / 3, 1));
    CHECK(follows("1", 1, 1));
    CHECK(follows("7/2", 3.5, 1));
    CHECK(follows("100", 100, 1));
    CHECK(follows("1000000", 1e6, 150));
}

SENTENCE(noise_follows_its_law_at_large_scales)
{
    UNUSED_STATE;
    CHECK(follows("1000000000000", 1e12, 150000));
    CHECK(follows("1000000000000000000", 1e18, 150000000));
    CHECK(follows("79228162514264337593543950336", 0x1p96, UINT64_C(1) << 45));
}

SENTENCE(a_sigma_off_by_five_percent_is_refused)
{
    UNUSED_STATE;
    CHECK(!follows("441/400", 1, 1));
    CHECK(!follows("361/400", 1, 1));
    CHECK(!follows("1102500000000000000", 1e18, 150000000));
}

/* Laplace noise of the same variance, sold as Gaussian. */
SENTENCE(the_proposal_alone_is_refused)
{
    UNUSED_STATE;
    mpq_t q;
    jali_laplace s;
    jali_dice *d = seeded_dice(5);
    uint64_t seen[2 * BINS] = { 0 };
    double law[2 * BINS];
    rational(q, "7");
    CHECK_OK(jali_laplace_init(&s, q, NULL));
    for (size_t i = 0; i < DRAWS; i++) {
        int64_t z;
        CHECK_OK(jali_laplace_draw(&s, d, &z));
        seen[noise_bin(z, 1)]++;
    }
    gauss_law(98, 1, law);
    CHECK(!chi_fits(seen, law, 2 * BINS));
    jali_laplace_clear(&s);
    jali_dice_free(d);
    mpq_clear(q);
}

SENTENCE(the_exact_tier_draws_the_same_numbers)
{
    UNUSED_STATE;
    static const char *const sigma2[] = { "1/7", "1", "12345/10", "1000000000000000000",
                                          "1/1000000000000000000000000000000" };
    for (size_t i = 0; i < 5; i++) {
        mpq_t q;
        jali_gauss s;
        jali_dice *fast = seeded_dice(60 + i), *slow = seeded_dice(60 + i);
        slow->doubt = true;
        rational(q, sigma2[i]);
        CHECK_OK(jali_gauss_init(&s, q, NULL));
        for (int j = 0; j < 300; j++) {
            int64_t a, b;
            CHECK_OK(jali_gauss_draw(&s, fast, &a));
            CHECK_OK(jali_gauss_draw(&s, slow, &b));
            assert_int_equal(a, b);
        }
        jali_gauss_clear(&s);
        jali_dice_free(fast);
        jali_dice_free(slow);
        mpq_clear(q);
    }
}

SENTENCE(the_plain_oracle_agrees)
{
    UNUSED_STATE;
    uint64_t ours[2 * BINS] = { 0 }, theirs[2 * BINS] = { 0 };
    double law[2 * BINS];
    mpq_t q;
    mpz_t z;
    jali_dice *d = seeded_dice(79);
    rational(q, "7/2");
    mpz_init(z);
    count("7/2", 80, 1, ours);
    for (size_t i = 0; i < DRAWS / 4; i++) {
        oracle_gauss(d, q, z);
        theirs[noise_bin(mpz_get_si(z), 1)]++;
    }
    gauss_law(3.5, 1, law);
    CHECK(chi_fits(theirs, law, 2 * BINS));
    CHECK(chi_same(ours, theirs, 2 * BINS));
    mpz_clear(z);
    mpq_clear(q);
    jali_dice_free(d);
}

SENTENCE(a_sigma_that_cannot_be_drawn_is_refused)
{
    UNUSED_STATE;
    static const char *const bad[] = { "0", "-1", "79228162514264337593543950337" };
    for (size_t i = 0; i < 3; i++) {
        mpq_t q;
        jali_gauss s;
        jali_err err;
        rational(q, bad[i]);
        CHECK(jali_gauss_init(&s, q, &err) == JALI_E_USAGE);
        CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "2^48");
        mpq_clear(q);
    }
}

RUN_ALL(TEST(noise_follows_its_law_at_small_scales),
        TEST(noise_follows_its_law_at_large_scales),
        TEST(a_sigma_off_by_five_percent_is_refused), TEST(the_proposal_alone_is_refused),
        TEST(the_exact_tier_draws_the_same_numbers), TEST(the_plain_oracle_agrees),
        TEST(a_sigma_that_cannot_be_drawn_is_refused))
