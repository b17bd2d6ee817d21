/* bench/contrast.c — plans against reading the points once; askers and maps; OR-Library.
 *
 * Points are those of `jali mock points`, 10^6 of them, x and y from 0 to 100 in steps of
 * 0.001. A plan is what `jali contrast plan` does between paying and telling: count, draw, find
 * centres, write the release. Times are CPU time of one thread, in turns with reading.
 */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include "budget/inside.h"
#include "dice/dice.h"
#include "engine/columns.h"
#include "explain/contrast/dual.h"
#include "explain/contrast/swap.h"
#include "explain/contrast/view.h"
#include "jali.h"
#include "reading.h"
#include <math.h>
#include <string.h>

enum { POINTS = 1000000, STEPS = 100001, ASKERS = 74000, MAP = 128, ROUNDS = 5 };

static void need(jali_status status, const jali_err *err)
{
    bench_need(status == JALI_OK, err->text);
}

/* ---- points ---------------------------------------------------------------------------------
 */

typedef struct points {
    uint32_t *code[2];
    size_t n, rest;
    char line[256];
} points;

static void take_line(points *p)
{
    double x, y;
    if (p->n < POINTS && sscanf(p->line, "%lf,%lf", &x, &y) == 2) {
        p->code[0][p->n] = (uint32_t)lround(x * 1000);
        p->code[1][p->n++] = (uint32_t)lround(y * 1000);
    }
}

static bool take(void *self, const char *bytes, size_t n)
{
    points *p = self;
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] == '\n' || p->rest == sizeof p->line - 1) {
            p->line[p->rest] = '\0';
            p->rest = 0;
            take_line(p);
        } else
            p->line[p->rest++] = bytes[i];
    }
    return true;
}

static void load(points *p)
{
    jali_mock_options o;
    jali_err err;
    for (int a = 0; a < 2; a++) p->code[a] = malloc(POINTS * sizeof *p->code[a]);
    bench_need(p->code[0] != NULL && p->code[1] != NULL, "out of memory");
    need(jali_mock_defaults(&o, "points", NULL, &err), &err);
    o.rows = POINTS;
    o.take = take;
    o.self = p;
    need(jali_mock_write(&o, NULL, &err), &err);
    bench_need(p->n == POINTS, "the mock wrote other points");
}

/* ---- the plan
 * --------------------------------------------------------------------------------- */

typedef struct planning {
    jali_contrast plan;
    jali_dice *dice;
    jali_arena arena;
    char *body;
} planning;

static void plan_once(void *self)
{
    planning *p = self;
    jali_err err;
    jali_charge paid = { .seq = 1, .paid = p->plan.loss, .left = p->plan.loss, .turn = -1 };
    jali_arena_clear(&p->arena);
    need(jali_contrast_run(&p->plan, &paid, p->dice, NULL, &p->arena, &p->body, &err), &err);
}

static const char schema_text[] =
    "{\"name\":\"p\",\"fields\":[{\"name\":\"x\",\"type\":\"number\",\"constraints\":{"
    "\"minimum\":0,\"maximum\":100},\"jali\":{\"step\":\"0.001\"}},{\"name\":\"y\",\"type\":"
    "\"number\",\"constraints\":{\"minimum\":0,\"maximum\":100},\"jali\":{\"step\":\"0.001\"}}]}";

static void prepare(planning *p, const jali_schema *schema, jali_columns *columns,
                    jali_arena *arena)
{
    static const char *const names[] = { "x", "y" };
    jali_contrast_ask ask = { .n = 2, .column = names, .centres = 5 };
    jali_err err;
    mpq_t eps;
    mpq_init(eps);
    mpq_set_ui(eps, 1, 1);
    need(jali_contrast_init(&p->plan, schema, &ask, JALI_LAW_LAPLACE, eps, "1", arena, &err),
         &err);
    need(jali_contrast_bind(&p->plan, columns, arena, &err), &err);
    need(jali_dice_new(&p->dice, &err), &err);
    mpq_clear(eps);
}

/* ---- questions
 * ---------------------------------------------------------------------------------- */

