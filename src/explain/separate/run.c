/* explain/separate/run.c — a profile counted, chosen and drawn.
 *
 * No claim: the claim is profile.release in explain/separate/profile.c; here its parts are
 *           spent in the order in which they were priced.
 */
#include "base/json.h"
#include "explain/separate/profile.h"

/* ---- what is counted ------------------------------------------------------------------------
 */

static jali_status add_cut(jali_profile *p, const jali_shown *s, uint32_t labels, size_t *table,
                           jali_arena *arena, jali_err *err)
{
    uint32_t *lo = jali_arena_take(arena, labels, sizeof *lo);
    uint32_t *step = jali_arena_take(arena, labels, sizeof *step);
    if (lo == NULL || step == NULL) return jali_fail_memory(err);
    for (uint32_t i = 0; i < labels; i++) {
        lo[i] = 0;
        step[i] = s->step;
    }
    return jali_plan_histogram(p->tables, p->slice, p->schema->fields[s->field].name,
                               s->values - 1, lo, step, table, err);
}

static jali_status add_table(jali_profile *p, const jali_shown *s, uint32_t labels,
                             size_t *table, jali_arena *arena, jali_err *err)
{
    const char *column = p->schema->fields[s->field].name;
    if (s->kind == JALI_SHOWN_CUT) return add_cut(p, s, labels, table, arena, err);
    if (s->kind == JALI_SHOWN_BINS)
        column = jali_arena_format(arena, "%s" JALI_BIN_SUFFIX, column);
    if (column == NULL) return jali_fail_memory(err);
    return jali_plan_counts(p->tables, p->slice, &column, 1, table, err);
}

jali_status jali_profile_bind(jali_profile *p, jali_columns *columns, const jali_label *label,
                              jali_arena *arena, jali_err *err)
{
    p->table = jali_arena_take(arena, p->n, sizeof *p->table);
    if (p->table == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_plan_new(&p->tables, columns, p->schema->rows_per_person, err));
    JALI_TRY(jali_plan_slice(p->tables, label, NULL, &p->slice, err));
    for (size_t i = 0; i < p->n; i++)
        JALI_TRY(add_table(p, &p->shown[i], label->labels, &p->table[i], arena, err));
    return JALI_OK;
}

/* ---- the release as JSON
 * ---------------------------------------------------------------------- */

static json_t *numbers_json(const int64_t *x, size_t n)
{
    json_t *list = json_array();
    int bad = list == NULL;
    for (size_t i = 0; !bad && i < n; i++)
        bad = json_array_append_new(list, json_integer(x[i])) != 0;
    if (!bad) return list;
    json_decref(list);
    return NULL;
}

static json_t *name_json(const jali_profile *p, uint32_t attribute)
{
    return json_string(p->schema->fields[p->shown[attribute].field].name);
}

static json_t *names_json(const jali_profile *p, const uint32_t *attribute, size_t n)
{
    json_t *list = json_array();
    int bad = list == NULL;
    for (size_t i = 0; !bad && i < n; i++)
        bad = json_array_append_new(list, name_json(p, attribute[i])) != 0;
    if (!bad) return list;
    json_decref(list);
    return NULL;
}

static json_t *inside_json(const jali_profile *p, const jali_pairs *pairs,
                           const uint32_t *chosen)
{
    const jali_apart_spec *s = &p->apart.spec;
    json_t *list = json_array();
    int bad = list == NULL;
    for (size_t i = 0; !bad && i < (size_t)s->clusters * s->each; i++) {
        json_t *cells = numbers_json(pairs->inside[i], p->shown[chosen[i]].values);
        json_t *one = json_pack("{s:i,s:o,s:o}", "cluster", (int)(i / s->each), "column",
                                name_json(p, chosen[i]), "cells", cells);
        bad = json_array_append_new(list, one) != 0;
    }
    if (!bad) return list;
    json_decref(list);
    return NULL;
}

static json_t *beside_json(const jali_profile *p, const jali_pairs *pairs)
{
    json_t *list = json_array();
    int bad = list == NULL;
    for (size_t i = 0; !bad && i < pairs->used; i++) {
        uint32_t a = pairs->which[i];
        json_t *cells = pairs->beside[i] == NULL
                            ? json_null()
                            : numbers_json(pairs->beside[i], p->shown[a].values);
        bad = json_array_append_new(
                  list, json_pack("{s:o,s:o}", "column", name_json(p, a), "cells", cells)) != 0;
    }
    if (!bad) return list;
    json_decref(list);
    return NULL;
}

