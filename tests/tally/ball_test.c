/* Refutes ball.reach if it can: counts and radii by hand, vectors of every single row, rows
 * that lie at the farthest corner, threads. */
#include "plane.h"
#include "tally/offsets.h"
#include "tally/open.h"
#include <math.h>
#include <string.h>

enum { AXES = 6, LABELS = 5, ROWS = 700 };

static void roll_centres(plane *w, uint16_t *centre)
{
    for (size_t i = 0; i < LABELS * AXES; i++)
        centre[i] = (uint16_t)small_roll(&w->data, w->frame.axis[i % AXES].top + 1);
}

static uint64_t square_to(const plane *w, const uint16_t *centre, size_t row)
{
    uint64_t all = 0;
    for (size_t j = 0; j < AXES; j++) {
        int64_t d = (int64_t)plane_at(w, j, row) - centre[j];
        all += (uint64_t)(d * d);
    }
    return all;
}

SENTENCE(counts_and_radii_are_those_of_a_count_by_hand)
{
    UNUSED_STATE;
    plane w;
    uint16_t centre[LABELS * AXES];
    jali_marks *marks;
    const jali_tally *counts, *far;
    plane_open(&w, ROWS, 11);
    CHECK(w.frame.n == AXES);
    roll_centres(&w, centre);
    CHECK_OK(jali_marks_new(&marks, w.data.columns, &w.arena, NULL));
    CHECK_OK(jali_ball_near(&w.ground, centre, LABELS, marks, &counts, &far, NULL));
    int64_t by_hand[LABELS] = { 0 }, outside[JALI_RADII] = { 0 };
    for (size_t r = 0; r < ROWS; r++) {
        size_t best = 0;
        for (size_t l = 1; l < LABELS; l++)
            if (square_to(&w, centre + l * AXES, r) < square_to(&w, centre + best * AXES, r))
                best = l;
        CHECK(marks->at[r] == best);
        by_hand[best]++;
        for (unsigned i = 0; i < JALI_RADII; i++)
            outside[i] += (double)square_to(&w, centre + best * AXES, r) >
                          jali_radius_at(i) * jali_radius_at(i) + 0.5;
    }
    assert_memory_equal(by_hand, counts->cell, sizeof by_hand);
    assert_memory_equal(outside, far->cell, sizeof outside);
    CHECK(counts->reach.l2 == 1 && far->reach.linf == 1);
    plane_close(&w);
}

/* The vector that one row adds: the sums of a table that has only this row. */
static double length_of_one(uint64_t seed, float radius, double *most)
{
    plane w;
    jali_marks *marks;
    const jali_tally *sums;
    float centre[AXES], one = radius;
    plane_open(&w, 1, seed);
    for (size_t j = 0; j < AXES; j++)
        centre[j] = (float)small_roll(&w.data, w.frame.axis[j].top + 1) + 0.37f;
    CHECK_OK(jali_marks_new(&marks, w.data.columns, &w.arena, NULL));
    jali_balls balls = { .labels = 1, .centre = centre, .radius = &one };
    CHECK_OK(jali_ball_sums(&w.ground, marks, &balls, &sums, NULL));
    double square = 0;
    for (size_t j = 0; j < AXES; j++) square += (double)sums->cell[j] * (double)sums->cell[j];
    CHECK(sums->reach.l2 == JALI_BALL_UNITS);
    *most = fmax(*most, sqrt(square));
    plane_close(&w);
    return sqrt(square);
}

/* ball.reach: no row adds a longer vector; and a constant 1 % below would be refuted. */
SENTENCE(no_row_adds_a_vector_longer_than_the_ball)
{
    UNUSED_STATE;
    double most = 0;
    for (uint64_t seed = 1; seed < 400; seed++) {
        CHECK(length_of_one(seed, 1, &most) <= JALI_BALL_UNITS);
        CHECK(length_of_one(seed, 3000, &most) <= JALI_BALL_UNITS);
        CHECK(length_of_one(seed, 0, &most) <= JALI_BALL_UNITS); /* a radius of 0 is our bug */
        CHECK(length_of_one(seed, NAN, &most) <= JALI_BALL_UNITS);
    }
    CHECK(most > 0.99 * JALI_BALL_UNITS);
}

/* Mutant person-forgotten-in-ball lived until this was here: the rows of one person, alone in
 * their table, add up to no more than the reach, and to more than one row could. */
