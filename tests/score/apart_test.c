/* Refutes score.apart.steps if it can: plain arithmetic on random tables, and edges. */
#include "score/clusters.h"

static jali_apart_spec spec_of(const crowd *d)
{
    return (jali_apart_spec){ .clusters = (uint32_t)d->C,
                              .attributes = (uint32_t)d->A,
                              .each = 1,
                              .block = (uint32_t)d->C,
                              .rows_per_person = 1,
                              .interest = 1,
                              .sufficiency = 1,
                              .diversity = 1,
                              .kappa_num = 1,
                              .kappa_den = 1 };
}

/* exact - e, 0 <= e < most; doubles are good to 1e-7 steps of 2^27 at these sizes. */
static void check_step(uint64_t got, double exact, double most)
{
    double slack = 1e-6 * (1 + exact * 1e-6);
    CHECK((double)got <= exact + slack);
    CHECK((double)got > exact - most - slack);
}

static void check_terms(const crowd *d, const jali_apart_spec *spec)
{
    jali_apart a;
    jali_arena arena = { 0 };
    sealed s;
    const jali_apart_terms *t;
    CHECK_OK(jali_apart_init(&a, spec, NULL));
    crowd_seal(d, &s);
    CHECK_OK(jali_apart_fill(&a, s.counts, &arena, &t, NULL));
    double step = ldexp(1, (int)a.grid), kappa = (double)spec->kappa_num / spec->kappa_den;
    for (int c = 0; c < d->C; c++)
        for (int A = 0; A < d->A; A++)
            check_step(t->U[c * d->A + A],
                       step * (spec->interest * plain_int(d, c, A) +
                               spec->sufficiency * plain_suf(d, c, A, kappa)),
                       3);
    for (uint32_t i = 0, first, n; i < jali_apart_blocks(spec); i++) {
        jali_apart_block_of(spec, i, &first, &n);
        for (uint32_t c = 0; c < n; c++)
            for (uint32_t e = 0; e < c; e++)
                for (int A = 0; A < d->A; A++) {
                    double pair = 2.0 * spec->diversity / (spec->block * spec->each - 1);
                    size_t at = ((size_t)A * spec->clusters + first + c) * spec->block + e;
                    check_step(
                        t->W[at],
                        step * pair * plain_like(d, (int)(first + c), (int)(first + e), A), 1);
                }
    }
    jali_arena_clear(&arena);
    jali_apart_clear(&a);
}

SENTENCE(terms_are_the_papers_in_steps_of_the_grid)
{
    UNUSED_STATE; /* score.apart.steps */
    uint64_t seed = 11;
    for (int i = 0; i < 3000; i++) {
        crowd d;
        crowd_make(&d, 1 + (int)crowd_roll(&seed, MC), 1 + (int)crowd_roll(&seed, MA),
                   1 + (int)crowd_roll(&seed, MV), &seed);
        jali_apart_spec s = spec_of(&d);
        s.interest = (uint32_t)crowd_roll(&seed, 4);
        s.sufficiency = (uint32_t)crowd_roll(&seed, 4);
        s.diversity = 1 + (uint32_t)crowd_roll(&seed, 3);
        s.kappa_den = 1 + (uint32_t)crowd_roll(&seed, 9);
        s.kappa_num = 1 + (uint32_t)crowd_roll(&seed, s.kappa_den);
        if (d.C > 3) s.block = 2 + (uint32_t)crowd_roll(&seed, (uint64_t)d.C - 1);
        if (d.A > 1) s.each = 1 + (uint32_t)crowd_roll(&seed, 2);
        check_terms(&d, &s);
    }
}

SENTENCE(an_empty_table_and_a_full_one_have_terms)
{
    UNUSED_STATE; /* score.apart.steps */
    crowd d = { .C = 3, .A = 2, .V = 2 };
    jali_apart_spec s = spec_of(&d);
    check_terms(&d, &s);
    for (int c = 0; c < 3; c++) { /* as many rows as a vault can hold */
        d.n[c] = (INT64_C(1) << 32) / 3;
        for (int a = 0; a < 2; a++) d.h[c][a][c % 2] = d.n[c];
    }
    s.interest = s.sufficiency = s.diversity = JALI_APART_WEIGHT;
    check_terms(&d, &s);
    s.interest = s.sufficiency = 0;
    check_terms(&d, &s);
}

SENTENCE(blocks_are_as_equal_as_can_be)
{
    UNUSED_STATE;
    for (uint32_t clusters = 2; clusters <= JALI_APART_CLUSTERS; clusters++)
        for (uint32_t block = 2; block <= clusters && block <= 20; block++) {
            jali_apart_spec s = { .clusters = clusters, .block = block };
            uint32_t at = 0, first, n, least = UINT32_MAX, most = 0;
            for (uint32_t i = 0; i < jali_apart_blocks(&s); i++) {
                jali_apart_block_of(&s, i, &first, &n);
                CHECK(first == at && n <= block);
                at += n;
                least = n < least ? n : least;
                most = n > most ? n : most;
            }
            CHECK(at == clusters && most - least <= 1);
        }
}

SENTENCE(what_makes_no_sense_is_refused)
{
    UNUSED_STATE;
    crowd d = { .C = 3, .A = 2, .V = 2 };
    jali_apart a;
    jali_err err;
    jali_apart_spec s = spec_of(&d);
    s.clusters = 256;
    CHECK(jali_apart_init(&a, &s, &err) == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "not 256");
    s = spec_of(&d);
    s.each = 3;
    CHECK(jali_apart_init(&a, &s, &err) == JALI_E_USAGE);
    s = spec_of(&d);
    s.interest = s.sufficiency = s.diversity = 0;
    CHECK(jali_apart_init(&a, &s, &err) == JALI_E_USAGE);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "not all 0");
}

RUN_ALL(TEST(terms_are_the_papers_in_steps_of_the_grid),
        TEST(an_empty_table_and_a_full_one_have_terms), TEST(blocks_are_as_equal_as_can_be),
        TEST(what_makes_no_sense_is_refused))
