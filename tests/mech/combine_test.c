/* Refutes combine.sums and combine.tree if it can: every combination enumerated, on hundreds
 * of random instances, for one and two attributes a cluster, with and without shortlists. */
#include "dice/inside.h"
#include "mech/combine_inside.h"
#include "mech/receipt.h"
#include "score/open.h"
#include "support/chi.h"
#include "support/seeded_dice.h"
#include "unit.h"
#include <math.h>
#include <stdlib.h>

enum { MOST_C = 6, MOST_A = 6, MOST_COMBOS = 1500, DRAWS = 300, INSTANCES = 150 };

typedef struct puzzle {
    jali_knot knot;
    uint64_t behind[MOST_C * MOST_A], W[MOST_C * MOST_C * MOST_A];
    bool may[MOST_C * MOST_A];
    jali_wide_rate rate;
    double near;
    size_t combos;
    uint32_t sets, set[MOST_A * MOST_A]; /* subsets of attributes of size `each` */
    double law[MOST_COMBOS];
    bool allowed[MOST_COMBOS];
} puzzle;

static uint64_t roll(uint64_t *seed, uint64_t n)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (*seed >> 11) % n;
}

static void fill(puzzle *p, uint64_t *seed)
{
    jali_knot *k = &p->knot;
    bool shortlist = roll(seed, 2) == 0;
    for (uint32_t c = 0; c < k->n; c++) {
        uint64_t least = UINT64_MAX;
        uint32_t must = (uint32_t)roll(seed, k->attributes);
        for (uint32_t a = 0; a < k->attributes; a++) {
            uint64_t b = roll(seed, 3) == 0 ? 0 : roll(seed, 3000);
            /* two neighbours of `must` are always allowed, so that two can be had */
            bool near_must = (a + k->attributes - must) % k->attributes < 2;
            p->may[c * k->attributes + a] = !shortlist || near_must || roll(seed, 2) == 0;
            p->behind[c * k->attributes + a] = b;
            if (p->may[c * k->attributes + a]) least = b < least ? b : least;
        }
        for (uint32_t a = 0; a < k->attributes; a++) {
            uint64_t *b = &p->behind[c * k->attributes + a];
            *b = *b > least ? *b - least : 0;
        }
    }
    for (uint32_t a = 0; a < k->attributes; a++)
        for (uint32_t c = 0; c < k->n; c++)
            for (uint32_t d = 0; d <= c; d++)
                p->W[(a * k->n + c) * k->n + d] = p->W[(a * k->n + d) * k->n + c] =
                    c == d || roll(seed, 4) == 0 ? 0 : roll(seed, 2500);
}

/* Combination i, cluster by cluster: the set of attributes of cluster c. */
static uint32_t set_in(const puzzle *p, size_t i, uint32_t c)
{
    for (; c > 0; c--) i /= p->sets;
    return p->set[i % p->sets];
}

static double weight(const puzzle *p, size_t i, double with_W, bool *allowed)
{
    const jali_knot *k = &p->knot;
    double behind = 0;
    *allowed = true;
    for (uint32_t c = 0; c < k->n; c++) {
        uint32_t mine = set_in(p, i, c);
        for (uint32_t a = 0; a < k->attributes; a++) {
            if (!(mine >> a & 1)) continue;
            *allowed &= jali_knot_may(k, c, a);
            behind += (double)jali_knot_behind(k, c, a);
            for (uint32_t d = 0; d < c; d++)
                if (set_in(p, i, d) >> a & 1)
                    behind += with_W * (double)jali_knot_W(k, a, c, d);
        }
    }
    return *allowed ? exp(-p->near * behind) : 0;
}

static void enumerate(puzzle *p, double with_W)
{
    double sum = 0;
    for (size_t i = 0; i < p->combos; i++)
        sum += p->law[i] = weight(p, i, with_W, &p->allowed[i]);
    for (size_t i = 0; i < p->combos; i++) p->law[i] /= sum;
}

static void puzzle_make(puzzle *p, uint32_t each, uint64_t *seed)
{
    jali_knot *k = &p->knot;
    do {
        *k = (jali_knot){ 1 + (uint32_t)roll(seed, MOST_C),
                          each + (uint32_t)roll(seed, 5),
                          each,
                          p->behind,
                          p->may,
                          p->W,
                          &p->rate };
        if (k->attributes > MOST_A) k->attributes = MOST_A;
        p->sets = 0;
        for (uint32_t s = 0; s < 1u << k->attributes; s++)
            if ((uint32_t)__builtin_popcount(s) == each) p->set[p->sets++] = s;
        p->combos = 1;
        for (uint32_t c = 0; c < k->n && p->combos <= MOST_COMBOS; c++) p->combos *= p->sets;
    } while (p->combos > MOST_COMBOS);
    mpq_t q;
    mpq_init(q);
    mpq_set_ui(q, 1 + roll(seed, 8), 4000);
    p->near = mpq_get_d(q);
    CHECK_OK(jali_wide_rate_init(&p->rate, q, NULL));
    mpq_clear(q);
    fill(p, seed);
    enumerate(p, 1.0);
}