SENTENCE(a_person_of_m_rows_adds_no_more_than_m_balls)
{
    UNUSED_STATE;
    enum { M = 3 };
    double most = 0;
    for (uint64_t seed = 1; seed < 200; seed++) {
        plane w;
        uint16_t near[LABELS * AXES];
        jali_marks *marks;
        const jali_tally *counts, *far, *sums;
        float centre[AXES] = { 0 }, one = 1;
        double square = 0;
        plane_open(&w, M, seed);
        w.ground.rows_per_person = M;
        roll_centres(&w, near);
        CHECK_OK(jali_marks_new(&marks, w.data.columns, &w.arena, NULL));
        CHECK_OK(jali_ball_near(&w.ground, near, 1, marks, &counts, &far, NULL));
        CHECK(counts->reach.l1 == M && counts->reach.l2 == M && far->reach.linf == M);
        CHECK(counts->cell[0] == M);
        jali_balls balls = { .labels = 1, .centre = centre, .radius = &one };
        CHECK_OK(jali_ball_sums(&w.ground, marks, &balls, &sums, NULL));
        for (size_t j = 0; j < AXES; j++)
            square += (double)sums->cell[j] * (double)sums->cell[j];
        CHECK(sums->reach.l2 == M * (uint64_t)JALI_BALL_UNITS);
        CHECK(sqrt(square) <= (double)sums->reach.l2);
        most = fmax(most, sqrt(square));
        plane_close(&w);
    }
    CHECK(most > (M - 0.5) * JALI_BALL_UNITS);
}

SENTENCE(sums_are_those_of_shortened_offsets)
{
    UNUSED_STATE;
    plane w;
    uint16_t coordinate[LABELS * AXES];
    jali_marks *marks;
    const jali_tally *counts, *far, *sums, *again;
    float centre[LABELS * AXES], radius[LABELS];
    double by_hand[LABELS * AXES] = { 0 };
    plane_open(&w, ROWS, 5);
    roll_centres(&w, coordinate);
    for (size_t i = 0; i < LABELS * AXES; i++) centre[i] = coordinate[i];
    for (size_t l = 0; l < LABELS; l++) radius[l] = 2000 + 1000 * (float)l;
    CHECK_OK(jali_marks_new(&marks, w.data.columns, &w.arena, NULL));
    CHECK_OK(jali_ball_near(&w.ground, coordinate, LABELS, marks, &counts, &far, NULL));
    jali_balls balls = { .labels = LABELS, .centre = centre, .radius = radius, .inside = true };
    CHECK_OK(jali_ball_sums(&w.ground, marks, &balls, &sums, NULL));
    for (size_t r = 0; r < ROWS; r++) {
        size_t l = marks->at[r];
        double length = sqrt((double)square_to(&w, coordinate + l * AXES, r));
        double keep = length > radius[l] ? radius[l] / length : 1;
        for (size_t j = 0; j < AXES; j++)
            by_hand[l * AXES + j] +=
                keep * ((double)plane_at(&w, j, r) - coordinate[l * AXES + j]);
    }
    for (size_t i = 0; i < LABELS * AXES; i++) { /* coordinates are whole, places are not */
        double unit = radius[i / AXES] * jali_ball_unit(AXES);
        CHECK(fabs((double)sums->cell[i] * unit - by_hand[i]) < 1.5 * ROWS);
    }
    jali_pool *pool;
    CHECK_OK(jali_pool_new(&pool, 3, NULL));
    w.ground.pool = pool;
    CHECK_OK(jali_ball_sums(&w.ground, marks, &balls, &again, NULL));
    assert_memory_equal(again->cell, sums->cell, sums->n * sizeof *sums->cell);
    jali_pool_free(pool);
    plane_close(&w);
}

/* Rows, centres and radii from anywhere, some of them no numbers at all. */
static void roll_offsets(plane *w, float *x, size_t n, float span)
{
    for (size_t i = 0; i < n; i++)
        x[i] = ((float)small_roll(&w->data, 20001) - 5000) * span / 10000;
    if (n > 0 && small_roll(&w->data, 4) == 0) x[small_roll(&w->data, n)] = NAN;
    if (n > 0 && small_roll(&w->data, 4) == 0) x[small_roll(&w->data, n)] = 1e30f;
}

