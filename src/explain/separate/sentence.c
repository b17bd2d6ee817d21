/* explain/separate/sentence.c — a released histogram pair in one sentence.
 *
 * No claim: only released numbers come in, so that everything here is post-processing.
 */
#include "base/text.h"
#include "explain/separate/view.h"
#include <math.h>

static double lead(const jali_view_pair *p, uint32_t i)
{
    double in = p->inside_all.value, out = p->elsewhere_all.value;
    return p->inside[i] / in - (out > 0 ? p->elsewhere[i] / out : 0);
}

/* The run with the largest lead altogether; of columns without order, the best single bar. */
static void best_run(const jali_view *v, const jali_view_pair *p, uint32_t *from, uint32_t *to)
{
    bool ordered = jali_shown_ordered(v->schema, &p->shown);
    uint32_t last = p->shown.values - 1, start = 0; /* NULL joins no run */
    double best = lead(p, last), run = 0;
    *from = *to = last;
    for (uint32_t i = 0; i < last; i++) {
        if (!ordered || run <= 0) {
            run = 0;
            start = i;
        }
        run += lead(p, i);
        if (run <= best) continue;
        best = run;
        *from = start;
        *to = i;
    }
}

bool jali_view_best(const jali_view *v, const jali_view_pair *p, uint32_t *from, uint32_t *to)
{
    if (p->too_small) return false;
    best_run(v, p, from, to);
    jali_about in = jali_view_share(v, p, true, *from, *to);
    jali_about out = jali_view_share(v, p, false, *from, *to);
    if (isnan(in.half)) return false;
    if (isnan(out.half)) return v->clusters == 1;
    return in.value - out.value > sqrt(in.half * in.half + out.half * out.half);
}

/* 12345 with 3 digits to keep: "12,300". */
static void write_about(char out[static 40], double x, double half)
{
    double grain = half > 0 ? pow(10, floor(log10(half))) : 1;
    if (grain < 1) grain = 1;
    long long n = (long long)(round(x / grain) * grain);
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%lld", n), at = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
}

static const char *people(const jali_view *v)
{
    return v->schema->rows_per_person > 1 ? "rows" : "people";
}

static const char *small_sentence(const jali_view *v, const jali_view_pair *p,
                                  jali_arena *arena)
{
    char most[40];
    write_about(most, p->inside_all.value + p->inside_all.half, p->inside_all.half);
    return jali_arena_format(arena,
                             "Cluster %u is too small for its noise: it may have up to %s %s, "
                             "and its bars say nothing.",
                             p->cluster, most, people(v));
}

static const char *flat_sentence(const jali_view *v, const jali_view_pair *p, const char *size,
                                 jali_arena *arena)
{
    return jali_arena_format(
        arena,
        "Cluster %u (about %s %s): %s is no different from elsewhere, as far "
        "as the noise lets one see.",
        p->cluster, size, people(v), v->schema->fields[p->shown.field].name);
}

const char *jali_view_sentence(const jali_view *v, const jali_view_pair *p, jali_arena *arena)
{
    uint32_t from, to;
    char size[40];
    if (p->too_small) return small_sentence(v, p, arena);
    write_about(size, p->inside_all.value, p->inside_all.half);
    if (!jali_view_best(v, p, &from, &to)) return flat_sentence(v, p, size, arena);
    jali_about inside = jali_view_share(v, p, true, from, to);
    jali_about beside = jali_view_share(v, p, false, from, to);
    double in = inside.value, out = beside.value;
    /* Whole percents are told, so that what they may be wrong by is, too: rounded up. */
    double by = ceil(100 * fmax(inside.half, isnan(beside.half) ? 0 : beside.half));
    const char *name = jali_shown_name(v->schema, &p->shown, from, to, arena);
    if (name == NULL) return NULL;
    const char *often = in >= 0.3 ? "mostly" : "more often";
    if (isnan(out))
        return jali_arena_format(
            arena, "Cluster %u (about %s %s): %s is %s %s (%.0f%%, give or take %.0f%%).",
            p->cluster, size, people(v), v->schema->fields[p->shown.field].name, often, name,
            100 * in, by);
    return jali_arena_format(
        arena,
        "Cluster %u (about %s %s): %s is %s %s (%.0f%% against %.0f%% elsewhere, give "
        "or take %.0f%%).",
        p->cluster, size, people(v), v->schema->fields[p->shown.field].name, often, name,
        100 * in, 100 * out, by);
}