static size_t index_of(const puzzle *p, const uint32_t *chosen)
{
    const jali_knot *k = &p->knot;
    size_t index = 0;
    for (uint32_t c = k->n; c-- > 0;) {
        uint32_t mine = 0, s = 0;
        for (uint32_t i = 0; i < k->each; i++) mine |= 1u << chosen[c * k->each + i];
        while (p->set[s] != mine) CHECK(++s < p->sets);
        index = index * p->sets + s;
    }
    return index;
}

typedef jali_status sampler(const jali_knot *knot, jali_dice *dice, uint32_t *chosen);

/* Adds the chi-square of one instance: bins of fewer than 5 expected are one bin. */
static void add_chi(const puzzle *p, const uint64_t *seen, double *chi, size_t *freedom)
{
    double rest = 0, got = 0;
    size_t bins = 0;
    for (size_t i = 0; i < p->combos; i++) {
        double expected = p->law[i] * DRAWS;
        if (expected < 5) {
            rest += expected;
            got += (double)seen[i];
            continue;
        }
        *chi += ((double)seen[i] - expected) * ((double)seen[i] - expected) / expected;
        bins++;
    }
    if (rest >= 5) {
        *chi += (got - rest) * (got - rest) / rest;
        bins++;
    }
    if (bins > 1) *freedom += bins - 1;
}

/* P(chi-square of all instances together >= what was seen), for laws with `with_W` times the
 * true pair terms: 1.0 is the truth. Refused below 1e-6, which is then the rate of false
 * alarms; the seed is fixed. */
static double tail(sampler *draw, uint32_t each, double with_W, uint64_t seed, bool doubt)
{
    jali_dice *dice = seeded_dice(seed);
    puzzle *p = malloc(sizeof *p);
    uint64_t *seen = malloc(MOST_COMBOS * sizeof *seen);
    double chi = 0;
    size_t freedom = 0;
    dice->doubt = doubt;
    for (int i = 0; i < (doubt ? 5 : INSTANCES); i++) {
        uint32_t chosen[MOST_C * 2];
        puzzle_make(p, each, &seed);
        memset(seen, 0, MOST_COMBOS * sizeof *seen);
        enumerate(p, with_W);
        for (int n = 0; n < DRAWS; n++) {
            CHECK_OK(draw(&p->knot, dice, chosen));
            for (uint32_t c = 0; c + 1 < p->knot.n * each; c++)
                if (c % each != each - 1) CHECK(chosen[c] < chosen[c + 1]);
            size_t at = index_of(p, chosen);
            CHECK(p->allowed[at]);
            seen[at]++;
        }
        add_chi(p, seen, &chi, &freedom);
    }
    free(seen);
    free(p);
    jali_dice_free(dice);
    return chi_tail(chi, freedom);
}

SENTENCE(sums_draw_every_combination_as_often_as_its_weight_says)
{
    UNUSED_STATE; /* combine.sums */
    CHECK(tail(jali_sums_draw, 1, 1.0, 71, false) > CHI_FALSE_ALARM);
    CHECK(tail(jali_sums_draw, 2, 1.0, 72, false) > CHI_FALSE_ALARM);
    CHECK(tail(jali_sums_draw, 1, 1.0, 73, true) > CHI_FALSE_ALARM);
}

SENTENCE(the_tree_draws_every_combination_as_often_as_its_weight_says)
{
    UNUSED_STATE; /* combine.tree */
    CHECK(tail(jali_tree_draw, 1, 1.0, 81, false) > CHI_FALSE_ALARM);
    CHECK(tail(jali_tree_draw, 2, 1.0, 82, false) > CHI_FALSE_ALARM);
}

/* Samplers that forget what they must not: the last pair, the dead mass, one in fifty. */
static jali_status forgets_pairs(const jali_knot *knot, jali_dice *dice, uint32_t *chosen)
{
    static const uint64_t none[MOST_C * MOST_C * MOST_A];
    jali_knot other = *knot;
    other.W = none;
    return jali_tree_draw(&other, dice, chosen);
}

static jali_status is_too_sure(const jali_knot *knot, jali_dice *dice, uint32_t *chosen)
{
    jali_wide_rate rate = { knot->rate->fixed + knot->rate->fixed / 8 };
    jali_knot other = *knot;
    other.rate = &rate;
    return jali_sums_draw(&other, dice, chosen);
}

