/* explain/contrast/stream.h — repeatable variety for solvers that run after a release.
 *
 * Not noise, and nothing hides behind it: the stream begins at a number made of released
 * values, so that the same release has the same answers (SplitMix64: Steele, Lea, Flood, OOPSLA
 * 2014). Noise is drawn in dice/, by mech/ alone.
 */
#ifndef JALI_EXPLAIN_CONTRAST_STREAM_H
#define JALI_EXPLAIN_CONTRAST_STREAM_H

#include <math.h>
#include <stdint.h>

static inline uint64_t jali_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* At least 0, below 1. */
static inline double jali_next_unit(uint64_t *state)
{
    return (double)(jali_next(state) >> 11) * 0x1p-53;
}

static inline double jali_next_normal(uint64_t *state)
{
    double u = 1 - jali_next_unit(state), v = jali_next_unit(state);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

static inline void jali_fold(uint64_t *state, uint64_t released)
{
    *state ^= released;
    *state = jali_next(state);
}

#endif
