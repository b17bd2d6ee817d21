/* tally/geometry.c — columns as coordinates: whole numbers, from public facts alone. */
#include "tally/geometry.h"
#include <math.h>
#include <string.h>

/* ---- one axis ---------------------------------------------------------------------- */

static uint64_t widest(const jali_ruler *a)
{
    return a->up > 0 ? a->span >> a->up : (((uint64_t)a->span + 1) << a->down) - 1;
}

uint32_t jali_ruler_at(const jali_ruler *a, uint64_t code)
{
    if (code + 1 >= a->domain) return a->null;
    if (a->one_hot) return code == a->low ? a->top : 0;
    uint64_t over = code > a->low ? code - a->low : 0, most = widest(a);
    if (over > most) over = most;
    return (uint32_t)(((over << a->up) >> a->down) * a->mul >> 16);
}

bool jali_ruler_is_sound(const jali_ruler *a)
{
    if (a->domain == 0 || a->domain > JALI_MAX_STEPS + 2 || a->low >= a->domain) return false;
    if (a->top > JALI_AXIS_TOP || a->null > a->top) return false;
    if (a->one_hot) return true;
    return a->up <= 16 && a->down <= (a->domain <= UINT32_MAX ? 31u : 40u) &&
           (a->up == 0 || a->down == 0) && a->span <= JALI_AXIS_SPAN &&
           a->mul <= JALI_AXIS_SPAN && (uint32_t)((uint64_t)a->span * a->mul >> 16) <= a->top;
}

double jali_ruler_slope(const jali_ruler *a)
{
    if (a->mul == 0) return 0;
    return 65536.0 / a->mul * ldexp(1, (int)a->down - (int)a->up);
}

uint64_t jali_ruler_code(const jali_ruler *a, uint32_t at)
{
    uint64_t low = 0, high = a->domain - 1; /* the answer is in [low, high] */
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (jali_ruler_at(a, middle) >= at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* An axis whose codes from `low` to `high` get the coordinates 0 .. top. */
static jali_ruler axis_between(uint64_t low, uint64_t high, uint32_t top)
{
    jali_ruler a = { .low = low, .top = top };
    uint64_t span = high > low ? high - low : 0;
    if (span == 0) {
        a.top = 0;
        return a;
    }
    while (span << a.up <= JALI_AXIS_SPAN / 2) a.up++;
    while (span >> a.down > JALI_AXIS_SPAN) a.down++;
    a.span = (uint32_t)((span << a.up) >> a.down);
    a.mul = (uint32_t)(((uint64_t)top * 65536 + a.span - 1) / a.span);
    return a;
}

/* ---- the space ---------------------------------------------------------------------- */

static jali_status too_many(jali_err *err)
{
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "a space has at most %d axes, and every value of a one-hot column is one: "
                     "name fewer columns, or take some by their codes (NAME:codes)",
                     JALI_GEOMETRY_AXES);
}

/* "job:onehot" is the column job, unless there is a column of that whole name. */
static jali_status find(const jali_schema *schema, const char *name, jali_arena *arena,
                        size_t *field, bool *one_hot, jali_err *err)
{
    const char *colon = strrchr(name, ':');
    bool codes = colon != NULL && strcmp(colon, ":codes") == 0;
    bool hot = colon != NULL && strcmp(colon, ":onehot") == 0;
    if ((codes || hot) && jali_schema_find(schema, name, field, NULL) != JALI_OK) {
        char *whole = jali_arena_format(arena, "%.*s", (int)(colon - name), name);
        if (whole == NULL) return jali_fail_memory(err);
        JALI_TRY(jali_schema_find(schema, whole, field, err));
    } else {
        JALI_TRY(jali_schema_find(schema, name, field, err));
        codes = hot = false;
    }
    const jali_field *f = &schema->fields[*field];
    *one_hot = hot || (!codes && f->kind == JALI_CATEGORY && f->type == JALI_STRING);
    if (hot && f->kind != JALI_CATEGORY)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "\"%.100s\" is a number and cannot be one-hot: leave :onehot away",
                         f->name);
    return JALI_OK;
}

static size_t axes_of(const jali_field *f, bool one_hot)
{
    return one_hot ? (size_t)(f->domain - 1) : 1;
}

/* The length of a number's bounds in its own unit; a step of a category counts 1. */
static double length_of(const jali_field *f)
{
    double steps = f->domain < 3 ? 0 : (double)(f->domain - 2);
    if (f->kind != JALI_NUMBER) return steps;
    return steps * (double)f->step.units * pow(10, -(double)f->step.digits);
}

static void add_field(jali_dimension *to, const jali_schema *schema, size_t field, bool hot)
{
    const jali_field *f = &schema->fields[field];
    size_t n = axes_of(f, hot);
    for (size_t v = 0; v < n; v++)
        to[v] = (jali_dimension){ .field = field,
                                  .one_hot = hot,
                                  .code = v,
                                  .domain = f->domain,
                                  /* two different values are then 1 apart */
                                  .width = hot             ? sqrt(0.5)
                                           : f->domain < 3 ? 0
                                                           : 1 };
}

