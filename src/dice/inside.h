/* dice/inside.h — what is inside the dice; for dice/ and tests/ only. */
#ifndef JALI_DICE_INSIDE_H
#define JALI_DICE_INSIDE_H

#include "dice/dice.h"
#include "dice/laplace.h"
#include "dice/rate.h"
#include <float.h>
#include <sys/types.h>
#include <unistd.h>

#ifdef __FAST_MATH__
#error "the interval filters of dice/ count every rounding: build without -ffast-math"
#endif
_Static_assert(FLT_EVAL_METHOD == 0, "doubles must round as doubles");

enum { JALI_DICE_KEY = 32, JALI_DICE_WORDS = 1024 };

/* Lives alone on pages that the kernel wipes in a forked child. */
typedef struct jali_dice_pool {
    uint64_t alive; /* 0: not keyed yet, or wiped                */
    uint64_t left;  /* words not handed out: word[0 .. left)     */
    unsigned char key[JALI_DICE_KEY];
    uint64_t word[JALI_DICE_WORDS];
} jali_dice_pool;

struct jali_dice {
    jali_dice_pool *pool;
    jali_status (*refill)(jali_dice *d); /* jali_source_refill, but in tests    */
    void *self;                          /* belongs to refill                   */
    pid_t owner;
    bool wiped; /* the kernel does wipe; else every word looks at the process id */
    bool doubt; /* tests: believe no filter, let the exact tier decide it all    */
};

/* dice/source.c, or tests/support/seeded_dice.c in its place: fills word[0 .. left) with
 * left >= 1, or fails. Nothing else may be defined in that file. */
jali_status jali_source_refill(jali_dice *d);

/* Calls the hook, after forgetting everything if this process is not the owner. */
jali_status jali_dice_refill(jali_dice *d);

static inline jali_status jali_dice_next(jali_dice *d, uint64_t *out)
{
    jali_dice_pool *p = d->pool;
    if (p->left == 0 || (!d->wiped && d->owner != getpid())) JALI_TRY(jali_dice_refill(d));
    uint64_t at = --p->left;
    *out = p->word[at];
    p->word[at] = 0;
    return JALI_OK;
}

/* n words at once, n <= JALI_DICE_WORDS; they are erased from the pool. */
static inline jali_status jali_dice_take(jali_dice *d, uint64_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++) JALI_TRY(jali_dice_next(d, out + i));
    return JALI_OK;
}

/* Discrete Laplace before clamping: what a rejection sampler must look at. */
jali_status jali_laplace_draw_wide(const jali_laplace *s, jali_dice *d, bool *minus,
                                   jali_u128 *size);

/* Fills in the rest once s->scale is set. */
void jali_laplace_prepare(jali_laplace *s);

/* The same with this many low bits. Any number gives the same law; tests take few,
 * so that the tail is met. */
void jali_laplace_cut(jali_laplace *s, unsigned n_bits);

static inline int64_t jali_clamped(bool minus, jali_u128 size)
{
    int64_t z = size > INT64_MAX ? INT64_MAX : (int64_t)size;
    return minus ? -z : z;
}

#endif
