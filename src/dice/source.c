/* dice/source.c — entropy of the operating system, stretched by ChaCha20.
 *
 * Claim    dice.source
 *          Every word is fresh output of ChaCha20 under a key that getrandom(2) gave and
 *          that is replaced, with each refill, by output nobody else sees; a word once
 *          handed out cannot be computed from what is left in memory; a forked child
 *          shares no word with its parent or siblings; without entropy there is no word.
 * Proof    proofs/dice_source.md#dice.source
 * Source   D. J. Bernstein, "Fast-key-erasure random-number generators" (2017). We keep
 *          the used words of the pool erased as well.
 * Law      words are uniform and independent on {0, ..., 2^64 - 1}, if ChaCha20 is a
 *          pseudorandom function: the one assumption of every exact law in dice/
 * Test     tests/dice/source_test.c
 * Silent   A virtual machine restored twice from one snapshot repeats the words left in
 *          its pool. Swap is not locked.
 *
 * This file defines jali_source_refill and nothing else: a program that links
 * tests/support/seeded_dice.c before the archive gets that one instead.
 */
#include "dice/inside.h"
#include <errno.h>
#include <sodium.h>
#include <sys/random.h>

_Static_assert(offsetof(jali_dice_pool, word) == offsetof(jali_dice_pool, key) + JALI_DICE_KEY,
               "one stream fills the next key and the words behind it");
_Static_assert(JALI_DICE_KEY == crypto_stream_chacha20_KEYBYTES, "a ChaCha20 key");

static jali_status system_bytes(unsigned char *out, size_t n)
{
    while (n > 0) {
        ssize_t got = getrandom(out, n, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return JALI_E_ENTROPY;
        out += got;
        n -= (size_t)got;
    }
    return JALI_OK;
}

jali_status jali_source_refill(jali_dice *d)
{
    jali_dice_pool *pool = d->pool;
    unsigned char key[JALI_DICE_KEY];
    static const unsigned char nonce[crypto_stream_chacha20_NONCEBYTES] = { 0 };
    if (pool->alive == 0) JALI_TRY(system_bytes(pool->key, sizeof pool->key));
    memcpy(key, pool->key, sizeof key);
    /* A key is used once, so the nonce may be constant. */
    crypto_stream_chacha20((unsigned char *)pool + offsetof(jali_dice_pool, key),
                           sizeof pool->key + sizeof pool->word, nonce, key);
    sodium_memzero(key, sizeof key);
    pool->alive = 1;
    pool->left = JALI_DICE_WORDS;
    return JALI_OK;
}
