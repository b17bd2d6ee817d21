/* score/space.c — the predicates that may explain: described and numbered, never listed.
 *
 * No claim: numbers and names of predicates, all from the request and the schema. That the
 * space is the same for all tables is what the claims of score/influence.c rest on.
 *
 * Parts come by length, then by attributes in their order; the predicates of a part are the
 * digits of a mixed radix, the last attribute fastest; the list comes last.
 */
#include "score/parts.h"

static const uint64_t most = (uint64_t)1 << 60;

uint64_t jali_space_marks(const jali_space_attribute *a)
{
    return a->mark != NULL ? a->n : a->domain - (a->nulls ? 0 : 1);
}

static jali_status check_attribute(const jali_space_attribute *a, jali_err *err)
{
    bool good = a->domain > 0;
    for (size_t i = 0; good && a->mark != NULL && i < a->n; i++)
        good = a->mark[i].lo <= a->mark[i].hi && a->mark[i].hi < a->domain;
    if (good) return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "a predicate on \"%.100s\" asks for values outside its domain", a->column);
}

static jali_status check(const jali_space_spec *s, jali_err *err)
{
    if (s->n == 0 && s->n_listed == 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "there is no predicate to choose from: name attributes or list some");
    if (s->n > 0 && (s->shortest < 1 || s->longest < s->shortest ||
                     s->longest > JALI_SPACE_LENGTH || s->longest > s->n))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "conjunctions have 1 to %d parts, and not more than there are "
                         "attributes (%zu)",
                         JALI_SPACE_LENGTH, s->n);
    if (s->n > JALI_SPACE_ATTRIBUTES || s->n_listed > JALI_SPACE_LISTED)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "at most %d attributes and %d listed predicates can be looked at "
                         "together",
                         JALI_SPACE_ATTRIBUTES, JALI_SPACE_LISTED);
    for (size_t i = 0; i < s->n; i++) JALI_TRY(check_attribute(&s->attribute[i], err));
    return JALI_OK;
}

/* How many sets of l of n attributes: few enough, or more than JALI_SPACE_PARTS. */
static uint64_t choose(uint64_t n, unsigned l)
{
    uint64_t c = 1;
    for (unsigned i = 0; i < l; i++) c = c * (n - i) / (i + 1);
    return c;
}

static jali_status too_many(jali_err *err)
{
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "there are too many predicates; take fewer attributes or shorter "
                     "conjunctions");
}

static jali_status measure(const jali_space *s, jali_space_part *p, jali_err *err)
{
    p->size = p->cells = 1;
    for (unsigned k = 0; k < p->n; k++) {
        const jali_space_attribute *a = &s->spec.attribute[p->attribute[k]];
        p->ranged |= a->mark != NULL;
        if (__builtin_mul_overflow(p->size, jali_space_marks(a), &p->size) || p->size > most ||
            __builtin_mul_overflow(p->cells, a->domain, &p->cells) || p->cells > most)
            return too_many(err);
    }
    p->sparse = !p->ranged && p->cells > JALI_SPACE_DENSE;
    if (p->ranged && (p->cells > JALI_SPACE_RANGED || p->size > JALI_SPACE_RANGED))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "ranges over \"%.100s\" and what goes with it make a table of more "
                         "than %d cells; take coarser bins or shorter conjunctions",
                         s->spec.attribute[p->attribute[0]].column, JALI_SPACE_RANGED);
    return JALI_OK;
}

static jali_status add_part(jali_space *s, const size_t *pick, unsigned l, jali_err *err)
{
    jali_space_part *p = &s->part[s->n_parts];
    *p = (jali_space_part){ .n = l, .first = s->size };
    for (unsigned k = 0; k < l; k++) p->attribute[k] = pick[k];
    JALI_TRY(measure(s, p, err));
    s->size += p->size;
    if (s->size > most) return too_many(err);
    s->n_parts += p->size > 0;
    return JALI_OK;
}

/* All sets of l attributes, in order. */
static jali_status add_parts(jali_space *s, unsigned l, jali_err *err)
{
    size_t pick[JALI_SPACE_LENGTH] = { 0, 1, 2 }, n = s->spec.n;
    for (;;) {
        JALI_TRY(add_part(s, pick, l, err));
        size_t k = l;
        while (k > 0 && pick[k - 1] == n - l + k - 1) k--;
        if (k == 0) return JALI_OK;
        for (pick[k - 1]++; k < l; k++) pick[k] = pick[k - 1] + 1;
    }
}

jali_status jali_space_new(const jali_space **out, const jali_space_spec *spec,
                           jali_arena *arena, jali_err *err)
{
    JALI_TRY(check(spec, err));
    uint64_t parts = 0;
    for (unsigned l = spec->shortest; spec->n > 0 && l <= spec->longest; l++)
        parts += choose(spec->n, l);
    if (parts > JALI_SPACE_PARTS) return too_many(err);
    jali_space *s = jali_arena_take(arena, 1, sizeof *s);
    if (s == NULL) return jali_fail_memory(err);
    s->spec = *spec;
    s->part = jali_arena_take(arena, (size_t)parts + 1, sizeof *s->part);
    if (s->part == NULL) return jali_fail_memory(err);
    for (unsigned l = spec->shortest; spec->n > 0 && l <= spec->longest; l++)
        JALI_TRY(add_parts(s, l, err));
    s->listed = s->size;
    s->size += spec->n_listed;
    if (s->size == 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "the attributes have no values, so there is no predicate");
    *out = s;
    return JALI_OK;
}

uint64_t jali_space_size(const jali_space *space)
{
    return space->size;
}

static jali_range range_of(const jali_space_attribute *a, uint64_t mark)
{
    return a->mark != NULL ? a->mark[mark] : (jali_range){ mark, mark };
}

void jali_space_at(const jali_space *space, uint64_t index, jali_space_member *out)
{
    *out = (jali_space_member){ .listed = index >= space->listed };
    if (out->listed) {
        out->list = (size_t)(index - space->listed);
        return;
    }
    size_t lo = 0, hi = space->n_parts; /* the part is in [lo, hi) */
    while (hi - lo > 1) {
        size_t middle = lo + (hi - lo) / 2;
        if (space->part[middle].first <= index)
            lo = middle;
        else
            hi = middle;
    }
    const jali_space_part *p = &space->part[lo];
    index -= p->first;
    out->n = p->n;
    for (unsigned k = p->n; k-- > 0;) {
        const jali_space_attribute *a = &space->spec.attribute[p->attribute[k]];
        uint64_t marks = jali_space_marks(a);
        out->attribute[k] = p->attribute[k];
        out->mark[k] = index % marks;
        out->range[k] = range_of(a, out->mark[k]);
        index /= marks;
    }
}

static bool is_part(const jali_space_part *p, const jali_space_member *m)
{
    bool same = p->n == m->n;
    for (unsigned k = 0; same && k < p->n; k++) same = p->attribute[k] == m->attribute[k];
    return same;
}

uint64_t jali_space_find(const jali_space *space, const jali_space_member *member)
{
    if (member->listed)
        return member->list < space->spec.n_listed ? space->listed + member->list : UINT64_MAX;
    for (size_t i = 0; i < space->n_parts; i++) {
        const jali_space_part *p = &space->part[i];
        if (!is_part(p, member)) continue;
        uint64_t index = 0;
        for (unsigned k = 0; k < p->n; k++) {
            uint64_t marks = jali_space_marks(&space->spec.attribute[p->attribute[k]]);
            if (member->mark[k] >= marks) return UINT64_MAX;
            index = index * marks + member->mark[k];
        }
        return p->first + index;
    }
    return UINT64_MAX;
}
