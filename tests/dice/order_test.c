/* Refutes dice.order if it can: crowds against enumeration, huge crowds, exact tier. */
#include "dice/laws.h"
#include "dice/peel.h"
#include "dice/topk.h"
#include "unit.h"

/* Candidates first, then groups: classes 0 .. n_active-1, n_active .. */
struct field {
    const char *rate;
    size_t n_active, n_groups, k;
    int64_t active[4];
    struct {
        int64_t score;
        uint64_t size;
    } group[4];
};

static size_t race(const struct field *f, const jali_rate *r, jali_dice *d, bool groups_first)
{
    jali_topk *t;
    jali_winner w[8];
    size_t n, o = 0;
    CHECK_OK(jali_topk_new(&t, r, f->k, NULL));
    if (!groups_first) CHECK_OK(jali_topk_offer(t, d, f->active, f->n_active));
    for (size_t g = 0; g < f->n_groups; g++)
        CHECK_OK(jali_topk_offer_group(t, d, f->group[g].score, f->group[g].size));
    if (groups_first) CHECK_OK(jali_topk_offer(t, d, f->active, f->n_active));
    CHECK_OK(jali_topk_finish(t, d, w, &n));
    assert_int_equal(n, f->k);
    for (size_t i = 0; i < n; i++)
        o = o * (f->n_active + f->n_groups) + (size_t)w[i].index +
            (w[i].grouped ? f->n_active : 0);
    jali_topk_free(t);
    return o;
}

/* `wrong` scales the size of group 0 in the claimed law: 1 is the truth. */
static bool follows(const struct field *f, size_t draws, bool groups_first, bool doubt,
                    double wrong)
{
    mpq_t q;
    jali_rate r;
    jali_dice *d = seeded_dice(17);
    uint64_t seen[512] = { 0 };
    double law[512], rate;
    peel_class at[8];
    size_t n = f->n_active + f->n_groups, outcomes = 1;
    d->doubt = doubt;
    rational(q, f->rate);
    rate = mpq_get_d(q);
    CHECK_OK(jali_rate_init(&r, q, NULL));
    for (size_t i = 0; i < draws; i++) seen[race(f, &r, d, groups_first)]++;
    for (size_t i = 0; i < f->n_active; i++)
        at[i] = (peel_class){ rate * (double)f->active[i], 1 };
    for (size_t g = 0; g < f->n_groups; g++)
        at[f->n_active + g] = (peel_class){ rate * (double)f->group[g].score,
                                            (double)f->group[g].size * (g == 0 ? wrong : 1) };
    for (size_t i = 0; i < f->k; i++) outcomes *= n;
    CHECK(outcomes <= 512);
    peel_law(at, n, f->k, law);
    jali_rate_clear(&r);
    jali_dice_free(d);
    mpq_clear(q);
    return chi_fits(seen, law, outcomes);
}

static const struct field small = { .rate = "1/2",
                                    .n_active = 2,
                                    .n_groups = 2,
                                    .k = 4,
                                    .active = { 3, -1 },
                                    .group = { { 0, 5 }, { 1, 2 } } };

SENTENCE(a_crowd_runs_as_if_each_had_been_offered)
{
    UNUSED_STATE;
    CHECK(follows(&small, 100000, false, false, 1));
    CHECK(follows(&small, 50000, true, false, 1));
}

SENTENCE(the_exact_tier_keeps_the_law)
{
    UNUSED_STATE;
    CHECK(follows(&small, 5000, false, true, 1));
}

SENTENCE(a_crowd_counted_wrongly_is_refused)
{
    UNUSED_STATE;
    CHECK(!follows(&small, 100000, false, false, 1.2));
}

/* e^41 is 6.4e17: three candidates against 10^18 that are 41 points behind. */
SENTENCE(ten_to_the_eighteen_are_not_enumerated)
{
    UNUSED_STATE;
    const struct field huge = { .rate = "1",
                                .n_active = 3,
                                .n_groups = 1,
                                .k = 3,
                                .active = { 41, 40, 42 },
                                .group = { { 0, UINT64_C(1000000000000000000) } } };
    CHECK(follows(&huge, 60000, false, false, 1));
    CHECK(!follows(&huge, 60000, false, false, 1.2));
    CHECK(follows(&huge, 3000, false, true, 1));
}

SENTENCE(a_crowd_of_one_is_a_candidate_and_of_none_is_nobody)
{
    UNUSED_STATE;
    const struct field odd = { .rate = "1",
                               .n_active = 1,
                               .n_groups = 3,
                               .k = 3,
                               .active = { 0 },
                               .group = { { 1, 1 }, { 5, 0 }, { -1, 1 } } };
    CHECK(follows(&odd, 30000, false, false, 1));
}

/* The same words, with and without belief in the filter: the same order, also for k so
 * large that a crowd is used up. */
SENTENCE(the_exact_tier_finds_the_same_order)
{
    UNUSED_STATE;
    mpq_t q;
    jali_rate r;
    rational(q, "1/3");
    CHECK_OK(jali_rate_init(&r, q, NULL));
    for (uint64_t seed = 0; seed < 200; seed++) {
        jali_winner w[2][40];
        for (int slow = 0; slow < 2; slow++) {
            jali_dice *d = seeded_dice(seed);
            jali_topk *t;
            size_t n;
            d->doubt = slow == 1;
            CHECK_OK(jali_topk_new(&t, &r, 40, NULL));
            CHECK_OK(jali_topk_offer_group(t, d, -3, 25));
            CHECK_OK(jali_topk_offer(t, d, (int64_t[]){ 1, 2, 3, INT64_MIN }, 4));
            CHECK_OK(jali_topk_offer_group(t, d, -20, UINT64_MAX));
            CHECK_OK(jali_topk_finish(t, d, w[slow], &n));
            assert_int_equal(n, 40);
            jali_topk_free(t);
            jali_dice_free(d);
        }
        for (int i = 0; i < 40; i++)
            CHECK(w[0][i].grouped == w[1][i].grouped && w[0][i].index == w[1][i].index);
    }
    jali_rate_clear(&r);
    mpq_clear(q);
}

RUN_ALL(TEST(a_crowd_runs_as_if_each_had_been_offered), TEST(the_exact_tier_keeps_the_law),
        TEST(a_crowd_counted_wrongly_is_refused), TEST(ten_to_the_eighteen_are_not_enumerated),
        TEST(a_crowd_of_one_is_a_candidate_and_of_none_is_nobody),
        TEST(the_exact_tier_finds_the_same_order))