SENTENCE(the_tester_refuses_samplers_that_are_nearly_right)
{
    UNUSED_STATE;
    CHECK(tail(forgets_pairs, 1, 1.0, 91, false) < CHI_FALSE_ALARM);
    CHECK(tail(is_too_sure, 1, 1.0, 92, false) < CHI_FALSE_ALARM);
    CHECK(tail(jali_sums_draw, 1, 0.85, 93, false) < CHI_FALSE_ALARM);
    CHECK(tail(jali_tree_draw, 2, 0.85, 94, false) < CHI_FALSE_ALARM);
}

/* ---- the mechanism as a whole ------------------------------------------------------------ */

enum { K = 4, A = 3, COMBOS = 81 };

static uint64_t some_U[K * A], some_W[K * A * 2];

/* Four clusters in two blocks, three attributes; scores of a few ranges. */
static void some_terms(jali_apart *apart, jali_apart_terms *terms)
{
    jali_apart_spec s = { .clusters = K,
                          .attributes = A,
                          .each = 1,
                          .block = 2,
                          .rows_per_person = 1,
                          .interest = 1,
                          .sufficiency = 1,
                          .diversity = 1,
                          .kappa_num = 1,
                          .kappa_den = 1 };
    uint64_t seed = 3;
    CHECK_OK(jali_apart_init(apart, &s, NULL));
    for (size_t i = 0; i < K * A; i++) some_U[i] = roll(&seed, 2 * apart->range);
    for (size_t a = 0; a < A; a++)
        for (size_t b = 0; b < K; b += 2)
            some_W[(a * K + b) * 2 + 1] = some_W[(a * K + b + 1) * 2] =
                roll(&seed, 2 * apart->range);
    *terms = (jali_apart_terms){ apart, some_U, some_W };
}

static double some_score(size_t combo)
{
    double sum = 0;
    size_t at[K];
    for (size_t c = 0; c < K; c++, combo /= A) at[c] = combo % A;
    for (size_t c = 0; c < K; c++) sum += (double)some_U[c * A + at[c]];
    for (size_t c = 0; c < K; c += 2)
        if (at[c] == at[c + 1]) sum -= (double)some_W[(at[c] * K + c) * 2 + 1];
    return sum;
}

/* Is the law exp(eps * score / range) * factor with factor 1? */
static bool combines(jali_combining how, double factor, uint64_t seed)
{
    jali_apart apart;
    jali_apart_terms terms;
    jali_combiner *m;
    jali_dice *dice = seeded_dice(seed);
    uint64_t seen[COMBOS] = { 0 };
    double law[COMBOS], sum = 0;
    mpq_t eps;
    mpq_init(eps);
    mpq_set_ui(eps, 3, 4);
    some_terms(&apart, &terms);
    CHECK_OK(jali_combiner_new(&m, &apart, how, eps, NULL));
    for (size_t i = 0; i < COMBOS; i++)
        sum += law[i] =
            exp(factor * 0.75 * (some_score(i) - some_score(0)) / (double)apart.range);
    for (size_t i = 0; i < COMBOS; i++) law[i] /= sum;
    for (int i = 0; i < 40000; i++) {
        uint32_t chosen[K];
        size_t at = 0;
        jali_charge paid = receipt(jali_combiner_loss(m));
        CHECK_OK(jali_combine(m, &terms, NULL, &paid, dice, chosen, NULL));
        CHECK(used_up(&paid));
        for (size_t c = K; c-- > 0;) at = at * A + chosen[c];
        seen[at]++;
    }
    jali_combiner_free(m);
    jali_apart_clear(&apart);
    jali_dice_free(dice);
    mpq_clear(eps);
    return chi_fits(seen, law, COMBOS);
}

SENTENCE(a_choice_in_blocks_is_one_exponential_mechanism_with_the_range)
{
    UNUSED_STATE; /* combine.exponential; false alarms 1e-6 each */
    CHECK(combines(JALI_COMBINE_SUMS, 1, 5));
    CHECK(combines(JALI_COMBINE_TREE, 1, 6));
    CHECK(!combines(JALI_COMBINE_SUMS, 1.12, 7));
}