static void ask_all(const char *body, size_t n, bool map, const char *name)
{
    jali_arena arena = JALI_ARENA_INIT;
    jali_view v;
    jali_asker asker;
    jali_err err;
    uint64_t seed = 1;
    double start = bench_cpu_seconds(), sum = 0;
    need(jali_view_open(&v, body, strlen(body), true, NULL, &arena, &err), &err);
    need(jali_view_asker(&v, &asker, &arena, &err), &err);
    for (size_t i = 0; i < n; i++) {
        double at[2];
        for (int a = 0; a < 2; a++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            at[a] = map ? 100.0 / MAP * ((double)(a == 0 ? i % MAP : i / MAP) + 0.5)
                        : (double)(seed >> 11) * 0x1p-53 * 100;
        }
        sum += jali_view_ask(&v, &asker, at, true).extra;
    }
    double seconds = bench_cpu_seconds() - start;
    bench_need(sum > 0, "nothing was answered");
    bench_print(name, seconds, "s");
    jali_arena_clear(&arena);
}

/* ---- OR-Library's p-median instances
 * ---------------------------------------------------------
 */

typedef struct instance {
    const char *name;
    double optimum; /* published */
} instance;

/* Optima as OR-Library publishes them. */
static const instance instances[] = { { "pmed1", 5819 },   { "pmed34", 3013 },
                                      { "pmed35", 10400 }, { "pmed36", 9934 },
                                      { "pmed37", 5057 },  { "pmed38", 11060 },
                                      { "pmed40", 5128 } };
enum { PMED_STARTS = 3, PMED_MOST = 200, PMED_STEPS = 600 };

typedef struct graph {
    size_t n, k;
    float *d; /* all shortest paths */
} graph;