static json_t *shortlist_json(const jali_profile *p, const jali_shortlist *list)
{
    json_t *all = json_array();
    int bad = all == NULL;
    for (uint32_t c = 0; !bad && c < p->apart.spec.clusters; c++)
        bad = json_array_append_new(
                  all, names_json(p, list->entry + (size_t)c * list->k, list->k)) != 0;
    if (!bad) return all;
    json_decref(all);
    return NULL;
}

static json_t *body_json(const jali_profile *p, const jali_pairs *pairs, const uint32_t *chosen,
                         const jali_shortlist *list)
{
    const jali_apart_spec *s = &p->apart.spec;
    char in[32], beside[32];
    snprintf(in, sizeof in, "%.17g", pairs->scale_in);
    snprintf(beside, sizeof beside, "%.17g", pairs->scale_beside);
    json_t *body = json_pack(
        "{s:s,s:s,s:i,s:i,s:i,s:[i,i],s:[i,i,i],s:s,s:s,s:s,s:o,s:o}", "kind", "profile",
        "method", p->method == JALI_PROFILE_ALL ? "all" : "paper", "clusters", (int)s->clusters,
        "each", (int)s->each, "block", (int)s->block, "kappa", (int)s->kappa_num,
        (int)s->kappa_den, "weights", (int)s->interest, (int)s->sufficiency, (int)s->diversity,
        "law", pairs->law == JALI_LAW_GAUSS ? "gauss" : "laplace", "scale_in", in,
        "scale_beside", beside, "inside", inside_json(p, pairs, chosen), "beside",
        beside_json(p, pairs));
    if (body != NULL && list != NULL &&
        json_object_set_new(body, "shortlist", shortlist_json(p, list)) != 0) {
        json_decref(body);
        return NULL;
    }
    return body;
}

/* ---- the run --------------------------------------------------------------------------------
 */

typedef struct drawn {
    jali_shortlist list;
    uint32_t *chosen;
    jali_pairs pairs;
} drawn;

static jali_status choose(const jali_profile *p, const jali_tally *const *counts,
                          jali_charge *charge, jali_dice *dice, jali_arena *arena, drawn *out,
                          jali_err *err)
{
    const jali_apart_terms *terms, *first;
    const jali_shortlist *list = p->lister == NULL ? NULL : &out->list;
    JALI_TRY(jali_apart_fill(&p->apart, counts, arena, &terms, err));
    if (list != NULL) {
        JALI_TRY(jali_apart_fill(&p->first, counts, arena, &first, err));
        JALI_TRY(jali_shortlist_draw(p->lister, first, charge, dice, arena, &out->list, err));
    }
    return jali_combine(p->combiner, terms, list, charge, dice, out->chosen, err);
}

static jali_status draw(const jali_profile *p, const jali_tally *const *counts,
                        jali_charge *charge, jali_dice *dice, jali_arena *arena, drawn *out,
                        jali_err *err)
{
    const jali_apart_spec *s = &p->apart.spec;
    JALI_TRY(choose(p, counts, charge, dice, arena, out, err));
    jali_pairing pairing = { s->clusters,        s->each, s->attributes, out->chosen,
                             s->rows_per_person, true };
    return jali_pairs_release(p->pairer, &pairing, counts, charge, dice, arena, &out->pairs,
                              err);
}

jali_status jali_profile_run(const jali_profile *p, jali_pool *pool, jali_charge *charge,
                             jali_dice *dice, jali_arena *arena, char **body, jali_err *err)
{
    const jali_tallies *tallies;
    const jali_apart_spec *s = &p->apart.spec;
    const jali_tally **counts = jali_arena_take(arena, p->n, sizeof(jali_tally *));
    drawn d = { .chosen =
                    jali_arena_take(arena, (size_t)s->clusters * s->each, sizeof *d.chosen) };
    if (counts == NULL || d.chosen == NULL) return jali_fail_memory(err);
    JALI_TRY(jali_plan_run(p->tables, pool, arena, &tallies, err));
    for (size_t i = 0; i < p->n; i++) counts[i] = jali_tallies_counts(tallies, p->table[i]);
    JALI_TRY(draw(p, counts, charge, dice, arena, &d, err));
    json_t *release = body_json(p, &d.pairs, d.chosen, p->lister == NULL ? NULL : &d.list);
    if (release == NULL) return jali_fail_memory(err);
    jali_status status = jali_json_canonical(release, arena, body, err);
    json_decref(release);
    return status;
}
