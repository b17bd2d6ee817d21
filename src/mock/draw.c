/* mock/draw.c — a repeatable random stream for generated tables. */
#include "mock/draw.h"
#include <math.h>
#include <sodium.h>

void jali_mock_draw_init(jali_mock_draw *d, uint64_t seed, const char *purpose, uint64_t index)
{
    char name[96];
    int n = snprintf(name, sizeof name, "jali mock %llu %llu %.40s", (unsigned long long)seed,
                     (unsigned long long)index, purpose);
    crypto_generichash(d->key, sizeof d->key, (const unsigned char *)name,
                       (unsigned long long)n, NULL, 0);
    d->block = 0;
    d->at = JALI_MOCK_DRAW_WORDS;
    d->has_spare = false;
}

static uint32_t little(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

void jali_mock_draw_refill(jali_mock_draw *d)
{
    unsigned char nonce[crypto_stream_chacha20_NONCEBYTES];
    for (size_t i = 0; i < sizeof nonce; i++) nonce[i] = (unsigned char)(d->block >> (8 * i));
    crypto_stream_chacha20((unsigned char *)d->word, sizeof d->word, nonce, d->key);
    for (size_t i = 0; i < JALI_MOCK_DRAW_WORDS; i++)
        d->word[i] = little((const unsigned char *)&d->word[i]);
    d->block++;
    d->at = 0;
}

double jali_mock_draw_unit(jali_mock_draw *d)
{
    uint64_t high = jali_mock_draw_u32(d), low = jali_mock_draw_u32(d);
    uint64_t bits = (high << 32 | low) >> 11;
    return ((double)bits + 0.5) * 0x1p-53;
}

/* Marsaglia's polar pair. The second is kept: half of the work, and still one stream. */
double jali_mock_draw_normal(jali_mock_draw *d)
{
    if (d->has_spare) {
        d->has_spare = false;
        return d->spare;
    }
    for (;;) {
        double x = 2 * jali_mock_draw_unit(d) - 1, y = 2 * jali_mock_draw_unit(d) - 1;
        double s = x * x + y * y;
        if (s >= 1 || s == 0) continue;
        double stretch = sqrt(-2 * jali_mock_ln(s) / s);
        d->spare = y * stretch;
        d->has_spare = true;
        return x * stretch;
    }
}

double jali_mock_draw_exponential(jali_mock_draw *d)
{
    return -jali_mock_ln(jali_mock_draw_unit(d));
}

void jali_mock_draw_direction(jali_mock_draw *d, double *x, double *y)
{
    for (;;) {
        double a = 2 * jali_mock_draw_unit(d) - 1, b = 2 * jali_mock_draw_unit(d) - 1;
        double s = a * a + b * b;
        if (s >= 1 || s < 1e-6) continue;
        *x = a / sqrt(s);
        *y = b / sqrt(s);
        return;
    }
}

bool jali_mock_draw_chance(jali_mock_draw *d, double p)
{
    return (double)jali_mock_draw_u32(d) < p * 0x1p32;
}

/* ln(m 2^e) = e ln 2 + 2 artanh((m-1)/(m+1)), m in [sqrt(1/2), sqrt 2): 11 terms are
 * enough for the last bit, since the ratio is below 0.172. */
double jali_mock_ln(double x)
{
    int e;
    double m = frexp(x, &e);
    if (m < 0.70710678118654752) {
        m *= 2;
        e--;
    }
    double r = (m - 1) / (m + 1), r2 = r * r, sum = 0;
    for (int k = 21; k >= 1; k -= 2) sum = sum * r2 + 1.0 / k;
    return e * 0.69314718055994531 + 2 * r * sum;
}

/* exp(x) = 2^k exp(rest), |rest| <= ln 2 / 2; 15 terms of the series. */
double jali_mock_exp(double x)
{
    double k = floor(x / 0.69314718055994531 + 0.5), rest = x - k * 0.69314718055994531;
    double sum = 1;
    for (int i = 15; i >= 1; i--) sum = 1 + sum * rest / i;
    return ldexp(sum, (int)k);
}

static uint32_t fraction_of(double x)
{
    return x >= 1 ? UINT32_MAX : x <= 0 ? 0 : (uint32_t)(x * 0x1p32);
}

/* Vose's way: pair a slot that has too little with one that has too much. */
void jali_mock_alias_fill(jali_mock_alias *a, const double *weight, double *scratch)
{
    double *has = scratch, *stack = scratch + a->n, total = 0;
    size_t poor = 0, rich = a->n;
    for (size_t i = 0; i < a->n; i++) total += weight[i];
    for (size_t i = 0; i < a->n; i++) {
        has[i] = weight[i] * a->n / total;
        a->other[i] = (uint32_t)i;
        a->keep[i] = UINT32_MAX;
        if (has[i] < 1)
            stack[poor++] = (double)i;
        else
            stack[--rich] = (double)i;
    }
    while (poor > 0 && rich < a->n) {
        size_t from = (size_t)stack[rich], to = (size_t)stack[--poor];
        a->keep[to] = fraction_of(has[to]);
        a->other[to] = (uint32_t)from;
        has[from] -= 1 - has[to];
        if (has[from] >= 1) continue;
        rich++;
        stack[poor++] = (double)from;
    }
}

void jali_mock_zipf(double *weight, size_t n, double fall)
{
    double total = 0;
    for (size_t i = 0; i < n; i++) {
        weight[i] = jali_mock_exp(-fall * jali_mock_ln((double)i + 1));
        total += weight[i];
    }
    for (size_t i = 0; i < n; i++) weight[i] /= total;
}
