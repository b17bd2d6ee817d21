/* tests/support/seeded_dice.c — dice that repeat themselves, or fail on purpose. */
#include "support/seeded_dice.h"
#include <sodium.h>

/* Kept where the real source keeps its key. */
struct seed {
    uint64_t seed, refills, words;
};
_Static_assert(sizeof(struct seed) <= JALI_DICE_KEY, "the seed takes the place of the key");

static jali_status refill(jali_dice *d)
{
    struct seed s;
    unsigned char key[JALI_DICE_KEY] = "jali: seeded dice, for tests";
    unsigned char nonce[crypto_stream_chacha20_NONCEBYTES];
    memcpy(&s, d->pool->key, sizeof s);
    if (s.words == 0) return JALI_E_ENTROPY;
    memcpy(key, &s.seed, sizeof s.seed);
    memcpy(nonce, &s.refills, sizeof nonce);
    crypto_stream_chacha20((unsigned char *)d->pool->word, sizeof d->pool->word, nonce, key);
    /* Words leave from the end: a short supply must be the end of the same words. */
    uint64_t left = s.words < JALI_DICE_WORDS ? s.words : JALI_DICE_WORDS;
    memmove(d->pool->word, d->pool->word + (JALI_DICE_WORDS - left), left * sizeof(uint64_t));
    d->pool->left = left;
    s.words -= s.words == UINT64_MAX ? 0 : left;
    s.refills++;
    memcpy(d->pool->key, &s, sizeof s);
    return JALI_OK;
}

static void plant(jali_dice *d, uint64_t seed, uint64_t words)
{
    struct seed s = { .seed = seed, .words = words };
    memcpy(d->pool->key, &s, sizeof s);
    d->pool->left = 0;
    d->pool->alive = 1;
}

jali_status jali_source_refill(jali_dice *d)
{
    const char *text = getenv("JALI_TEST_SEED");
    if (d->pool->alive == 0) plant(d, text == NULL ? 1 : strtoull(text, NULL, 10), UINT64_MAX);
    return refill(d);
}

jali_dice *failing_dice(uint64_t seed, uint64_t words)
{
    jali_dice *d;
    if (jali_dice_new(&d, NULL) != JALI_OK) abort();
    d->refill = refill;
    plant(d, seed, words);
    return d;
}

jali_dice *seeded_dice(uint64_t seed)
{
    return failing_dice(seed, UINT64_MAX);
}
