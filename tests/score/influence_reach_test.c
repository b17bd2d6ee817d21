/* Refutes score.influence.count, score.influence.sum, score.influence.avg and
 * score.influence.range if it can: all neighbours of small tables, and families of large ones
 * that come within 1% of the constants. Every score is made by the real function. */
#include "score/crowd.h"

static const int32_t against[] = { 1, -1 }, heavy[] = { 3, -3 }, three[] = { 2, -1, -1 },
                     mixed[] = { 1, -3, 1 }, same[] = { 1, 1 }, lonely[] = { 1 },
                     idle[] = { 1, -1, 0 };

/* The largest change of one score, and the largest spread of changes, that were seen. */
typedef struct moved {
    int64_t most, spread;
} moved;

static crowd part[CROWD_MOST], joined[CROWD_MOST];
static int64_t before[CROWD_MOST], after[CROWD_MOST];

/* All sets of rows, up to which of several equal rows they take. */
static size_t all_parts(const crowd *all, unsigned groups)
{
    size_t n = 1;
    part[0] = (crowd){ { 0 }, { 0 } };
    for (unsigned k = 0; k < 2 * groups; k++) {
        int64_t most = k % 2 ? all->top[k / 2] : all->bottom[k / 2];
        size_t had = n;
        for (int64_t x = 1; x <= most; x++)
            for (size_t i = 0; i < had; i++) {
                CHECK(n < CROWD_MOST);
                part[n] = part[i];
                *(k % 2 ? &part[n].top[k / 2] : &part[n].bottom[k / 2]) = x;
                n++;
            }
    }
    return n;
}

/* kind = 2 * group + (is the value at the top?) */
static void add_row(crowd *c, unsigned kind)
{
    *(kind % 2 ? &c->top[kind / 2] : &c->bottom[kind / 2]) += 1;
}

static void note(moved *seen, size_t n, int64_t *low, int64_t *high)
{
    for (size_t i = 0; i < n; i++) {
        int64_t d = after[i] - before[i], size = d < 0 ? -d : d;
        *low = d < *low ? d : *low;
        *high = d > *high ? d : *high;
        seen->most = size > seen->most ? size : seen->most;
    }
    if (*high - *low > seen->spread) seen->spread = *high - *low;
}

/* One person with `rows` rows joins; each row is in a predicate or not, in every way. */
static void join(const jali_influence *inf, const crowd *all, size_t n, unsigned rows,
                 const unsigned *kind, moved *seen)
{
    int64_t low = INT64_MAX, high = INT64_MIN;
    crowd more = *all;
    for (unsigned r = 0; r < rows; r++) add_row(&more, kind[r]);
    for (unsigned in = 0; in < 1u << rows; in++) {
        for (size_t i = 0; i < n; i++) {
            joined[i] = part[i];
            for (unsigned r = 0; r < rows; r++)
                if (in >> r & 1) add_row(&joined[i], kind[r]);
        }
        crowd_scores(inf, &more, joined, n, after);
        note(seen, n, &low, &high);
    }
}

static void everybody_joins(const jali_influence *inf, const crowd *all, unsigned rows,
                            moved *seen)
{
    unsigned kinds = 2 * inf->spec.groups, ways = rows == 1 ? kinds : kinds * kinds;
    size_t n = all_parts(all, inf->spec.groups);
    crowd_scores(inf, all, part, n, before);
    for (unsigned way = 0; way < ways; way++) {
        unsigned kind[2] = { way % kinds, way / kinds };
        bool tops = kind[0] % 2 == 1 && (rows == 1 || kind[1] % 2 == 1);
        if (inf->spec.of == JALI_INFLUENCE_COUNT && !tops) continue;
        join(inf, all, n, rows, kind, seen);
    }
}