SENTENCE(vectors_add_the_same_offsets_as_their_plain_twin)
{
    UNUSED_STATE;
    enum { MOST = 5, MANY = 29 };
    plane w;
    plane_open(&w, 1, 23);
    for (size_t round = 0; jali_offsets_avx2() != NULL && round < 300; round++) {
        size_t sides = 1 + round % MOST, stride = 8 * sides;
        float place[MANY * MOST * 8], centre[LABELS * MOST * 8], radius[LABELS], top[MOST * 8];
        int32_t sum[2][LABELS * MOST * 8] = { { 0 } };
        uint16_t label[MANY];
        roll_offsets(&w, place, MANY * stride, 8000);
        roll_offsets(&w, centre, LABELS * stride, 8000);
        for (size_t l = 0; l < LABELS; l++) radius[l] = (float)small_roll(&w.data, 9000);
        for (size_t j = 0; j < stride; j++) top[j] = 7000;
        for (size_t i = 0; i < MANY; i++) label[i] = (uint16_t)small_roll(&w.data, LABELS);
        jali_offsets s = { sides, centre, radius, round % 3 == 0 ? top : NULL, 32760 };
        jali_offsets_plain(&s, place, label, MANY - round % 9, sum[0]);
        jali_offsets_avx2()(&s, place, label, MANY - round % 9, sum[1]);
        assert_memory_equal(sum[0], sum[1], sizeof sum[0]);
    }
    plane_close(&w);
}

SENTENCE(a_table_without_rows_has_sums_of_zero)
{
    UNUSED_STATE;
    plane w;
    jali_marks *marks;
    const jali_tally *sums;
    float centre[AXES] = { 0 }, radius = 5;
    plane_open(&w, 0, 5);
    CHECK_OK(jali_marks_new(&marks, w.data.columns, &w.arena, NULL));
    jali_balls balls = { .labels = 1, .centre = centre, .radius = &radius };
    CHECK_OK(jali_ball_sums(&w.ground, marks, &balls, &sums, NULL));
    for (size_t j = 0; j < AXES; j++) CHECK(sums->cell[j] == 0);
    plane_close(&w);
}

static void step_once(plane *w, jali_marks *marks, const uint16_t *centre, bool inside,
                      const jali_tally *out[3])
{
    float place[LABELS * AXES], radius[LABELS];
    for (size_t i = 0; i < LABELS * AXES; i++) place[i] = (float)centre[i] + 0.25f;
    for (size_t l = 0; l < LABELS; l++) radius[l] = 3000;
    jali_balls balls = {
        .labels = LABELS, .centre = place, .radius = radius, .inside = inside
    };
    CHECK_OK(jali_ball_near(&w->ground, centre, LABELS, marks, &out[0], &out[1], NULL));
    CHECK_OK(jali_ball_sums(&w->ground, marks, &balls, &out[2], NULL));
}

/* The frame changes at turn 3, other centres come every turn: a pass that believes what an
 * older frame left behind is caught. */
SENTENCE(what_is_kept_between_passes_changes_no_number)
{
    UNUSED_STATE;
    plane w;
    uint16_t centre[LABELS * AXES];
    jali_marks *kept, *fresh;
    plane_open(&w, ROWS, 17);
    jali_frame frame = w.frame;
    jali_ruler axis[AXES];
    memcpy(axis, frame.axis, sizeof axis);
    frame.axis = axis;
    w.ground.frame = &frame;
    CHECK_OK(jali_marks_new(&kept, w.data.columns, &w.arena, NULL));
    CHECK_OK(jali_marks_new(&fresh, w.data.columns, &w.arena, NULL));
    jali_marks_keep(kept, JALI_KEEP_PLACES);
    for (int turn = 0; turn < 6; turn++) {
        const jali_tally *a[3], *b[3];
        if (turn == 3)
            for (size_t j = 0; j < AXES; j++) axis[j].mul /= 2;
        roll_centres(&w, centre);
        step_once(&w, kept, centre, turn % 2 == 1, a);
        step_once(&w, fresh, centre, turn % 2 == 1, b);
        assert_memory_equal(kept->at, fresh->at, ROWS * sizeof *kept->at);
        for (int i = 0; i < 3; i++)
            assert_memory_equal(a[i]->cell, b[i]->cell, a[i]->n * sizeof *a[i]->cell);
    }
    plane_close(&w);
}

RUN_ALL(TEST(vectors_add_the_same_offsets_as_their_plain_twin),
        TEST(what_is_kept_between_passes_changes_no_number),
        TEST(counts_and_radii_are_those_of_a_count_by_hand),
        TEST(no_row_adds_a_vector_longer_than_the_ball),
        TEST(a_person_of_m_rows_adds_no_more_than_m_balls),
        TEST(sums_are_those_of_shortened_offsets), TEST(a_table_without_rows_has_sums_of_zero))
