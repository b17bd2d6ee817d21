/* Refutes contrast.exclusive if it can: answers bit by bit, whoever asks, in whatever order. */
#include "explain/contrast/town.h"

enum { ASKERS = 400 };

static town t;
static double point[ASKERS][2];

static void ask_all(const jali_view *v, const size_t *order, size_t from, size_t to,
                    jali_contrast_answer *out)
{
    jali_asker asker;
    CHECK_OK(jali_view_asker(v, &asker, &t.arena, NULL));
    for (size_t i = from; i < to; i++)
        out[order[i]] = jali_view_ask(v, &asker, point[order[i]], true);
}

static void shuffle(size_t *order, uint64_t seed)
{
    for (size_t i = 0; i < ASKERS; i++) order[i] = i;
    for (size_t i = ASKERS; seed > 0 && i > 1; i--) {
        size_t j = jali_next(&seed) % i, kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}

static void check_orders(bool squared)
{
    static jali_contrast_answer first[ASKERS], again[ASKERS];
    size_t order[ASKERS];
    uint64_t s = 3;
    jali_view view;
    jali_contrast_ask ask = town_question(2, 4, squared);
    for (size_t i = 0; i < ASKERS; i++)
        for (int a = 0; a < 2; a++) point[i][a] = 120 * jali_next_unit(&s) - 10;
    memcpy(point[7], point[6], sizeof point[7]); /* two askers at one place */
    town_view(&t, &ask, 1, 1, &view);
    shuffle(order, 0);
    ask_all(&view, order, 0, ASKERS, first);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        shuffle(order, seed);
        memset(again, 0x55, sizeof again);
        for (size_t at = 0; at < ASKERS;
             at += 97 * seed) /* split: everybody with new scratch */
            ask_all(&view, order, at, at + 97 * seed < ASKERS ? at + 97 * seed : ASKERS, again);
        CHECK(memcmp(first, again, sizeof first) == 0);
    }
    CHECK(memcmp(&first[6], &first[7], sizeof first[6]) == 0);
}

SENTENCE(answers_do_not_know_who_else_asked)
{
    UNUSED_STATE;
    town_fill(&t, 3000);
    town_open(&t, 1);
    check_orders(false);
    check_orders(true);
    town_close(&t);
}

SENTENCE(threads_change_no_bit)
{
    UNUSED_STATE;
    jali_pool *pool;
    jali_view one, three;
    char *body;
    jali_contrast_ask ask = town_question(2, 5, false);
    CHECK_OK(jali_pool_new(&pool, 3, NULL));
    town_fill(&t, 2000);
    town_open(&t, 1);
    CHECK_OK(town_plan(&t, &ask, JALI_LAW_LAPLACE, 1, 1, 5, &body, NULL));
    CHECK_OK(jali_view_open(&one, body, strlen(body), true, NULL, &t.arena, NULL));
    CHECK_OK(jali_view_open(&three, body, strlen(body), true, pool, &t.arena, NULL));
    for (int i = 0; i < 20; i++) {
        double at[] = { 5.0 * i, 100 - 4.0 * i };
        jali_contrast_answer a = town_ask(&t, &one, at), b = town_ask(&t, &three, at);
        CHECK(memcmp(&a, &b, sizeof a) == 0);
    }
    town_close(&t);
    jali_pool_free(pool);
}

/* What an answer says must hold on its own terms: never below 0, not above what one removal
 * costs, inside its certificate; and a centre of the plan costs next to nothing. */
SENTENCE(an_answer_keeps_its_own_promises)
{
    UNUSED_STATE;
    jali_view v;
    jali_contrast_ask ask = town_question(2, 3, false);
    town_fill(&t, 5000);
    town_open(&t, 1);
    town_view(&t, &ask, 2, 1, &v);
    double cost = v.nodes.base_cost * v.scale;
    for (int i = 0; i <= 10; i++)
        for (int j = 0; j <= 10; j++) {
            double at[] = { 10.0 * i, 10.0 * j };
            jali_contrast_answer a = town_ask(&t, &v, at);
            CHECK(a.extra >= 0 && a.error > 0 && a.ratio >= 1 && a.ratio < 1.5);
            CHECK(a.lower <= a.extra && a.extra <= a.upper);
            CHECK(fabs(a.cost - cost - a.extra) <= 1e-9 * cost || a.extra == 0);
        }
    for (size_t c = 0; c < 3; c++) {
        jali_contrast_answer a = town_ask(&t, &v, v.release.centre + 2 * c);
        CHECK(a.extra <= 0.002 * cost);
    }
    town_close(&t);
}

RUN_ALL(TEST(answers_do_not_know_who_else_asked), TEST(threads_change_no_bit),
        TEST(an_answer_keeps_its_own_promises))
