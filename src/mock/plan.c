/* mock/plan.c — what a generated table of categories has planted in it. */
#include "mock/plan.h"

/* The later plants of a cluster are weaker, each by this factor; values of an attribute
 * fall off like 1/i^fall. */
static const double weaker = 0.7, fall = 0.8;

static jali_status check_domains(const jali_mock_options *o, jali_err *err)
{
    uint64_t cells = 0, largest = 0;
    for (unsigned j = 0; j < o->n_domains; j++) {
        if (o->domains[j] < 1 || o->domains[j] >= JALI_MOCK_MAX_DOMAIN)
            return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                             "a domain of %u values cannot be written: give 1 to %d values",
                             o->domains[j], JALI_MOCK_MAX_DOMAIN - 1);
        cells += o->domains[j];
        if (o->domains[j] > largest) largest = o->domains[j];
    }
    cells += o->clusters * (uint64_t)(o->planted < o->n_domains ? o->planted : o->n_domains) *
             largest;
    if (cells > JALI_MOCK_MAX_CELLS)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "the table to draw from would have %llu entries, more than %d: give "
                         "smaller domains, fewer clusters or fewer planted attributes",
                         (unsigned long long)cells, JALI_MOCK_MAX_CELLS);
    return JALI_OK;
}

static jali_status check(const jali_mock_options *o, jali_err *err)
{
    JALI_TRY(jali_mock_counts(o, err));
    JALI_TRY(jali_mock_share(o->strength, "--strength", err));
    JALI_TRY(jali_mock_share(o->missing, "--missing", err));
    if (o->n_domains < 1 || o->n_domains > JALI_MOCK_MAX_COLUMNS ||
        o->numeric > JALI_MOCK_MAX_COLUMNS)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "%u attributes and %u numeric columns make no table: give 1 to %d "
                         "attributes and at most %d numbers",
                         o->n_domains, o->numeric, JALI_MOCK_MAX_COLUMNS,
                         JALI_MOCK_MAX_COLUMNS);
    return check_domains(o, err);
}

/* ---- what is planted ------------------------------------------------------------- */

static void *room(jali_mock_plan *t, size_t n, size_t size)
{
    return jali_arena_take(t->arena, n == 0 ? 1 : n, size);
}

static bool make_weights(jali_mock_plan *t)
{
    t->weight = room(t, t->o->clusters, sizeof *t->weight);
    t->base = room(t, t->columns, sizeof *t->base);
    if (t->weight == NULL || t->base == NULL) return false;
    jali_mock_zipf(t->weight, t->o->clusters, t->o->imbalance);
    if (t->shape != NULL)
        memcpy(t->weight, t->shape->group_share, t->o->clusters * sizeof *t->weight);
    for (unsigned j = 0; j < t->columns; j++) {
        unsigned n = t->o->domains[j];
        double *w = t->base[j] = room(t, n, sizeof *w);
        if (w == NULL) return false;
        jali_mock_draw d;
        jali_mock_draw_init(&d, t->o->seed, "order of values", j);
        jali_mock_zipf(w, n, fall);
        for (unsigned i = n; i-- > 1;) {
            unsigned other = jali_mock_draw_below(&d, i + 1);
            double keep = w[i];
            w[i] = w[other];
            w[other] = keep;
        }
    }
    return true;
}

static bool used(const jali_mock_plan *t, unsigned cluster, unsigned column)
{
    for (size_t i = 0; i < t->n_plants; i++)
        if (t->plants[i].cluster == cluster && t->plants[i].column == column) return true;
    return false;
}

static bool taken(const jali_mock_plan *t, unsigned column, unsigned value)
{
    for (size_t i = 0; i < t->n_plants; i++)
        if (t->plants[i].column == column && t->plants[i].value == value) return true;
    return false;
}

/* One of the values that the others seldom have, yet not their very rarest. */
static unsigned seldom(const double *w, unsigned n, jali_mock_draw *d)
{
    unsigned best = jali_mock_draw_below(d, n);
    for (int i = 0; i < 2; i++) {
        unsigned other = jali_mock_draw_below(d, n);
        if (w[other] < w[best]) best = other;
    }
    return best;
}

/* Clusters take turns in pushing a measure up and down. */
static jali_mock_plant make_plant(jali_mock_plan *t, unsigned cluster, unsigned turn,
                                  unsigned column, jali_mock_draw *d)
{
    jali_mock_plant p = { .cluster = cluster, .column = column, .strength = t->o->strength };
    for (unsigned i = 0; i < turn; i++) p.strength *= weaker;
    /* Two clusters with one value would undo each other; small domains may have to. */
    for (int i = 0; i < 20 && (i == 0 || taken(t, column, p.value)); i++)
        p.value = seldom(t->base[column], t->o->domains[column], d);
    if (t->o->numeric > 0) {
        p.measure = turn % t->o->numeric;
        p.shift = cluster % 2 == 0 ? 1.5 : -1;
    }
    return p;
}

