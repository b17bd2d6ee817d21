/* Are the bounds of an audit exact, and does it tell a sound mechanism from a broken one? */
#include "audit/audit.h"
#include "dice/laplace.h"
#include "support/seeded_dice.h"
#include "unit.h"
#include <math.h>

static bool near(double a, double b, double by)
{
    return fabs(a - b) <= by;
}

/* Closed forms: all or none of n, and the symmetry of success and failure. */
SENTENCE(binomial_bounds_are_those_of_clopper_and_pearson)
{
    UNUSED_STATE;
    for (unsigned n = 1; n <= 1000; n *= 10) {
        double alpha = 1e-7, edge = pow(alpha, 1.0 / n);
        CHECK(near(jali_binomial_low(n, n, alpha), edge, 1e-9));
        CHECK(near(jali_binomial_high(0, n, alpha), 1 - edge, 1e-9));
        CHECK(jali_binomial_low(0, n, alpha) == 0);
        for (unsigned k = 1; k < n; k += 1 + n / 7)
            CHECK(near(jali_binomial_low(k, n, alpha), 1 - jali_binomial_high(n - k, n, alpha),
                       1e-12));
    }
}

/* P(X >= 3) of ten coins of bias 1/4, added by hand in integers: 4^10 = 1048576. */
SENTENCE(a_bound_is_where_the_tail_is_alpha)
{
    UNUSED_STATE;
    double tail = 1 - (59049.0 + 10 * 19683.0 + 45 * 6561.0) / 1048576.0;
    CHECK(near(jali_binomial_low(3, 10, tail), 0.25, 1e-9));
}

SENTENCE(what_never_happens_proves_nothing)
{
    UNUSED_STATE;
    jali_loss pure = { .eps_pico = 1000000000000, .rho_pico = 500000000000 };
    jali_event even = { .with = 50, .without = 50, .n_with = 100, .n_without = 100 };
    jali_event never = { .n_with = 100, .n_without = 100 };
    CHECK(jali_event_loss(&even, pure, 1e-6) == 0);
    CHECK(jali_event_loss(&never, pure, 1e-6) == 0);
}

/* ---- a mechanism that prints, and the audit's opinion of it ---------------------------- */

typedef struct liar {
    unsigned long halves; /* of its scale; two are what it charges for        */
    bool quiet_when_void; /* says nothing where there is nobody              */
} liar;

static void print(jali_sheet *sheet, const jali_laplace *law, jali_dice *dice, const liar *how,
                  bool with)
{
    char text[128];
    int64_t noise = 0;
    jali_output output = { .out = text, .err = (char *)"" };
    CHECK_OK(jali_laplace_draw(law, dice, &noise));
    if (how->quiet_when_void && !with)
        snprintf(text, sizeof text, "{\"rows\":[]}");
    else
        snprintf(text, sizeof text, "{\"rows\":[{\"count\":\"%lld\",\"other\":%d}]}",
                 (long long)(noise + with), 7);
    CHECK_OK(jali_sheet_add(sheet, with, &output, NULL));
}

static void init_law(jali_laplace *law, unsigned long halves)
{
    mpq_t scale;
    mpq_init(scale);
    mpq_set_ui(scale, halves, 2);
    mpq_canonicalize(scale);
    CHECK_OK(jali_laplace_init(law, scale, NULL));
    mpq_clear(scale);
}

/* False-alarm rate 8e-9 (eight events at 1e-9); the seeds are fixed. */
static double proved(const liar *how, uint64_t seed, unsigned runs)
{
    jali_sheet sheet = { 0 };
    jali_event event[JALI_AUDIT_EVENTS];
    jali_loss pure = { .eps_pico = 1000000000000, .rho_pico = 500000000000 };
    jali_dice *dice = seeded_dice(seed);
    jali_laplace law;
    double most = 0;
    init_law(&law, how->halves);
    for (unsigned i = 0; i < 2 * runs; i++) print(&sheet, &law, dice, how, i % 2 == 0);
    size_t n = jali_events_find(&sheet, event);
    for (size_t i = 0; i < n; i++) most = fmax(most, jali_event_loss(&event[i], pure, 1e-9));
    jali_laplace_clear(&law);
    jali_dice_free(dice);
    jali_sheet_clear(&sheet);
    return most;
}

SENTENCE(a_sound_mechanism_is_believed)
{
    UNUSED_STATE;
    liar honest = { .halves = 2 };
    double most = proved(&honest, 1, 4000);
    CHECK(most > 0.5 && most <= 1); /* and not because nothing was seen */
}

SENTENCE(half_the_noise_is_caught)
{
    UNUSED_STATE;
    liar half = { .halves = 1 };
    CHECK(proved(&half, 2, 4000) > 1);
}

SENTENCE(a_group_that_is_left_out_when_empty_is_caught)
{
    UNUSED_STATE;
    liar quiet = { .halves = 2, .quiet_when_void = true };
    CHECK(proved(&quiet, 3, 200) > 1);
}

RUN_ALL(TEST(binomial_bounds_are_those_of_clopper_and_pearson),
        TEST(a_bound_is_where_the_tail_is_alpha), TEST(what_never_happens_proves_nothing),
        TEST(a_sound_mechanism_is_believed), TEST(half_the_noise_is_caught),
        TEST(a_group_that_is_left_out_when_empty_is_caught))
