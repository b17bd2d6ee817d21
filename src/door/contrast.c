/* door/contrast.c — jali contrast: a plan is paid at the desk, questions to it are free. */
#include "door/contrast.h"
#include "base/file.h"
#include "explain/contrast/region.h"
#include <math.h>
#include <stdlib.h>

enum { FILE_MOST = 256 << 20 };

/* ---- reading the request ------------------------------------------------------------------
 */

static jali_status read_count(const char *text, const char *what, unsigned long most,
                              unsigned long *out, jali_err *err)
{
    char *end = NULL;
    *out = text == NULL ? 0 : strtoul(text, &end, 10);
    if (text == NULL || (text[0] >= '0' && text[0] <= '9' && *end == '\0' && *out <= most))
        return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "%s %.20s must be a whole number, at most %lu", what, text, most);
}

/* "x,y" in pieces, in the arena. */
static jali_status split(const char *text, jali_arena *arena, const char **piece, size_t most,
                         size_t *n, jali_err *err)
{
    char *copy = jali_arena_text(arena, text);
    if (copy == NULL) return jali_fail_memory(err);
    *n = 0;
    for (char *at = copy; at != NULL;) {
        char *comma = strchr(at, ',');
        if (comma != NULL) *comma = '\0';
        if (*n == most || *at == '\0')
            return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                             "\"%.60s\" must be 1 to %zu words with commas between them", text,
                             most);
        piece[(*n)++] = at;
        at = comma == NULL ? NULL : comma + 1;
    }
    return JALI_OK;
}

static jali_status read_bounds(const char *text, size_t n, double *low, double *high,
                               jali_arena *arena, jali_err *err)
{
    const char *piece[JALI_CONTRAST_COLUMNS];
    size_t found;
    bool good = true;
    JALI_TRY(split(text, arena, piece, JALI_CONTRAST_COLUMNS, &found, err));
    for (size_t i = 0; i < found && i < n; i++) {
        char *end;
        low[i] = strtod(piece[i], &end);
        good = good && end != piece[i] && *end == ':';
        const char *second = end + (*end == ':');
        high[i] = strtod(second, &end);
        good = good && end != second && *end == '\0' && isfinite(low[i]) && isfinite(high[i]);
    }
    if (good && found == n) return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "--bounds %.80s must be LOW:HIGH for each of the %zu columns, like "
                     "0:10,0:20",
                     text, n);
}

typedef struct planning {
    jali_contrast_ask ask;
    const char *column[JALI_CONTRAST_COLUMNS];
    double low[JALI_CONTRAST_COLUMNS], high[JALI_CONTRAST_COLUMNS];
    jali_contrast plan;
} planning;

static jali_status read_ask(planning *p, const jali_centres *q, jali_arena *arena,
                            jali_err *err)
{
    unsigned long centres, cells;
    jali_contrast_ask *a = &p->ask;
    if (q->columns == NULL || q->centres == NULL)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a plan needs --columns X,Y and --centres K");
    JALI_TRY(split(q->columns, arena, p->column, JALI_CONTRAST_COLUMNS, &a->n, err));
    JALI_TRY(read_count(q->centres, "--centres", 1000, &centres, err));
    JALI_TRY(read_count(q->cells, "--cells", 1000000, &cells, err));
    const char *objective = q->objective == NULL ? "median" : q->objective;
    bool median = strcmp(objective, "median") == 0;
    if (!median && strcmp(objective, "means") != 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "--objective is median (distances) or means (squared distances), not "
                         "\"%.20s\"",
                         objective);
    a->column = p->column;
    a->weight = q->weight;
    a->centres = centres;
    a->cap = (uint32_t)cells;
    a->squared = !median;
    a->tight = q->tight;
    if (q->bounds == NULL) return JALI_OK;
    JALI_TRY(read_bounds(q->bounds, a->n, p->low, p->high, arena, err));
    a->low = p->low;
    a->high = p->high;
    return JALI_OK;
}

/* ---- the plan ------------------------------------------------------------------------------
 */

static jali_status prepare(planning *p, jali_desk *desk, const jali_centres *q, jali_err *err)
{
    mpq_t budget;
    const char *text = NULL;
    JALI_TRY(read_ask(p, q, &desk->arena, err));
    mpq_init(budget);
    jali_status status = jali_desk_budget(desk, budget, err);
    if (status == JALI_OK) status = jali_desk_exact(budget, &desk->arena, &text, err);
    if (status == JALI_OK)
        status = jali_contrast_init(&p->plan, &desk->vault->schema, &p->ask, desk->law, budget,
                                    text, &desk->arena, err);
    mpq_clear(budget);
    if (status != JALI_OK) return status;
    return jali_contrast_bind(&p->plan, desk->vault->columns, &desk->arena, err);
}

