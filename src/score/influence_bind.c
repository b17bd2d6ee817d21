/* score/influence_bind.c — predicates and the tallies that hold their numbers.
 *
 * No claim: shapes and pointers only. Which predicates there are depends on the domains of
 * the attributes and on spec.nulls, never on a cell: a predicate that matches nothing is a
 * candidate with score 0 like any other.
 */
#include "score/open.h"
#include "tally/open.h"

static uint64_t sum_size(const jali_influence_spec *spec)
{
    uint64_t above = spec->codes - 1 - spec->centre;
    return above > spec->centre ? above : spec->centre;
}

/* A tally counted for another unit of person, or sums about another centre, would make the
 * bounds of the spec false; their reaches give both away. */
static bool agree(const jali_influence_spec *spec, const jali_tally *counts,
                  const jali_tally *sums)
{
    uint64_t m = spec->rows_per_person;
    if (counts == NULL || counts->axes == 0 || counts->extent[0] < spec->groups ||
        counts->reach.l1 != m || (sums == NULL) != (spec->of == JALI_INFLUENCE_COUNT))
        return false;
    if (sums == NULL) return true;
    bool same = sums->n == counts->n && sums->axes == counts->axes;
    for (unsigned k = 0; same && k < sums->axes; k++)
        same = sums->extent[k] == counts->extent[k];
    return same && sums->reach.l1 == m * sum_size(spec);
}

bool jali_influence_agrees(const jali_influence *influence, const jali_tally *counts,
                           const jali_tally *sums)
{
    return agree(&influence->spec, counts, sums);
}

/* One predicate for each known code of each attribute and, with nulls, for NULL. */
static bool cells_of(jali_influence_cells *out, const jali_influence *influence,
                     const jali_tally *counts, const jali_tally *sums)
{
    if (counts->axes < 2 || counts->axes > 1 + JALI_INFLUENCE_ATTRIBUTES) return false;
    *out = (jali_influence_cells){ .count = counts->cell,
                                   .sum = sums == NULL ? NULL : sums->cell,
                                   .attributes = counts->axes - 1 };
    uint64_t cells = counts->extent[0];
    for (unsigned k = 0; k < out->attributes; k++) {
        out->extent[k] = counts->extent[k + 1];
        if (out->extent[k] == 0) return false;
        out->values[k] = out->extent[k] - (influence->spec.nulls ? 0 : 1);
        cells *= out->extent[k];
    }
    return cells == counts->n;
}

static bool lay(jali_influence_table *t, const jali_influence_cells *cells)
{
    if (cells->attributes == 0 || cells->attributes > JALI_INFLUENCE_ATTRIBUTES) return false;
    t->count = cells->count;
    t->sum = cells->sum;
    t->attributes = cells->attributes;
    t->predicates = 1;
    t->cells = 1;
    for (unsigned k = 0; k < t->attributes; k++) {
        if (cells->values[k] > cells->extent[k]) return false;
        t->extent[k] = cells->extent[k];
        t->values[k] = cells->values[k];
        t->predicates *= t->values[k];
        t->cells *= (size_t)t->extent[k];
    }
    return true;
}

static void totals(jali_influence_table *t, const jali_tally *n, const jali_tally *S)
{
    t->M = 1;
    for (unsigned j = 0; j < t->influence->spec.groups; j++) {
        t->n[j] = n->cell[j];
        t->S[j] = S == NULL ? 0 : S->cell[j];
        t->M = t->n[j] + 1 > t->M ? t->n[j] + 1 : t->M;
    }
}

static jali_status refuse(jali_err *err)
{
    return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_ANALYST,
                     "the tallies of an influence have another shape than its question");
}

jali_status jali_influence_lay(jali_influence_table *out, const jali_influence *influence,
                               const jali_influence_cells *cells, const jali_tally *n,
                               const jali_tally *S, jali_err *err)
{
    *out = (jali_influence_table){ .influence = influence };
    if (!agree(&influence->spec, n, S) || n->axes != 1 || !lay(out, cells)) return refuse(err);
    totals(out, n, S);
    return JALI_OK;
}

jali_status jali_influence_bind(const jali_influence_table **out,
                                const jali_influence *influence, const jali_tally *counts,
                                const jali_tally *sums, const jali_tally *n,
                                const jali_tally *S, jali_arena *arena, jali_err *err)
{
    jali_influence_cells cells;
    jali_influence_table *t = jali_arena_take(arena, 1, sizeof *t);
    if (t == NULL) return jali_fail_memory(err);
    if (!agree(&influence->spec, counts, sums) || !cells_of(&cells, influence, counts, sums) ||
        n == NULL || n->extent[0] != counts->extent[0])
        return refuse(err);
    JALI_TRY(jali_influence_lay(t, influence, &cells, n, S, err));
    *out = t;
    return JALI_OK;
}

uint64_t jali_influence_predicates(const jali_influence_table *table)
{
    return table->predicates;
}

unsigned jali_influence_attributes(const jali_influence_table *table)
{
    return table->attributes;
}

void jali_influence_codes(const jali_influence_table *table, uint64_t index,
                          uint64_t code[JALI_INFLUENCE_ATTRIBUTES])
{
    for (unsigned k = table->attributes; k-- > 0;) {
        code[k] = index % table->values[k];
        index /= table->values[k];
    }
}

jali_status jali_influence_scores(const jali_influence_table *const *table, size_t n,
                                  jali_arena *arena, const jali_scores **out, jali_err *err)
{
    uint64_t all = 0;
    for (size_t i = 0; i < n; i++) {
        if (table[i]->influence != table[0]->influence)
            return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_ANALYST,
                             "scores of two questions do not compare");
        all += table[i]->predicates; /* at most 2^26 each (tally/plan.h) */
    }
    int64_t *score = jali_arena_take(arena, (size_t)all + 1, sizeof *score);
    jali_scores *made = jali_arena_take(arena, 1, sizeof *made);
    if (score == NULL || made == NULL) return jali_fail_memory(err);
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        jali_influence_fill(table[i], 0, (size_t)table[i]->predicates, score + at);
        at += (size_t)table[i]->predicates;
    }
    *made = (jali_scores){ .n = at,
                           .score = score,
                           .range = n == 0 ? 0 : table[0]->influence->range,
                           .sensitivity = n == 0 ? 0 : table[0]->influence->sensitivity };
    *out = made;
    return JALI_OK;
}
