/* tally/geometry.h — columns as coordinates: whole numbers, from public facts alone.
 *
 * A space says which dimensions a clustering has: a column's codes, or "is it this value?".
 * Each has a public width, 1 for a column that is scaled by its bounds. A frame is a box of
 * the space cut into equal small steps; a record's place in it is a vector of integers, the
 * same on every machine. Distances are sums of squares of those integers, so they are exact.
 *
 * NULL has a place, too: the middle of a column's bounds, and "no" for every value asked for.
 */
#ifndef JALI_TALLY_GEOMETRY_H
#define JALI_TALLY_GEOMETRY_H

#include "base/arena.h"
#include "base/err.h"
#include "table/schema.h"

enum {
    JALI_GEOMETRY_AXES = 2048, /* one-hot values included                                     */
    JALI_AXIS_TOP = 16383, /* largest coordinate; with many axes less, see jali_frame_make */
    JALI_AXIS_SPAN = 65535
};

/* How the code of a column becomes a coordinate 0 .. top, in 32-bit steps that vectors have:
 *   number    c = min(max(code - low, 0) << up >> down, span), coordinate = c * mul >> 16
 *   one-hot   coordinate = code == low ? top : 0
 * and `null` for NULL, the last code of the domain. */
typedef struct jali_ruler {
    const char *column;
    uint64_t domain, low;
    bool one_hot;
    unsigned up, down; /* one of them is 0 */
    uint32_t span, mul, top, null;
} jali_ruler;

uint32_t jali_ruler_at(const jali_ruler *axis, uint64_t code);

/* Is it an axis that the kernels can walk? For axes that came in as JSON. */
bool jali_ruler_is_sound(const jali_ruler *axis);

/* Codes a step of the coordinate, as a real number: only to tell places in words. */
double jali_ruler_slope(const jali_ruler *axis);

/* The least code whose coordinate is at least `at` (domain - 1 if there is none). */
uint64_t jali_ruler_code(const jali_ruler *axis, uint32_t at);

typedef struct jali_dimension {
    size_t field; /* of the schema */
    bool one_hot;
    uint64_t code;   /* one-hot: of the value asked for   */
    uint64_t domain; /* of the column                     */
    double width;    /* of the whole domain, in the space */
} jali_dimension;

/* Whether every column has width 1, or the width of its bounds over the widest. */
typedef enum jali_scaling { JALI_SCALE_BOUNDS, JALI_SCALE_VALUES } jali_scaling;

typedef struct jali_geometry {
    const jali_schema *schema;
    size_t n;
    const jali_dimension *dimension;
    jali_scaling scaling;
    double diagonal; /* of the public box */
} jali_geometry;

/* The space of n columns. A name may end in ":codes" (the order of the values is their place)
 * or ":onehot"; without it strings are one-hot, everything else goes by its codes. Refuses
 * (JALI_E_USAGE, analyst) unknown, repeated, too many. Lives in the arena. */
JALI_MUST_USE jali_status jali_geometry_make(jali_geometry *out, const jali_schema *schema,
                                             const char *const *names, size_t n,
                                             jali_scaling scaling, jali_arena *arena,
                                             jali_err *err);

/* A box of the space cut into steps of `unit`, alike along every axis. */
typedef struct jali_frame {
    const jali_geometry *space;
    size_t n;
    const jali_ruler *axis;
    double unit;
} jali_frame;

/* The frame from low[j] to high[j] (NULL: the public box), both in the space's own measure,
 * 0 .. width. Records outside are moved to its border. Of every n axes, 3 * n * (top / 2)^2
 * stays below 2^31. */
JALI_MUST_USE jali_status jali_frame_make(jali_frame *out, const jali_geometry *space,
                                          const double *low, const double *high,
                                          jali_arena *arena, jali_err *err);

/* Real coordinates (in units of the frame) to the measure of the space and back. */
double jali_frame_out(const jali_frame *frame, size_t axis, double at);
double jali_frame_in(const jali_frame *frame, size_t axis, double at);

#endif