static jali_status draw(void *self, jali_charge *charge, jali_dice *dice, jali_pool *pool,
                        jali_arena *arena, char **body, jali_err *err)
{
    const planning *p = self;
    return jali_contrast_run(&p->plan, charge, dice, pool, arena, body, err);
}

static jali_status show_quote(const planning *p, jali_desk *desk, const jali_job *job,
                              jali_doc *doc, jali_err *err)
{
    double scale = jali_coreset_scale(p->plan.maker);
    jali_doc_heading(doc, "%zu %s from %zu columns", p->ask.centres,
                     p->ask.centres == 1 ? "centre" : "centres", p->ask.n);
    jali_vault_tell_public(doc, desk->vault->is_public);
    JALI_TRY(jali_desk_quote(desk, job, doc, err));
    jali_doc_fact(doc, "noise", "a cell's weight is told within %.3g, 95%% of the time",
                  (double)jali_law_halfwidth(desk->law, scale, 0.05) * p->plan.unit);
    jali_doc_fact(doc, "then", "every question to the plan is free");
    return JALI_OK;
}

static jali_status run(planning *p, jali_desk *desk, const jali_centres *q, jali_doc **out,
                       jali_err *err)
{
    jali_doc *doc;
    char *note =
        jali_arena_format(&desk->arena, "%zu centres for %s", p->ask.centres, q->columns);
    jali_job job = { .kind = 'k',
                     .plan = p->plan.plan,
                     .exact = p->plan.exact,
                     .note = jali_door_note(note == NULL ? "centres" : note,
                                            "a plan of centres", &desk->arena),
                     .loss = p->plan.loss,
                     .tables = p->plan.tables,
                     .draw = draw,
                     .self = p };
    if (desk->spend->quote) {
        JALI_TRY(jali_doc_new(&doc, "cost", err));
        return jali_doc_finish(doc, show_quote(p, desk, &job, doc, err), out, err);
    }
    JALI_TRY(jali_desk_pay(desk, &job, err));
    return jali_desk_tell(desk, out, err);
}

jali_status jali_vault_centres(const jali_centres *ask, jali_doc **out, jali_err *err)
{
    jali_desk desk;
    planning p = { 0 };
    jali_status status = jali_desk_open(&desk, &ask->spend, err);
    if (status == JALI_OK) status = prepare(&p, &desk, ask, err);
    if (status == JALI_OK) status = run(&p, &desk, ask, out, err);
    jali_contrast_clear(&p.plan);
    jali_desk_close(&desk);
    return status;
}

/* ---- questions ------------------------------------------------------------------------------
 */

typedef struct asking {
    const jali_view *view;
    const jali_points *points;
    jali_asker *asker; /* one a thread */
    jali_contrast_answer *answer;
} asking;

static void ask_one(void *self, unsigned worker, size_t i)
{
    asking *a = self;
    a->answer[i] =
        jali_view_ask(a->view, &a->asker[worker], a->points->at + i * a->points->dims, true);
}

static jali_status ask_all(const jali_view *view, const jali_points *points, jali_pool *pool,
                           jali_arena *arena, jali_contrast_answer **out, jali_err *err)
{
    asking a = { .view = view, .points = points };
    unsigned threads = jali_pool_threads(pool);
    a.asker = jali_arena_take(arena, threads, sizeof *a.asker);
    a.answer = jali_arena_take(arena, points->n, sizeof *a.answer);
    if (a.asker == NULL || a.answer == NULL) return jali_fail_memory(err);
    for (unsigned i = 0; i < threads; i++)
        JALI_TRY(jali_view_asker(view, &a.asker[i], arena, err));
    jali_pool_each(pool, points->n, ask_one, &a);
    *out = a.answer;
    return JALI_OK;
}

/* The middles of a grid over the box, the first column fastest. */
static jali_status lay_plane(const jali_view *v, unsigned grid, size_t *side, jali_points *out,
                             jali_arena *arena, jali_err *err)
{
    const jali_nodes *n = &v->nodes;
    const jali_ground *g = &v->release.ground;
    unsigned dims = g->dims;
    if (v->release.project.n > 0 || dims > 2)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a map is for plans of one or two columns; ask for points with "
                         "jali contrast VAULT at");
    if (grid < 2 || grid > JALI_MAP_MOST)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "--grid must be a whole number from 2 to %d", JALI_MAP_MOST);
    double longest = 0, width[2] = { 0 };
    side[1] = 1;
    for (unsigned a = 0; a < dims; a++) {
        width[a] = (double)(n->step[a] * (float)n->side[a]);
        longest = fmax(longest, width[a]);
    }
    for (unsigned a = 0; a < dims; a++)
        side[a] = (size_t)fmax(1, round(grid * width[a] / longest));
    *out = (jali_points){ .n = side[0] * side[1], .dims = dims };
    out->at = jali_arena_take(arena, out->n * dims, sizeof *out->at);
    if (out->at == NULL) return jali_fail_memory(err);
    for (size_t i = 0; i < out->n; i++)
        for (unsigned a = 0; a < dims; a++) {
            size_t k = a == 0 ? i % side[0] : i / side[0];
            double at = (double)n->from[a] + ((double)k + 0.5) / (double)side[a] * width[a];
            out->at[i * dims + a] = g->origin[a] + at * g->length;
        }
    return JALI_OK;
}