SENTENCE(the_price_is_eps_and_an_eighth_of_its_square)
{
    UNUSED_STATE; /* combine.exponential */
    jali_apart apart;
    jali_apart_terms terms;
    jali_combiner *m;
    jali_err err;
    mpq_t eps;
    mpq_init(eps);
    mpq_set_ui(eps, 1, 10);
    some_terms(&apart, &terms);
    CHECK_OK(jali_combiner_new(&m, &apart, JALI_COMBINE_SUMS, eps, NULL));
    jali_loss loss = jali_combiner_loss(m);
    CHECK(loss.eps_pico == 100000000000 && loss.rho_pico == 1250000000 && !loss.eps_infinite);

    uint32_t chosen[K] = { 77, 77, 77, 77 };
    jali_loss less = loss;
    less.eps_pico--;
    jali_charge short_of = receipt(less);
    CHECK(jali_combine(m, &terms, NULL, &short_of, NULL, chosen, &err) == JALI_E_INTERNAL);
    CHECK(chosen[0] == 77);
    jali_dice *dead = failing_dice(1, 1);
    jali_charge paid = receipt(loss);
    CHECK(jali_combine(m, &terms, NULL, &paid, dead, chosen, &err) == JALI_E_ENTROPY);
    CHECK_REFUSED(err, JALI_E_ENTROPY, JALI_FOR_ANALYST, "the charge stands");
    CHECK(chosen[0] == 77 && used_up(&paid));
    jali_dice_free(dead);
    jali_combiner_free(m);
    mpq_set_ui(eps, 1, 1000000000);
    mpq_div_2exp(eps, eps, 24);
    CHECK(jali_combiner_new(&m, &apart, JALI_COMBINE_SUMS, eps, &err) == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "roundings");
    jali_apart_clear(&apart);
    mpq_clear(eps);
}

SENTENCE(the_sampler_is_chosen_by_public_numbers)
{
    UNUSED_STATE;
    jali_apart_spec s = { .clusters = 15, .attributes = 68, .each = 1 };
    CHECK((s.block = jali_combine_block(15, 68, 1)) == 15);
    CHECK(jali_combine_how(&s) == JALI_COMBINE_SUMS);
    CHECK((s.block = jali_combine_block(20, 68, 1)) == 10);
    CHECK(jali_combine_how(&s) == JALI_COMBINE_SUMS);
    /* No plan may take the time or the memory that the data asks for. */
    for (uint32_t clusters = 1; clusters <= JALI_APART_CLUSTERS; clusters++)
        for (uint32_t attributes = 1; attributes <= 4096; attributes *= 8) {
            s.clusters = clusters;
            s.block = jali_combine_block(clusters, attributes, 1);
            CHECK(jali_combine_how(&s) == JALI_COMBINE_SUMS);
            CHECK(s.block >= 2 || clusters == 1);
            CHECK((uint64_t)16 * attributes << s.block <= (uint64_t)1 << 28);
        }
    CHECK((s.block = jali_combine_block(30, 68, 1)) == 15);
    CHECK(jali_combine_how(&s) == JALI_COMBINE_SUMS);
    CHECK(jali_combine_block(255, 68, 1) >= 12 && jali_combine_block(255, 68, 1) <= 15);
    CHECK(jali_combine_block(9, 47, 2) == 9);
    CHECK(jali_combine_block(255, 4096, 8) >= 2);
}

/* The inner loop against itself without vectors: any n, weights far apart. */
SENTENCE(folding_is_the_same_with_and_without_vectors)
{
    UNUSED_STATE;
    uint64_t seed = 17;
    for (uint32_t n = 2; n <= 9; n++) {
        double m[3][512], e[3][512], *scratch = malloc(jali_sums_scratch(n) * sizeof *scratch);
        for (size_t i = 0; i < (size_t)1 << n; i++)
            for (int k = 0; k < 2; k++) {
                bool none = roll(&seed, 5) == 0 && i > 0;
                m[k][i] =
                    none ? 0
                         : ldexp(1 + (double)roll(&seed, 1000) / 1000, (int)roll(&seed, 256));
                e[k][i] = none ? JALI_WIDE_NEVER : -(double)roll(&seed, 7);
            }
        jali_sums_fold(n, (jali_sheaf){ m[0], e[0] }, (jali_sheaf){ m[1], e[1] },
                       (jali_sheaf){ m[2], e[2] }, scratch);
        for (uint32_t s = 0; s < 1u << n; s++) {
            jali_wide sum = jali_wide_zero();
            uint32_t t = 0;
            do {
                sum = jali_wide_add(sum, jali_wide_mul((jali_wide){ m[0][s ^ t], e[0][s ^ t] },
                                                       (jali_wide){ m[1][t], e[1][t] }));
                t = (t - s) & s;
            } while (t != 0);
            CHECK(m[2][s] == 0 ? sum.m == 0 : e[2][s] == sum.e || fabs(e[2][s] - sum.e) == 1);
            if (m[2][s] > 0 && e[2][s] == sum.e) CHECK(fabs(m[2][s] / sum.m - 1) < 1e-12);
        }
        free(scratch);
    }
}

RUN_ALL(TEST(a_choice_in_blocks_is_one_exponential_mechanism_with_the_range),
        TEST(the_price_is_eps_and_an_eighth_of_its_square),
        TEST(the_sampler_is_chosen_by_public_numbers),
        TEST(folding_is_the_same_with_and_without_vectors),
        TEST(sums_draw_every_combination_as_often_as_its_weight_says),
        TEST(the_tree_draws_every_combination_as_often_as_its_weight_says),
        TEST(the_tester_refuses_samplers_that_are_nearly_right))