/* All tables with at most `most` rows in each group. COUNT has rows of one kind only. */
static moved try_all(const jali_influence *inf, int64_t most, unsigned rows)
{
    moved seen = { 0, 0 };
    int64_t kinds = 2 * (int64_t)inf->spec.groups, base = most + 1, worlds = 1;
    for (int64_t k = 0; k < kinds; k++) worlds *= base;
    for (int64_t code = 0; code < worlds; code++) {
        crowd all = { { 0 }, { 0 } };
        int64_t rest = code;
        bool fits = true;
        for (int64_t k = 0; k < kinds; k++, rest /= base)
            *(k % 2 ? &all.top[k / 2] : &all.bottom[k / 2]) = rest % base;
        for (unsigned j = 0; j < inf->spec.groups; j++)
            fits = fits && crowd_rows(&all, j) <= most &&
                   (inf->spec.of != JALI_INFLUENCE_COUNT || all.bottom[j] == 0);
        if (fits) everybody_joins(inf, &all, rows, &seen);
    }
    return seen;
}

static bool within(const jali_influence *inf, moved seen)
{
    return (uint64_t)seen.most <= inf->sensitivity && (uint64_t)seen.spread <= inf->range;
}

static bool holds(jali_influence_of of, unsigned groups, const int32_t *w, int64_t low,
                  uint64_t width, int64_t most, uint32_t m)
{
    jali_influence inf = crowd_question(of, groups, w, low, width, m);
    moved seen = try_all(&inf, most, m);
    return (width == 0 || seen.most > 0) && within(&inf, seen);
}

SENTENCE(no_neighbour_of_a_small_table_moves_counts_further)
{
    UNUSED_STATE;
    CHECK(holds(JALI_INFLUENCE_COUNT, 2, against, 0, 1, 24, 1));
    CHECK(holds(JALI_INFLUENCE_COUNT, 2, heavy, 0, 1, 6, 1));
    CHECK(holds(JALI_INFLUENCE_COUNT, 2, same, 0, 1, 8, 1));
    CHECK(holds(JALI_INFLUENCE_COUNT, 1, lonely, 0, 1, 40, 1));
    CHECK(holds(JALI_INFLUENCE_COUNT, 3, three, 0, 1, 3, 1));
    CHECK(holds(JALI_INFLUENCE_COUNT, 3, mixed, 0, 1, 3, 1));
}

SENTENCE(no_neighbour_of_a_small_table_moves_sums_further)
{
    UNUSED_STATE;
    CHECK(holds(JALI_INFLUENCE_SUM, 2, against, 0, 1, 6, 1));
    CHECK(holds(JALI_INFLUENCE_SUM, 2, against, -5, 10, 6, 1));
    CHECK(holds(JALI_INFLUENCE_SUM, 2, against, -1, 3, 6, 1));
    CHECK(holds(JALI_INFLUENCE_SUM, 2, against, -7, 4, 6, 1)); /* all below 0 */
    CHECK(holds(JALI_INFLUENCE_SUM, 2, against, 3, 2, 6, 1));  /* all above 0 */
    CHECK(holds(JALI_INFLUENCE_SUM, 3, three, -1, 3, 2, 1));
    CHECK(holds(JALI_INFLUENCE_SUM, 3, mixed, 0, 1, 2, 1));
}

SENTENCE(no_neighbour_of_a_small_table_moves_averages_further)
{
    UNUSED_STATE;
    CHECK(holds(JALI_INFLUENCE_AVG, 2, against, 0, 1, 6, 1));
    CHECK(holds(JALI_INFLUENCE_AVG, 2, against, -5, 10, 6, 1));
    CHECK(holds(JALI_INFLUENCE_AVG, 2, heavy, 3, 2, 3, 1));
    CHECK(holds(JALI_INFLUENCE_AVG, 1, lonely, 0, 7, 6, 1));
    CHECK(holds(JALI_INFLUENCE_AVG, 3, three, -1, 3, 2, 1));
    CHECK(holds(JALI_INFLUENCE_AVG, 3, idle, 0, 1, 2, 1));
}

/* The twin: a tester that takes two rows for one would let a person count half. */
SENTENCE(a_person_of_two_rows_moves_twice_as_far_and_no_further)
{
    UNUSED_STATE;
    const jali_influence_of of[] = { JALI_INFLUENCE_COUNT, JALI_INFLUENCE_SUM,
                                     JALI_INFLUENCE_AVG };
    for (int i = 0; i < 3; i++) {
        jali_influence two = crowd_question(of[i], 2, against, -1, 2, 2);
        jali_influence one = crowd_question(of[i], 2, against, -1, 2, 1);
        moved seen = try_all(&two, of[i] == JALI_INFLUENCE_COUNT ? 10 : 5, 2);
        CHECK(two.sensitivity == 2 * one.sensitivity);
        CHECK(within(&two, seen));
        CHECK(!within(&one, seen));
    }
}