static jali_status read_points(const jali_contrast_query *q, size_t dims, jali_arena *arena,
                               jali_points *out, jali_err *err)
{
    char *text;
    size_t n;
    if ((q->file != NULL) == (q->n_words > 0))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "say where: %zu numbers a point, or --file POINTS.csv", dims);
    if (q->file == NULL) return jali_points_words(out, q->word, q->n_words, dims, arena, err);
    JALI_TRY(jali_file_read(q->file, FILE_MOST, arena, &text, &n, err));
    return jali_points_csv(out, text, n, dims, arena, err);
}

static jali_status answer(const jali_contrast_query *q, jali_desk *desk, jali_doc *doc,
                          jali_pool *pool, jali_err *err)
{
    jali_view view;
    jali_points points;
    jali_contrast_answer *out = NULL;
    size_t side[2];
    jali_arena *arena = &desk->arena;
    JALI_TRY(
        jali_view_open(&view, desk->release.body, desk->release.n, true, pool, arena, err));
    if (q->grid > 0)
        JALI_TRY(lay_plane(&view, q->grid, side, &points, arena, err));
    else
        JALI_TRY(read_points(q, view.release.ask.n, arena, &points, err));
    JALI_TRY(ask_all(&view, &points, pool, arena, &out, err));
    jali_vault_tell_public(doc, desk->vault->is_public);
    jali_doc_set(doc, "free", json_true());
    jali_desk_set_terms(desk, &desk->release, doc);
    if (q->grid > 0)
        jali_contrast_tell_map(doc, &view, side, &points, out, desk->miss);
    else
        jali_contrast_tell_answers(doc, &view, &points, out, desk->miss);
    return JALI_OK;
}

static jali_status find_plan(const jali_contrast_query *q, jali_desk *desk, jali_err *err)
{
    JALI_TRY(jali_ledger_find_id(desk->ledger, q->release, &desk->arena, &desk->release, err));
    if (desk->release.id[0] == 'k') return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "release %.20s is not a plan of centres; theirs begin with k",
                     desk->release.id);
}

jali_status jali_vault_contrast(const jali_contrast_query *query, jali_doc **out, jali_err *err)
{
    jali_desk desk;
    jali_doc *doc = NULL;
    jali_pool *pool = NULL;
    jali_spend spend = { .vault = query->vault,
                         .confidence = query->confidence,
                         .quote = true,
                         .hold = query->hold };
    jali_status status = jali_desk_open(&desk, &spend, err);
    if (status == JALI_OK) status = find_plan(query, &desk, err);
    if (status == JALI_OK) status = jali_pool_new(&pool, query->threads, err);
    if (status == JALI_OK)
        status = jali_doc_new(&doc, query->grid > 0 ? "contrast-map" : "contrast-at", err);
    if (status == JALI_OK)
        status = jali_doc_finish(doc, answer(query, &desk, doc, pool, err), out, err);
    jali_pool_free(pool);
    jali_desk_close(&desk);
    return status;
}

/* ---- a stored plan, told ------------------------------------------------------------------
 */

enum { STORY_GRID = 32 }; /* cells along the longer side of a report's map */

static jali_status picture_map(const jali_telling *t, const jali_view *view, jali_pool *pool,
                               jali_err *err)
{
    jali_points points;
    jali_contrast_answer *out = NULL;
    size_t side[2];
    JALI_TRY(lay_plane(view, STORY_GRID, side, &points, t->arena, err));
    JALI_TRY(ask_all(view, &points, pool, t->arena, &out, err));
    jali_contrast_picture_map(t->doc, view, side, &points, out, t->miss);
    return JALI_OK;
}

/* Opened for questions only where the map is shown: laying the nodes takes a while. */
static jali_status tell_stored(const jali_telling *t, jali_pool *pool, jali_err *err)
{
    jali_view view;
    JALI_TRY(
        jali_view_open(&view, t->release->body, t->release->n, t->story, pool, t->arena, err));
    JALI_TRY(jali_regions(&view, t->arena, &view.centre_error, err));
    jali_contrast_tell_plan(t->doc, &view, t->miss);
    bool plane = view.release.project.n == 0 && view.release.ground.dims <= 2;
    return t->story && plane ? picture_map(t, &view, pool, err) : JALI_OK;
}

jali_status jali_tell_contrast(const jali_telling *t, jali_err *err)
{
    jali_pool *pool = NULL;
    if (t->story) JALI_TRY(jali_pool_new(&pool, 0, err));
    jali_status status = tell_stored(t, pool, err);
    jali_pool_free(pool);
    return status;
}