/* Floyd, Warshall. The last of repeated edges wins. */
static bool parse_graph(FILE *f, graph *g)
{
    size_t edges, a, b;
    double cost;
    if (fscanf(f, "%zu %zu %zu", &g->n, &edges, &g->k) != 3 || g->n > 2000) return false;
    size_t n = g->n;
    float *d = g->d = malloc(n * n * sizeof *d);
    bench_need(d != NULL, "out of memory");
    for (size_t i = 0; i < n * n; i++) d[i] = i % (n + 1) == 0 ? 0 : 1e9f;
    while (fscanf(f, "%zu %zu %lf", &a, &b, &cost) == 3)
        if (a >= 1 && b >= 1 && a <= n && b <= n)
            d[(a - 1) * n + b - 1] = d[(b - 1) * n + a - 1] = (float)cost;
    for (size_t m = 0; m < n; m++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                d[i * n + j] = fminf(d[i * n + j], d[i * n + m] + d[m * n + j]);
    return g->k > 0 && g->k <= PMED_MOST;
}

/* Plain, or packed by xz. */
static bool read_graph(const char *name, graph *g)
{
    static const char *const places[] = { "../shared/data/pmed", "../../shared/data/pmed" };
    for (int i = 0; i < 2; i++) {
        char line[200];
        snprintf(line, sizeof line, "%s/%s.txt", places[i], name);
        FILE *f = fopen(line, "r");
        if (f != NULL) {
            bool good = parse_graph(f, g);
            fclose(f);
            return good;
        }
        snprintf(line, sizeof line, "xz -dc %s/%s.txt.xz 2>/dev/null", places[i], name);
        f = popen(line, "r");
        bool good = f != NULL && parse_graph(f, g);
        if (f != NULL) pclose(f);
        if (good) return true;
    }
    return false;
}

/* Nearest and second nearest of a set: where the dual begins. */
static void two_nearest(const graph *g, const size_t *set, float *d1, float *d2)
{
    for (size_t q = 0; q < g->n; q++) {
        d1[q] = d2[q] = 1e30f;
        for (size_t i = 0; i < g->k; i++) {
            float d = g->d[set[i] * g->n + q];
            if (d < d1[q]) {
                d2[q] = d1[q];
                d1[q] = d;
            } else
                d2[q] = fminf(d2[q], d);
        }
    }
}

/* Rows padded to the lanes, with points of no weight. */
static double bound_of(const graph *g, const size_t *set, double cost, jali_arena *arena)
{
    size_t lanes = JALI_CLOUD_LANES, wide = (g->n + lanes - 1) / lanes * lanes;
    float *matrix = jali_arena_take(arena, g->n * wide, sizeof *matrix);
    float *w = jali_arena_take(arena, wide, sizeof *w);
    float *d1 = jali_arena_take(arena, 2 * wide, sizeof *d1);
    jali_dual dual;
    jali_err err;
    bench_need(matrix != NULL && w != NULL && d1 != NULL, "out of memory");
    for (size_t i = 0; i < g->n; i++) {
        w[i] = 1;
        memcpy(matrix + i * wide, g->d + i * g->n, g->n * sizeof *matrix);
    }
    two_nearest(g, set, d1, d1 + wide);
    need(jali_dual_find(&dual, matrix, g->n, wide, w, g->k, cost, d1, d1 + wide, PMED_STEPS,
                        arena, &err),
         &err);
    return dual.bound;
}

static void pmed(const instance *p)
{
    graph g = { 0 };
    size_t start[PMED_MOST], set[PMED_MOST], best_set[PMED_MOST] = { 0 };
    double cost, best = INFINITY;
    jali_arena arena = JALI_ARENA_INIT;
    jali_err err;
    char name[64];
    if (!read_graph(p->name, &g)) {
        printf("contrast.%s skipped: no ../shared/data/pmed/%s.txt, nor packed by xz\n",
               p->name, p->name);
        free(g.d);
        return;
    }
    float *w = jali_arena_take(&arena, g.n, sizeof *w);
    bench_need(w != NULL, "out of memory");
    for (size_t i = 0; i < g.n; i++) w[i] = 1;
    for (size_t s = 0; s < PMED_STARTS; s++) {
        for (size_t i = 0; i < g.k; i++) start[i] = (s * 7 + i * (g.n / g.k)) % g.n;
        need(jali_swap_matrix(g.d, g.n, g.n, w, g.k, g.k, start, 0, set, &cost, &arena, &err),
             &err);
        if (cost < best) memcpy(best_set, set, g.k * sizeof *set);
        best = fmin(best, cost);
    }
    snprintf(name, sizeof name, "contrast.%s.cost", p->name);
    char of[32];
    snprintf(of, sizeof of, "of %.0f", p->optimum);
    bench_print(name, best, of);
    snprintf(name, sizeof name, "contrast.%s.certificate", p->name);
    bench_print(name, bound_of(&g, best_set, best, &arena) / best, "of 1");
    jali_arena_clear(&arena);
    free(g.d);
}

static void run(void)
{
    points p = { { 0 }, 0, 0, "" };
    planning plan = { .arena = JALI_ARENA_INIT };
    jali_arena arena = JALI_ARENA_INIT;
    jali_schema schema;
    jali_columns *columns;
    jali_err err;
    double read;
    load(&p);
    jali_column made[] = { { "x", 4, STEPS + 1, POINTS, p.code[0] },
                           { "y", 4, STEPS + 1, POINTS, p.code[1] } };
    need(jali_columns_borrow(&columns, made, 2, &err), &err);
    need(jali_schema_parse(&schema, schema_text, strlen(schema_text), "bench", &arena, &err),
         &err);
    prepare(&plan, &schema, columns, &arena);
    double work = bench_in_turns(columns, plan_once, &plan, &read);
    bench_print("contrast.read.ms", read * 1e3, "ms");
    bench_print("contrast.plan.ms", work * 1e3, "ms");
    bench_print("contrast.plan.ratio", work / read, "x");
    ask_all(plan.body, ASKERS, false, "contrast.askers.seconds");
    ask_all(plan.body, MAP * MAP, true, "contrast.map.seconds");
    for (size_t i = 0; i < sizeof instances / sizeof *instances; i++) pmed(&instances[i]);
    jali_contrast_clear(&plan.plan);
    jali_dice_free(plan.dice);
    jali_arena_clear(&plan.arena);
    jali_arena_clear(&arena);
    jali_columns_free(columns);
    for (int a = 0; a < 2; a++) free(p.code[a]);
}

const jali_bench_set bench_contrast = { "contrast", run };