/* On grids as coarse as a row the rounding shows: the bounds must hold all the same, and on
 * some of them a bound without its ceil, or a range without its 1, would be broken. */
SENTENCE(rounding_is_within_the_bounds_and_needs_its_share)
{
    UNUSED_STATE;
    static const uint64_t grid[][2] = { { 1, 1 }, { 1, 2 }, { 3, 2 }, { 5, 3 }, { 4, 1 } };
    int full = 0, spread_full = 0;
    for (int i = 0; i < 5; i++)
        for (int of = 0; of < 3; of++) {
            jali_influence inf = crowd_question((jali_influence_of)of, 2, against, -1, 2, 1);
            jali_influence_spec s = inf.spec;
            s.num = grid[i][0];
            s.den = grid[i][1];
            CHECK_OK(jali_influence_init(&inf, &s, NULL));
            moved seen = try_all(&inf, of == 0 ? 16 : 4, 1);
            CHECK(within(&inf, seen));
            full += (uint64_t)seen.most == inf.sensitivity;
            spread_full += (uint64_t)seen.spread == inf.range;
        }
    CHECK(full >= 3 && spread_full >= 3);
}

/* ---- Large tables: the families of PRIVACY 1.1, 1.2 and 1.3. ---- */

enum { LARGE = 20000 };

static int64_t change(const jali_influence *inf, const crowd *all, const crowd *p,
                      unsigned rows, unsigned kind, bool in)
{
    crowd more = *all, with = *p;
    int64_t x, y;
    for (unsigned r = 0; r < rows; r++) {
        add_row(&more, kind);
        if (in) add_row(&with, kind);
    }
    crowd_scores(inf, all, p, 1, &x);
    crowd_scores(inf, &more, &with, 1, &y);
    return y - x;
}

/* Group 0 is in p entirely, of the others m rows are not; all of p pulls one way. Then m rows
 * that are not in p join group 0, and the influence comes to life. */
static int64_t come_alive(const jali_influence *inf, int way)
{
    const jali_influence_spec *s = &inf->spec;
    int64_t U = s->of == JALI_INFLUENCE_COUNT ? 1 : s->low + (int64_t)s->codes - 1;
    int64_t L = s->of == JALI_INFLUENCE_COUNT ? 0 : s->low, m = s->rows_per_person;
    bool avg = s->of == JALI_INFLUENCE_AVG;
    crowd all = { { 0 }, { 0 } }, p = all;
    for (unsigned j = 0; j < s->groups; j++) {
        bool up = way * s->weight[j] > 0;
        if (up && (avg || U > 0)) p.top[j] = LARGE;
        if (!up && (avg || L < 0)) p.bottom[j] = LARGE;
        all.top[j] = p.top[j] + (j > 0 && !up ? m : 0);
        all.bottom[j] = p.bottom[j] + (j > 0 && up ? m : 0);
        if (s->of != JALI_INFLUENCE_COUNT) continue;
        all.top[j] += all.bottom[j]; /* rows of a count are of one kind */
        all.bottom[j] = 0;
    }
    unsigned kind = s->of == JALI_INFLUENCE_COUNT || way * s->weight[0] < 0 ? 1 : 0;
    int64_t d = change(inf, &all, &p, s->rows_per_person, kind, false);
    return d < 0 ? -d : d;
}

static double reached(jali_influence_of of, unsigned groups, const int32_t *w, int64_t low,
                      uint64_t width, uint32_t m)
{
    jali_influence inf = crowd_question(of, groups, w, low, width, m);
    int64_t a = come_alive(&inf, 1), b = come_alive(&inf, -1), most = a > b ? a : b;
    CHECK((uint64_t)most <= inf.sensitivity);
    return (double)most / (double)inf.sensitivity;
}

