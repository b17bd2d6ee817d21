/* explain/cluster/stream.h — repeatable randomness for what comes after a release.
 *
 * NOT noise. Starts of k-means, random directions and first centres need variety, not
 * secrecy: the stream begins at a number made of released values or of the request, so that
 * the same release gives the same clusters on every machine. Nothing private is ever hidden
 * behind it; noise is drawn in dice/, by mech/ alone.
 */
#ifndef JALI_EXPLAIN_CLUSTER_STREAM_H
#define JALI_EXPLAIN_CLUSTER_STREAM_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct jali_stream {
    uint64_t at;
} jali_stream;

/* Steele, Lea, Flood, OOPSLA 2014 (SplitMix64). */
static inline uint64_t jali_stream_word(jali_stream *s)
{
    uint64_t z = (s->at += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* At least 0, below 1. */
static inline double jali_stream_unit(jali_stream *s)
{
    return (double)(jali_stream_word(s) >> 11) * 0x1p-53;
}

static inline size_t jali_stream_below(jali_stream *s, size_t n)
{
    return (size_t)(jali_stream_unit(s) * (double)n);
}

static inline double jali_stream_normal(jali_stream *s)
{
    double u = 1 - jali_stream_unit(s), v = jali_stream_unit(s);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

/* Folds a released number in, so that two releases begin at two places. */
static inline void jali_stream_fold(jali_stream *s, int64_t released)
{
    s->at ^= (uint64_t)released;
    s->at = jali_stream_word(s);
}

#endif
