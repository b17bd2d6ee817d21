/* dice/dice.c — the handle, the pool of words, and what a fork does to them. */
#define _GNU_SOURCE
#include "dice/dice.h"
#include "dice/inside.h"
#include <fenv.h>
#include <sodium.h>
#include <sys/mman.h>

/* Does the kernel promise to wipe the pool in a child? Old ones cannot. */
static bool wipe_on_fork(void *page)
{
#ifdef MADV_WIPEONFORK
    return madvise(page, sizeof(jali_dice_pool), MADV_WIPEONFORK) == 0;
#else
    (void)page;
    return false;
#endif
}

static jali_dice_pool *map_pool(void)
{
    void *page = mmap(NULL, sizeof(jali_dice_pool), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return NULL;
    /* Best effort: the words of a dead process belong in no core file. */
    (void)madvise(page, sizeof(jali_dice_pool), MADV_DONTDUMP);
    return page;
}

static jali_status no_entropy(jali_err *err)
{
    return jali_fail(err, JALI_E_ENTROPY, JALI_FOR_ANALYST,
                     "no randomness: the operating system gives no entropy, so nothing can be "
                     "drawn; try again when getrandom works");
}

static jali_status check_rounding(jali_err *err)
{
    if (fegetround() == FE_TONEAREST) return JALI_OK;
    return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_ANALYST,
                     "this thread does not round to nearest, so no draw could be proven "
                     "exact; restore the rounding mode before opening the dice");
}

void jali_dice_rest(jali_dice *d)
{
    sodium_memzero(d->pool, sizeof *d->pool);
}

jali_status jali_dice_wake(jali_dice *d, jali_err *err)
{
    JALI_TRY(check_rounding(err));
    jali_dice_rest(d); /* what was not erased would not be keyed anew */
    return jali_dice_refill(d) == JALI_OK ? JALI_OK : no_entropy(err);
}

jali_status jali_dice_new(jali_dice **out, jali_err *err)
{
    JALI_TRY(check_rounding(err));
    if (sodium_init() < 0) return no_entropy(err);
    jali_dice *d = calloc(1, sizeof *d);
    jali_dice_pool *pool = d == NULL ? NULL : map_pool();
    if (pool == NULL) {
        free(d);
        return jali_fail_memory(err);
    }
    *d = (jali_dice){ .pool = pool, .refill = jali_source_refill, .owner = getpid() };
    d->wiped = wipe_on_fork(pool);
    if (jali_dice_refill(d) != JALI_OK) {
        jali_dice_free(d);
        return no_entropy(err);
    }
    *out = d;
    return JALI_OK;
}

void jali_dice_free(jali_dice *d)
{
    if (d == NULL) return;
    sodium_memzero(d->pool, sizeof *d->pool);
    munmap(d->pool, sizeof *d->pool);
    free(d);
}

jali_status jali_dice_refill(jali_dice *d)
{
    if (d->owner != getpid()) {
        sodium_memzero(d->pool, sizeof *d->pool);
        d->owner = getpid();
    }
    if (d->refill(d) == JALI_OK && d->pool->left > 0) return JALI_OK;
    sodium_memzero(d->pool, sizeof *d->pool);
    return JALI_E_ENTROPY;
}

jali_status jali_dice_word(jali_dice *d, uint64_t *out)
{
    return jali_dice_next(d, out);
}

jali_status jali_dice_bytes(jali_dice *d, void *out, size_t n)
{
    unsigned char *bytes = malloc(n == 0 ? 1 : n);
    if (bytes == NULL) return JALI_E_NOMEM;
    jali_status status = JALI_OK;
    for (size_t at = 0; at < n && status == JALI_OK; at += sizeof(uint64_t)) {
        uint64_t word = 0;
        status = jali_dice_next(d, &word);
        memcpy(bytes + at, &word, n - at < sizeof word ? n - at : sizeof word);
    }
    if (status == JALI_OK) memcpy(out, bytes, n);
    sodium_memzero(bytes, n);
    free(bytes);
    return status;
}
