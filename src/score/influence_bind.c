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

static bool shape(jali_influence_table *t, const jali_tally *counts)
{
    bool nulls = t->influence->spec.nulls;
    if (counts->axes < 2 || counts->axes > 1 + JALI_INFLUENCE_ATTRIBUTES) return false;
    t->attributes = counts->axes - 1;
    t->predicates = 1;
    t->cells = 1;
    for (unsigned k = 0; k < t->attributes; k++) {
        t->extent[k] = counts->extent[k + 1];
        if (t->extent[k] == 0) return false;
        t->values[k] = t->extent[k] - (nulls ? 0 : 1);
        t->predicates *= t->values[k];
        t->cells *= (size_t)t->extent[k];
    }
    return t->cells * counts->extent[0] == counts->n;
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

jali_status jali_influence_bind(const jali_influence_table **out,
                                const jali_influence *influence, const jali_tally *counts,
                                const jali_tally *sums, const jali_tally *n,
                                const jali_tally *S, jali_arena *arena, jali_err *err)
{
    const jali_influence_spec *spec = &influence->spec;
    jali_influence_table *t = jali_arena_take(arena, 1, sizeof *t);
    if (t == NULL) return jali_fail_memory(err);
    t->influence = influence;
    if (!agree(spec, counts, sums) || !agree(spec, n, S) || !shape(t, counts) || n->axes != 1 ||
        n->extent[0] != counts->extent[0])
        return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_ANALYST,
                         "the tallies of an influence have another shape than its question");
    t->count = counts->cell;
    t->sum = sums == NULL ? NULL : sums->cell;
    totals(t, n, S);
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