static bool make_plants(jali_mock_plan *t)
{
    unsigned fit = 0;
    for (unsigned j = 0; j < t->columns; j++)
        fit += !jali_mock_plan_grouped(t, j) && t->o->domains[j] >= 2;
    unsigned each = t->o->planted < fit ? t->o->planted : fit;
    t->plants = room(t, (size_t)each * t->o->clusters, sizeof *t->plants);
    if (t->plants == NULL) return false;
    if (t->o->plain || t->o->strength <= 0) return true;
    jali_mock_draw d;
    jali_mock_draw_init(&d, t->o->seed, "plants", 0);
    for (unsigned c = 0; c < t->o->clusters; c++)
        for (unsigned turn = 0; turn < each;) {
            unsigned j = jali_mock_draw_below(&d, t->columns);
            if (jali_mock_plan_grouped(t, j) || t->o->domains[j] < 2 || used(t, c, j)) continue;
            t->plants[t->n_plants++] = make_plant(t, c, turn++, j, &d);
        }
    return true;
}

/* Shares as they must come out, for the truth. */
static void expect_shares(jali_mock_plan *t)
{
    for (size_t i = 0; i < t->n_plants; i++) {
        jali_mock_plant *p = &t->plants[i];
        double base = t->base[p->column][p->value], rest = 0, elsewhere = 0;
        p->inside = base + p->strength * (1 - base);
        for (unsigned c = 0; c < t->o->clusters; c++) {
            if (c == p->cluster) continue;
            double share = base;
            for (size_t k = 0; k < t->n_plants; k++) {
                const jali_mock_plant *q = &t->plants[k];
                if (q->cluster != c || q->column != p->column) continue;
                share = base * (1 - q->strength) + (q->value == p->value ? q->strength : 0);
            }
            rest += t->weight[c];
            elsewhere += t->weight[c] * share;
        }
        p->outside = rest > 0 ? elsewhere / rest : 0;
    }
}

/* ---- tables to draw from --------------------------------------------------------- */

static bool make_alias(jali_mock_plan *t, jali_mock_alias *a, const double *weight, unsigned n)
{
    a->n = n;
    a->keep = room(t, n, sizeof *a->keep);
    a->other = room(t, n, sizeof *a->other);
    double *scratch = calloc(2 * (size_t)n, sizeof *scratch);
    bool good = a->keep != NULL && a->other != NULL && scratch != NULL;
    if (good) jali_mock_alias_fill(a, weight, scratch);
    free(scratch);
    return good;
}

/* Clusters share a column's table but for those that were planted in it. */
static bool make_tables(jali_mock_plan *t)
{
    t->alias = room(t, (size_t)t->o->clusters * t->columns, sizeof *t->alias);
    if (t->alias == NULL || !make_alias(t, &t->label, t->weight, t->o->clusters)) return false;
    for (unsigned j = 0; j < t->columns; j++) {
        if (!make_alias(t, &t->alias[j], t->base[j], t->o->domains[j])) return false;
        for (unsigned c = 1; c < t->o->clusters; c++)
            t->alias[(size_t)c * t->columns + j] = t->alias[j];
    }
    for (size_t i = 0; i < t->n_plants; i++) {
        const jali_mock_plant *p = &t->plants[i];
        unsigned n = t->o->domains[p->column];
        double *w = calloc(n, sizeof *w);
        if (w == NULL) return false;
        for (unsigned v = 0; v < n; v++)
            w[v] =
                (1 - p->strength) * t->base[p->column][v] + (v == p->value ? p->strength : 0);
        bool good = make_alias(t, &t->alias[(size_t)p->cluster * t->columns + p->column], w, n);
        free(w);
        if (!good) return false;
    }
    return true;
}

jali_status jali_mock_plan_make(jali_mock_plan *t, const jali_mock_options *o,
                                jali_arena *arena, jali_err *err)
{
    const jali_mock_shape *shape = jali_mock_shape_named(o->preset);
    JALI_TRY(check(o, err));
    *t = (jali_mock_plan){ .o = o, .arena = arena, .columns = o->n_domains };
    /* A preset whose shape was changed by hand is a nameless table again. */
    if (shape != NULL && shape->names != NULL && o->domains == shape->domains &&
        o->n_domains == shape->n_domains && o->numeric == 1 && o->clusters == shape->clusters)
        t->shape = shape;
    if (!make_weights(t) || !make_plants(t) || !make_tables(t)) return jali_fail_memory(err);
    expect_shares(t);
    return JALI_OK;
}