SENTENCE(a_sensitivity_one_percent_smaller_is_refuted)
{
    UNUSED_STATE;
    CHECK(reached(JALI_INFLUENCE_COUNT, 2, against, 0, 1, 1) > 0.99);
    CHECK(reached(JALI_INFLUENCE_COUNT, 2, against, 0, 1, 7) > 0.99);
    CHECK(reached(JALI_INFLUENCE_COUNT, 3, three, 0, 1, 1) > 0.99);
    CHECK(reached(JALI_INFLUENCE_COUNT, 3, mixed, 0, 1, 3) > 0.99);
    CHECK(reached(JALI_INFLUENCE_SUM, 2, against, 0, 9, 1) > 0.99);
    CHECK(reached(JALI_INFLUENCE_SUM, 2, against, -9, 18, 1) > 0.99);
    CHECK(reached(JALI_INFLUENCE_SUM, 2, against, -4, 12, 5) > 0.99);
    CHECK(reached(JALI_INFLUENCE_SUM, 2, against, -9, 4, 1) > 0.99);
    CHECK(reached(JALI_INFLUENCE_SUM, 2, against, 4, 4, 1) > 0.99);
    CHECK(reached(JALI_INFLUENCE_SUM, 3, mixed, -4, 12, 1) > 0.99);
    CHECK(reached(JALI_INFLUENCE_AVG, 2, against, 0, 1, 1) > 0.99);
    CHECK(reached(JALI_INFLUENCE_AVG, 2, against, -9, 18, 5) > 0.99);
    CHECK(reached(JALI_INFLUENCE_AVG, 2, heavy, 100, 50, 1) > 0.99);
    CHECK(reached(JALI_INFLUENCE_AVG, 3, mixed, -4, 12, 2) > 0.99);
}

/* Two predicates, one row that joins group 0 at the top: in p1 or not, never in p2. */
static double spread(jali_influence_of of, int64_t low, uint64_t width, crowd all, crowd p1,
                     bool in, crowd p2)
{
    jali_influence inf = crowd_question(of, 2, against, low, width, 1);
    int64_t d = change(&inf, &all, &p1, 1, 1, in) - change(&inf, &all, &p2, 1, 1, false);
    d = d < 0 ? -d : d;
    CHECK((uint64_t)d <= inf.range);
    return (double)d / (double)inf.range;
}

SENTENCE(a_range_one_percent_smaller_is_refuted)
{
    UNUSED_STATE;
    const int64_t n = LARGE;
    const crowd none = { { 0 }, { 0 } };
    const crowd counted = { { n, n / 2 }, { 0 } };
    CHECK(spread(JALI_INFLUENCE_COUNT, 0, 1, counted, (crowd){ { n }, { 0 } }, false,
                 (crowd){ { n / 2 }, { 0 } }) > 0.99);
    const crowd less = { { 0, n - 1 }, { n - 1, 1 } }, even = { { 0, n - 1 }, { n, 1 } };
    const crowd most = { { 0, n - 1 }, { n - 1, 0 } }, whole = { { 0, n - 1 }, { n, 0 } };
    const crowd quarter = { { 0, n / 4 }, { n / 4, 0 } };
    CHECK(spread(JALI_INFLUENCE_SUM, 0, 7, less, none, true, most) > 0.99);
    CHECK(spread(JALI_INFLUENCE_SUM, -7, 14, even, quarter, true, whole) > 0.99);
    CHECK(spread(JALI_INFLUENCE_AVG, 0, 1, even, none, true, whole) > 0.99);
    CHECK(spread(JALI_INFLUENCE_AVG, -7, 14, even, none, true, whole) > 0.99);
}

RUN_ALL(TEST(no_neighbour_of_a_small_table_moves_counts_further),
        TEST(no_neighbour_of_a_small_table_moves_sums_further),
        TEST(no_neighbour_of_a_small_table_moves_averages_further),
        TEST(a_person_of_two_rows_moves_twice_as_far_and_no_further),
        TEST(rounding_is_within_the_bounds_and_needs_its_share),
        TEST(a_sensitivity_one_percent_smaller_is_refuted),
        TEST(a_range_one_percent_smaller_is_refuted))
