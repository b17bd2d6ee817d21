/* Every allocation failed in turn: JALI_E_NOMEM, no answer, no leak (the sanitizers look).
 * GMP and FLINT keep their own memory and are not failed here (docs/KNOWN.md). */
#include "dice/flip.h"
#include "dice/gauss.h"
#include "dice/laws.h"
#include "dice/select.h"
#include "dice/topk.h"
#include "support/alloc.h"
#include "unit.h"

enum { MARK = 77, MANY = 20 };

typedef jali_status scene_fn(jali_dice *d, int64_t out[MANY]);

static jali_laplace laplace;
static jali_gauss gauss;
static jali_rate rate;
static int64_t score[5000];

static jali_status open_dice(jali_dice *d, int64_t *out)
{
    (void)d;
    (void)out;
    jali_dice *other = NULL;
    jali_status status = jali_dice_new(&other, NULL);
    CHECK((status == JALI_OK) == (other != NULL));
    jali_dice_free(other);
    return status;
}

static jali_status draw_bytes(jali_dice *d, int64_t *out)
{
    return jali_dice_bytes(d, out, MANY * sizeof *out);
}

static jali_status draw_laplaces(jali_dice *d, int64_t *out)
{
    return jali_laplace_draw_many(&laplace, d, out, MANY);
}

static jali_status draw_gausses(jali_dice *d, int64_t *out)
{
    return jali_gauss_draw_many(&gauss, d, out, MANY);
}

static jali_status draw_select(jali_dice *d, int64_t *out)
{
    return jali_select_draw(&rate, score, 5000, d, (size_t *)out);
}

static jali_status draw_flip(jali_dice *d, int64_t *out)
{
    return jali_flip_draw(&rate, score, 30, d, (size_t *)out);
}

static jali_status draw_topk(jali_dice *d, int64_t *out)
{
    return jali_topk_draw(&rate, score, 5000, 5, d, (size_t *)out, NULL);
}

static jali_status draw_doubted_topk(jali_dice *d, int64_t *out)
{
    d->doubt = true;
    return jali_topk_draw(&rate, score, 100, 5, d, (size_t *)out, NULL);
}

static jali_status draw_groups(jali_dice *d, int64_t *out)
{
    jali_topk *t;
    jali_winner winner[4];
    size_t n;
    d->doubt = true;
    JALI_TRY(jali_topk_new(&t, &rate, 4, NULL));
    jali_status status = JALI_OK;
    for (int64_t i = 0; i < 6 && status == JALI_OK; i++)
        status = jali_topk_offer_group(t, d, i, 9);
    if (status == JALI_OK) status = jali_topk_finish(t, d, winner, &n);
    if (status == JALI_OK) *out = (int64_t)n;
    jali_topk_free(t);
    return status;
}

static void fails_cleanly(scene_fn *scene)
{
    for (long n = 0;; n++) {
        int64_t out[MANY];
        jali_dice *d = seeded_dice(3);
        for (size_t i = 0; i < MANY; i++) out[i] = MARK;
        alloc_fail_at(n);
        jali_status status = scene(d, out);
        bool failed = alloc_failed();
        alloc_fail_at(-1);
        jali_dice_free(d);
        if (!failed) {
            CHECK_OK(status);
            CHECK(n > 0); /* a scene that allocates nothing tests nothing */
            return;
        }
        CHECK(status == JALI_E_NOMEM);
        for (size_t i = 0; i < MANY; i++) assert_int_equal(out[i], MARK);
        CHECK(n < 10000);
    }
}

SENTENCE(every_sampler_survives_every_failed_allocation)
{
    UNUSED_STATE;
    scene_fn *const scenes[] = { open_dice,    draw_bytes,        draw_laplaces,
                                 draw_gausses, draw_select,       draw_flip,
                                 draw_topk,    draw_doubted_topk, draw_groups };
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) fails_cleanly(scenes[i]);
}

static int set_up(void **state)
{
    (void)state;
    mpq_t q;
    rational(q, "1/3");
    for (size_t i = 0; i < 5000; i++) score[i] = (int64_t)i % 5;
    bool good = jali_rate_init(&rate, q, NULL) == JALI_OK &&
                jali_laplace_init(&laplace, q, NULL) == JALI_OK &&
                jali_gauss_init(&gauss, q, NULL) == JALI_OK;
    mpq_clear(q);
    return good ? 0 : 1;
}

static int tear_down(void **state)
{
    (void)state;
    jali_rate_clear(&rate);
    jali_laplace_clear(&laplace);
    jali_gauss_clear(&gauss);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(every_sampler_survives_every_failed_allocation) };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
