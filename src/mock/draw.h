/* mock/draw.h — a repeatable random stream for generated tables.
 *
 * NOT private noise: it is seeded, so anyone can repeat it. It never touches data and no
 * room but mock/ may include it; noise is drawn in dice/, which cannot be seeded.
 */
#ifndef JALI_MOCK_DRAW_H
#define JALI_MOCK_DRAW_H

#include "base/err.h"

enum { JALI_MOCK_DRAW_WORDS = 2048 };

/* One stream per purpose, so that a new column never changes the others. */
typedef struct jali_mock_draw {
    unsigned char key[32];
    uint64_t block; /* how many buffers were drawn */
    size_t at;
    double spare; /* the second of a pair of normals */
    bool has_spare;
    uint32_t word[JALI_MOCK_DRAW_WORDS];
} jali_mock_draw;

void jali_mock_draw_init(jali_mock_draw *d, uint64_t seed, const char *purpose, uint64_t index);
void jali_mock_draw_refill(jali_mock_draw *d);

static inline uint32_t jali_mock_draw_u32(jali_mock_draw *d)
{
    if (d->at == JALI_MOCK_DRAW_WORDS) jali_mock_draw_refill(d);
    return d->word[d->at++];
}

/* A whole number below n, n > 0; its bias of n/2^32 is beneath notice here. */
static inline uint32_t jali_mock_draw_below(jali_mock_draw *d, uint32_t n)
{
    return (uint32_t)((uint64_t)jali_mock_draw_u32(d) * n >> 32);
}

double jali_mock_draw_unit(jali_mock_draw *d);   /* above 0, below 1 */
double jali_mock_draw_normal(jali_mock_draw *d); /* mean 0, standard deviation 1 */
double jali_mock_draw_exponential(jali_mock_draw *d);
/* A point of the unit circle, evenly. */
void jali_mock_draw_direction(jali_mock_draw *d, double *x, double *y);
bool jali_mock_draw_chance(jali_mock_draw *d, double p);

/* ln and exp from the four operations only: the same bits with every C library. */
double jali_mock_ln(double x);
double jali_mock_exp(double x);

/* Walker's alias table: one word, one value. Weights need not add up to 1. */
typedef struct jali_mock_alias {
    uint32_t n;
    uint32_t *keep;  /* keep the slot when the fraction is below keep[i] ... */
    uint32_t *other; /* ... else go there                                    */
} jali_mock_alias;

/* Room for n is the caller's (keep and other); `scratch` has room for 2n doubles. */
void jali_mock_alias_fill(jali_mock_alias *a, const double *weight, double *scratch);

static inline uint32_t jali_mock_alias_draw(const jali_mock_alias *a, jali_mock_draw *d)
{
    /* The high half of the product picks the slot, the low half is the fraction in it. */
    uint64_t product = (uint64_t)jali_mock_draw_u32(d) * a->n;
    uint32_t slot = (uint32_t)(product >> 32), fraction = (uint32_t)product;
    return fraction < a->keep[slot] ? slot : a->other[slot];
}

/* weight[i] = 1 / (i+1)^fall, adding up to 1. */
void jali_mock_zipf(double *weight, size_t n, double fall);

#endif
