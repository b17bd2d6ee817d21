/* explain/query/why_body.c — a why release on disk, and read back.
 *
 * No claim: what was drawn, written down; reading is post-processing.
 */
#include "base/json.h"
#include "explain/query/why.h"

static json_t *real_json(double x)
{
    char text[32];
    snprintf(text, sizeof text, "%.17g", x);
    return json_string(text);
}

static json_t *noise_json(const jali_explain_noise *n)
{
    json_t *out = json_pack("{s:s,s:I}", "law", n->law == JALI_LAW_GAUSS ? "gauss" : "laplace",
                            "d", (json_int_t)n->d);
    int bad = out == NULL;
    if (!bad && n->law == JALI_LAW_GAUSS)
        bad = json_object_set_new(out, "own", real_json(n->own)) |
              json_object_set_new(out, "common", real_json(n->common)) |
              json_object_set_new(out, "own_squared", json_string(n->own2)) |
              json_object_set_new(out, "common_squared", json_string(n->common2));
    else if (!bad)
        bad = json_object_set_new(out, "reach", real_json(n->reach)) |
              json_object_set_new(out, "range", real_json(n->range)) |
              json_object_set_new(out, "eps", real_json(n->eps)) |
              json_object_set_new(out, "exact_eps", json_string(n->exact_eps));
    if (!bad) return out;
    json_decref(out);
    return NULL;
}

static json_t *chosen_json(const jali_inquiry *q, const jali_explained *x, jali_arena *arena)
{
    json_t *all = json_array();
    for (size_t i = 0; i < x->k; i++) {
        char *where;
        json_t *one;
        if (jali_reasons_text(&q->reasons, x->chosen[i], arena, &where, NULL) != JALI_OK) break;
        one = json_pack("{s:I,s:s,s:I}", "number", (json_int_t)x->chosen[i], "where", where,
                        "influence", (json_int_t)x->influence[i]);
        if (one != NULL && x->low != NULL &&
            (json_object_set_new(one, "rank_low", json_integer((json_int_t)x->low[i])) |
             json_object_set_new(one, "rank_high", json_integer((json_int_t)x->high[i]))) != 0)
            break;
        if (json_array_append_new(all, one) != 0) break;
    }
    if (json_array_size(all) == x->k) return all;
    json_decref(all);
    return NULL;
}

static json_t *ranks_json(const jali_explained *x)
{
    json_t *all = json_array();
    int bad = 0;
    for (size_t i = 0; i < x->n_ranks; i++)
        bad |= json_array_append_new(
            all, json_pack("[I,I]", (json_int_t)x->rank[i], (json_int_t)x->at_rank[i]));
    if (!bad) return all;
    json_decref(all);
    return NULL;
}

static json_t *left_json(const jali_inquiry *q)
{
    json_t *all = json_array();
    int bad = 0;
    for (size_t i = 0; i < q->reasons.n_left_out; i++)
        bad |= json_array_append_new(all, json_string(q->reasons.left_out[i]));
    if (!bad) return all;
    json_decref(all);
    return NULL;
}

jali_status jali_inquiry_body(const jali_inquiry *inquiry, const char *of, const char *question,
                              const char *label, const jali_explained *drawn, jali_arena *arena,
                              char **body, jali_err *err)
{
    const jali_influence_spec *s = &inquiry->influence.spec;
    json_t *release = json_pack(
        "{s:s,s:s,s:s,s:s,s:s,s:s,s:o,s:I,s:I,s:I,s:o,s:o,s:o,s:o,s:o}", "kind", "why", "of",
        of, "question", question, "label", label, "ranks_by",
        drawn->low == NULL ? "shared" : "search", "constants",
        s->constants == JALI_CONSTANTS_PAPER ? "paper" : "proven", "ranks_at",
        real_json(1 - inquiry->miss), "predicates", (json_int_t)drawn->predicates, "num",
        (json_int_t)s->num, "den", (json_int_t)s->den, "unit", real_json(inquiry->unit),
        "chosen", chosen_json(inquiry, drawn, arena), "ranks", ranks_json(drawn), "noise",
        noise_json(&drawn->noise), "left_out", left_json(inquiry));
    if (release == NULL) return jali_fail_memory(err);
    jali_status status = jali_json_canonical(release, arena, body, err);
    json_decref(release);
    return status;
}

/* ---- reading ----------------------------------------------------------------------------- */

/* Sticky: a missing or mistyped member makes the whole unreadable. */
struct reader {
    jali_arena *arena;
    bool bad, full;
};

static const char *text_of(struct reader *r, const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    const char *copy = value == NULL ? NULL : jali_arena_text(r->arena, value);
    if (value == NULL) r->bad = true;
    if (value != NULL && copy == NULL) r->full = true;
    return copy == NULL ? "" : copy;
}

static double real_of(struct reader *r, const json_t *object, const char *key)
{
    return strtod(text_of(r, object, key), NULL);
}