static void scale(jali_geometry *s, jali_dimension *d, jali_scaling scaling)
{
    double longest = 0, square = 0;
    for (size_t j = 0; j < s->n; j++)
        if (!d[j].one_hot) longest = fmax(longest, length_of(&s->schema->fields[d[j].field]));
    for (size_t j = 0; j < s->n; j++) {
        if (scaling == JALI_SCALE_VALUES && !d[j].one_hot && longest > 0)
            d[j].width = length_of(&s->schema->fields[d[j].field]) / longest;
        square += d[j].width * d[j].width;
    }
    s->diagonal = sqrt(square);
    s->dimension = d;
}

jali_status jali_geometry_make(jali_geometry *out, const jali_schema *schema,
                               const char *const *names, size_t n, jali_scaling scaling,
                               jali_arena *arena, jali_err *err)
{
    jali_geometry s = { .schema = schema, .scaling = scaling };
    jali_dimension *d = jali_arena_take(arena, JALI_GEOMETRY_AXES, sizeof *d);
    if (d == NULL) return jali_fail_memory(err);
    if (n == 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "name the columns to be clustered: --columns a,b,c");
    for (size_t i = 0; i < n; i++) {
        size_t field;
        bool hot;
        JALI_TRY(find(schema, names[i], arena, &field, &hot, err));
        for (size_t j = 0; j < s.n; j++)
            if (d[j].field == field)
                return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                                 "column \"%.100s\" is named twice",
                                 schema->fields[field].name);
        size_t more = axes_of(&schema->fields[field], hot);
        if (more > JALI_GEOMETRY_AXES - s.n) return too_many(err);
        add_field(d + s.n, schema, field, hot);
        s.n += more;
    }
    scale(&s, d, scaling);
    *out = s;
    return JALI_OK;
}

/* ---- a frame of it -------------------------------------------------------------------- */

/* 3 n (top/2)^2 < 2^31: the scores of tally/nearest.h then fit 32 bits. */
static uint32_t top_for(size_t n)
{
    uint32_t top = JALI_AXIS_TOP;
    while (top > 1 && 3.0 * (double)n * (top / 2 + 1) * (top / 2 + 1) >= 2147483648.0)
        top -= top / 64 + 1;
    return top;
}

static double code_place(const jali_dimension *d, double at)
{
    double last = (double)(d->domain - 2), code = d->width > 0 ? at / d->width * last : 0;
    return fmin(fmax(code, 0), last);
}

static jali_ruler frame_axis(const jali_dimension *d, double low, double high, double unit,
                             uint32_t most)
{
    jali_ruler a = { 0 };
    double steps = unit > 0 ? (high - low) / unit : 0;
    uint32_t top = steps < 1 ? (high > low) : (uint32_t)fmin(steps, most);
    if (d->one_hot)
        a = (jali_ruler){ .one_hot = true, .low = d->code, .top = top };
    else if (d->domain >= 2) {
        a = axis_between((uint64_t)floor(code_place(d, low)),
                         (uint64_t)ceil(code_place(d, high)), top);
        a.domain = d->domain;
        a.null = jali_ruler_at(&a, (d->domain - 2) / 2);
        if (a.null > a.top) a.null = a.top;
    }
    a.domain = d->domain;
    return a;
}

jali_status jali_frame_make(jali_frame *out, const jali_geometry *space, const double *low,
                            const double *high, jali_arena *arena, jali_err *err)
{
    jali_ruler *axis = jali_arena_take(arena, space->n, sizeof *axis);
    if (axis == NULL) return jali_fail_memory(err);
    uint32_t top = top_for(space->n);
    double widest = 0;
    for (size_t j = 0; j < space->n; j++) {
        const jali_dimension *d = &space->dimension[j];
        bool whole = low == NULL || d->one_hot;
        widest = fmax(widest, whole ? d->width : high[j] - low[j]);
    }
    double unit = widest > 0 ? widest / top : 1;
    for (size_t j = 0; j < space->n; j++) {
        const jali_dimension *d = &space->dimension[j];
        bool whole = low == NULL || d->one_hot;
        axis[j] = frame_axis(d, whole ? 0 : low[j], whole ? d->width : high[j], unit, top);
        axis[j].column = space->schema->fields[d->field].name;
    }
    *out = (jali_frame){ space, space->n, axis, unit };
    return JALI_OK;
}

double jali_frame_out(const jali_frame *frame, size_t axis, double at)
{
    const jali_ruler *a = &frame->axis[axis];
    const jali_dimension *d = &frame->space->dimension[axis];
    if (a->one_hot) return a->top > 0 ? at / a->top * d->width : 0;
    if (d->domain < 3) return 0;
    return ((double)a->low + at * jali_ruler_slope(a)) / (double)(d->domain - 2) * d->width;
}

double jali_frame_in(const jali_frame *frame, size_t axis, double at)
{
    const jali_ruler *a = &frame->axis[axis];
    const jali_dimension *d = &frame->space->dimension[axis];
    double slope = jali_ruler_slope(a);
    if (a->one_hot) return d->width > 0 ? at / d->width * a->top : 0;
    if (d->domain < 3 || slope <= 0) return 0;
    return (at / d->width * (double)(d->domain - 2) - (double)a->low) / slope;
}
