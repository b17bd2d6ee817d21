/* Every word of entropy failed in turn: JALI_E_ENTROPY, and nothing written. */
#include "dice/coin.h"
#include "dice/flip.h"
#include "dice/gauss.h"
#include "dice/laws.h"
#include "dice/select.h"
#include "dice/topk.h"
#include "dice/uniform.h"
#include "unit.h"

enum { MARK = 77, MANY = 20 };

/* A scene draws into `out`, which holds MARKs, and leaves them if it fails. */
typedef jali_status scene_fn(jali_dice *d, int64_t out[MANY]);

static mpq_t one_third;
static jali_laplace laplace;
static jali_gauss gauss;
static jali_coin coin;
static jali_rate rate;
static int64_t score[65];

static jali_status draw_uniform(jali_dice *d, int64_t *out)
{
    return jali_uniform_below(d, UINT64_C(3) << 61, (uint64_t *)out);
}

static jali_status draw_uniform_z(jali_dice *d, int64_t *out)
{
    mpz_t n, x;
    mpz_init(n);
    mpz_init_set_ui(x, MARK);
    mpz_setbit(n, 300);
    jali_status status = jali_uniform_below_z(d, n, x);
    *out = (int64_t)mpz_get_ui(x);
    if (mpz_sizeinbase(x, 2) > 64) *out = 1;
    mpz_clears(n, x, NULL);
    return status;
}

static jali_status draw_bytes(jali_dice *d, int64_t *out)
{
    return jali_dice_bytes(d, out, MANY * sizeof *out);
}

static jali_status draw_coin(jali_dice *d, int64_t *out)
{
    bool heads;
    jali_status status = jali_coin_flip(&coin, d, &heads);
    if (status == JALI_OK) *out = heads;
    return status;
}

static jali_status draw_laplace(jali_dice *d, int64_t *out)
{
    return jali_laplace_draw(&laplace, d, out);
}

static jali_status draw_laplaces(jali_dice *d, int64_t *out)
{
    return jali_laplace_draw_many(&laplace, d, out, MANY);
}

static jali_status draw_gauss(jali_dice *d, int64_t *out)
{
    return jali_gauss_draw(&gauss, d, out);
}

static jali_status draw_gausses(jali_dice *d, int64_t *out)
{
    return jali_gauss_draw_many(&gauss, d, out, MANY);
}

static jali_status draw_select(jali_dice *d, int64_t *out)
{
    return jali_select_draw(&rate, score, 65, d, (size_t *)out);
}

static jali_status draw_flip(jali_dice *d, int64_t *out)
{
    return jali_flip_draw(&rate, score, 65, d, (size_t *)out);
}

static jali_status draw_topk(jali_dice *d, int64_t *out)
{
    return jali_topk_draw(&rate, score, 65, 5, d, (size_t *)out, NULL);
}

/* A stream that lost a word must not finish as if nothing had happened. */
static jali_status draw_stream(jali_dice *d, int64_t *out)
{
    jali_topk *t;
    jali_winner winner[4];
    size_t n = MARK;
    CHECK_OK(jali_topk_new(&t, &rate, 4, NULL));
    jali_status first = jali_topk_offer(t, d, score, 10);
    jali_status second = jali_topk_offer_group(t, d, 3, 1000000);
    jali_status third = jali_topk_offer(t, d, score, 10);
    jali_status last = jali_topk_finish(t, d, winner, &n);
    if (first != JALI_OK || second != JALI_OK || third != JALI_OK) {
        CHECK(last == JALI_E_ENTROPY);
        CHECK(n == MARK);
    } else {
        *out = (int64_t)n;
    }
    jali_topk_free(t);
    return last;
}

/* With w words in turn until it succeeds; returns how many it took. */
static uint64_t fails_cleanly(scene_fn *scene, bool doubt)
{
    for (uint64_t w = 0;; w++) {
        int64_t out[MANY];
        jali_dice *d = failing_dice(5, w);
        d->doubt = doubt;
        for (size_t i = 0; i < MANY; i++) out[i] = MARK;
        jali_status status = scene(d, out);
        jali_dice_free(d);
        if (status == JALI_OK) return w;
        CHECK(status == JALI_E_ENTROPY);
        for (size_t i = 0; i < MANY; i++) assert_int_equal(out[i], MARK);
        CHECK(w < 5000);
    }
}

SENTENCE(every_sampler_fails_at_every_word)
{
    UNUSED_STATE;
    scene_fn *const scenes[] = { draw_uniform, draw_uniform_z, draw_bytes, draw_coin,
                                 draw_laplace, draw_laplaces,  draw_gauss, draw_gausses,
                                 draw_select,  draw_flip,      draw_topk,  draw_stream };
    const uint64_t least[] = { 1, 5, MANY, 1, 2, MANY, 3, MANY, 2, 65, 65, 24 };
    for (size_t i = 0; i < sizeof least / sizeof *least; i++) {
        CHECK(fails_cleanly(scenes[i], false) >= least[i]);
        if (i != 5 && i != 7) CHECK(fails_cleanly(scenes[i], true) >= least[i]);
    }
}

/* Two equal uniforms ask for more bits; that word may fail, too. */
SENTENCE(the_exact_tier_fails_cleanly)
{
    UNUSED_STATE;
    for (uint64_t more = 0; more < 2; more++) {
        jali_dice *d = failing_dice(5, 3 + 2 * more);
        uint64_t word;
        size_t winner[2] = { MARK, MARK };
        CHECK_OK(jali_dice_word(d, &word));
        d->pool->word[d->pool->left - 1] = d->pool->word[d->pool->left - 2] = 999;
        jali_status status = jali_topk_draw(&rate, (int64_t[]){ 1, 1 }, 2, 2, d, winner, NULL);
        CHECK(status == (more ? JALI_OK : JALI_E_ENTROPY));
        CHECK((winner[0] == MARK) == !more);
        jali_dice_free(d);
    }
}

static int set_up(void **state)
{
    (void)state;
    rational(one_third, "1/3");
    for (size_t i = 0; i < 65; i++) score[i] = (int64_t)i % 5;
    mpq_t big;
    rational(big, "1000");
    bool good = jali_rate_init(&rate, one_third, NULL) == JALI_OK &&
                jali_coin_init(&coin, one_third, NULL) == JALI_OK &&
                jali_laplace_init(&laplace, big, NULL) == JALI_OK &&
                jali_gauss_init(&gauss, big, NULL) == JALI_OK;
    mpq_clear(big);
    return good ? 0 : 1;
}

static int tear_down(void **state)
{
    (void)state;
    jali_rate_clear(&rate);
    jali_coin_clear(&coin);
    jali_laplace_clear(&laplace);
    jali_gauss_clear(&gauss);
    mpq_clear(one_third);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(every_sampler_fails_at_every_word),
                                        TEST(the_exact_tier_fails_cleanly) };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