static json_int_t whole_of(struct reader *r, const json_t *value)
{
    if (!json_is_integer(value)) r->bad = true;
    return json_integer_value(value);
}

static void *room_for(struct reader *r, size_t n, size_t size)
{
    void *room = jali_arena_take(r->arena, n + 1, size);
    if (room == NULL) r->full = true;
    return room;
}

static void read_noise(struct reader *r, const json_t *noise, jali_explain_noise *out)
{
    const char *law = text_of(r, noise, "law");
    out->law = strcmp(law, "gauss") == 0 ? JALI_LAW_GAUSS : JALI_LAW_LAPLACE;
    out->d = (size_t)whole_of(r, json_object_get(noise, "d"));
    if (out->law == JALI_LAW_GAUSS) {
        out->own = real_of(r, noise, "own");
        out->common = real_of(r, noise, "common");
        out->own2 = text_of(r, noise, "own_squared");
        out->common2 = text_of(r, noise, "common_squared");
    } else {
        out->reach = real_of(r, noise, "reach");
        out->range = real_of(r, noise, "range");
        out->eps = real_of(r, noise, "eps");
        out->exact_eps = text_of(r, noise, "exact_eps");
    }
}

static void read_chosen(struct reader *r, const json_t *chosen, bool search, jali_told *out)
{
    size_t n = json_array_size(chosen);
    const char **where = room_for(r, n, sizeof *where);
    uint64_t *number = room_for(r, n, sizeof *number), *low = room_for(r, n, sizeof *low);
    int64_t *score = room_for(r, n, sizeof *score);
    uint64_t *high = room_for(r, n, sizeof *high);
    if (r->full) return;
    for (size_t i = 0; i < n; i++) {
        const json_t *one = json_array_get(chosen, i);
        where[i] = text_of(r, one, "where");
        number[i] = (uint64_t)whole_of(r, json_object_get(one, "number"));
        score[i] = whole_of(r, json_object_get(one, "influence"));
        if (!search) continue;
        low[i] = (uint64_t)whole_of(r, json_object_get(one, "rank_low"));
        high[i] = (uint64_t)whole_of(r, json_object_get(one, "rank_high"));
    }
    out->where = where;
    out->drawn.k = n;
    out->drawn.chosen = number;
    out->drawn.influence = score;
    out->drawn.low = search ? low : NULL;
    out->drawn.high = search ? high : NULL;
}

static void read_ranks(struct reader *r, const json_t *ranks, jali_explained *out)
{
    size_t n = json_array_size(ranks);
    uint64_t *rank = room_for(r, n, sizeof *rank);
    int64_t *at = room_for(r, n, sizeof *at);
    if (r->full) return;
    for (size_t i = 0; i < n; i++) {
        rank[i] = (uint64_t)whole_of(r, json_array_get(json_array_get(ranks, i), 0));
        at[i] = whole_of(r, json_array_get(json_array_get(ranks, i), 1));
    }
    out->n_ranks = n;
    out->rank = rank;
    out->at_rank = at;
}

static void read_left(struct reader *r, const json_t *left, jali_told *out)
{
    const char **name = room_for(r, json_array_size(left), sizeof *name);
    for (size_t i = 0; name != NULL && i < json_array_size(left); i++) {
        const char *value = json_string_value(json_array_get(left, i));
        name[i] = jali_arena_text(r->arena, value == NULL ? "" : value);
        if (name[i] == NULL) r->full = true;
    }
    out->left_out = name;
    out->n_left_out = json_array_size(left);
}

jali_status jali_told_read(jali_told *out, const char *body, size_t n, jali_arena *arena,
                           jali_err *err)
{
    json_t *release;
    struct reader r = { .arena = arena };
    jali_told told = { 0 };
    JALI_TRY(jali_json_parse(&release, body, n, "the release", err));
    told.of = text_of(&r, release, "of");
    told.question = text_of(&r, release, "question");
    told.label = text_of(&r, release, "label");
    told.constants = text_of(&r, release, "constants");
    told.unit = real_of(&r, release, "unit");
    told.ranks_at = real_of(&r, release, "ranks_at");
    told.ranks = strcmp(text_of(&r, release, "ranks_by"), "search") == 0 ? JALI_RANKS_SEARCH
                                                                         : JALI_RANKS_SHARED;
    told.drawn.predicates = (uint64_t)whole_of(&r, json_object_get(release, "predicates"));
    read_chosen(&r, json_object_get(release, "chosen"), told.ranks == JALI_RANKS_SEARCH, &told);
    read_ranks(&r, json_object_get(release, "ranks"), &told.drawn);
    read_noise(&r, json_object_get(release, "noise"), &told.drawn.noise);
    read_left(&r, json_object_get(release, "left_out"), &told);
    json_decref(release);
    if (r.full) return jali_fail_memory(err);
    if (r.bad)
        return jali_fail(err, JALI_E_LEDGER, JALI_FOR_ANALYST,
                         "the stored release is not an explanation");
    *out = told;
    return JALI_OK;
}
