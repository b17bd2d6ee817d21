/* bench/why.c — the cost of an explanation, against reading the same columns once.
 *
 * The table is `jali mock table --preset ipums`: 1,146,552 rows, eight attributes and an
 * income. The question: why is AVG(inctot) of one sex above that of the other? Timed is the
 * whole of phase 3 on an open vault, one thread, real dice: prices, counting, scores, top-k,
 * vector, intervals. Ratios compare CPU time, as in bench/tally.c.
 */
#define _DEFAULT_SOURCE
#include "base/file.h"
#include "bench.h"
#include "budget/inside.h"
#include "dice/dice.h"
#include "intake.h"
#include "mech/explain.h"
#include "reading.h"
#include <string.h>
#include <unistd.h>

enum { COLUMNS = 9, INCOME = 8, SEX = 1, TOP = 5 };

static const char *const names[COLUMNS] = { "relate",   "sex",  "race", "marst", "citizen",
                                            "classwkr", "educ", "age",  "inctot" };
static const uint64_t domain[COLUMNS] = { 23, 4, 30, 9, 7, 16, 37, 9, 200002 };

static void need(jali_status status, const jali_err *err)
{
    bench_need(status == JALI_OK, err->text);
}

/* ---- the table -------------------------------------------------------------------------- */

static jali_columns *make_table(char folder[static 64])
{
    jali_mock_options o;
    jali_err err;
    snprintf(folder, 64, "jali-bench-why-%ld", (long)getpid());
    need(jali_mock_defaults(&o, "table", "ipums", &err), &err);
    bench_mock_columns(folder, &o, names, domain, COLUMNS);
    return bench_columns_open(folder);
}

/* ---- the question -------------------------------------------------------------------------
 */

static const jali_groups sexes = {
    .n_columns = 1, .column = { "sex" }, .domain = { 4 }, .n = 2, .code = { { 0 }, { 1 } }
};

typedef struct asking {
    const char *folder;
    jali_columns *columns;
    jali_dice *dice;
    unsigned length;
    uint64_t predicates;
    double widest;
} asking;

static void fill_space(jali_space_attribute *attribute, jali_space_spec *spec, unsigned length)
{
    size_t n = 0;
    for (size_t c = 0; c < INCOME; c++)
        if (c != SEX)
            attribute[n++] = (jali_space_attribute){ .column = names[c], .domain = domain[c] };
    *spec = (jali_space_spec){
        .n = n, .attribute = attribute, .shortest = length, .longest = length
    };
}

static void fill_influence(jali_influence *out)
{
    jali_err err;
    jali_influence_spec s = { .of = JALI_INFLUENCE_AVG,
                              .groups = 2,
                              .weight = { 1, -1 },
                              .codes = 200001,
                              .centre = 100000,
                              .rows_per_person = 1 };
    need(jali_influence_grid(&s, JALI_INFLUENCE_GRID_BITS, &err), &err);
    need(jali_influence_init(out, &s, &err), &err);
}

static void draw(asking *a, const jali_study *study, jali_arena *arena)
{
    jali_explained it;
    jali_explained_line line[TOP];
    jali_explainer *x;
    jali_err err;
    mpq_t topk, vector;
    mpq_inits(topk, vector, NULL);
    mpq_set_ui(topk, 3, 100);
    mpq_set_ui(vector, 7, 100);
    jali_explain_spec spec = { .law = JALI_LAW_GAUSS,
                               .k = TOP,
                               .predicates = jali_space_size(study->space),
                               .influence = *study->influence,
                               .topk = topk,
                               .vector = vector };
    need(jali_explainer_new(&x, &spec, &err), &err);
    jali_loss loss = jali_explainer_loss(x);
    jali_charge paid = { .seq = 1, .paid = loss, .left = loss, .turn = -1 };
    need(jali_explain_run(x, study, &paid, a->dice, arena, &it, &err), &err);
    jali_explained_read(&it, 0.95, line);
    a->widest = line[0].high - line[0].low;
    a->predicates = spec.predicates;
    jali_explainer_free(x);
    mpq_clears(topk, vector, NULL);
}

static void explain(void *self)
{
    asking *a = self;
    jali_arena arena = JALI_ARENA_INIT;
    jali_space_attribute attribute[COLUMNS];
    jali_space_spec spec;
    jali_influence influence;
    jali_err err;
    fill_space(attribute, &spec, a->length);
    fill_influence(&influence);
    jali_study study = {
        .columns = a->columns, .groups = &sexes, .summed = "inctot", .influence = &influence
    };
    need(jali_space_new(&study.space, &spec, &arena, &err), &err);
    need(jali_study_check(&study, &err), &err);
    draw(a, &study, &arena);
    jali_arena_clear(&arena);
}

/* ---- figures
 * --------------------------------------------------------------------------------- */

static jali_columns *prepare(void *self)
{
    asking *a = self;
    jali_err err;
    need(jali_dice_new(&a->dice, &err), &err);
    return a->columns = bench_columns_open(a->folder);
}

static void run(void)
{
    static const char *const figure[] = { "why.l1", "why.l2", "why.l3" };
    char folder[64], name[32];
    asking a = { .folder = folder, .columns = make_table(folder) };
    jali_err err;
    need(jali_dice_new(&a.dice, &err), &err);
    for (unsigned l = 1; l <= 3; l++) {
        double once;
        a.length = l;
        double took = bench_in_turns(a.columns, explain, &a, &once);
        snprintf(name, sizeof name, "%s.ratio", figure[l - 1]);
        bench_print(name, took / once, "x");
        snprintf(name, sizeof name, "%s.ms", figure[l - 1]);
        bench_print(name, took * 1e3, "ms");
        snprintf(name, sizeof name, "%s.predicates", figure[l - 1]);
        bench_print(name, (double)a.predicates, "");
    }
    jali_dice_free(a.dice);
    jali_columns_free(a.columns);
    bench_print("why.rss.mb", bench_growth_mb(prepare, explain, &a), "MB");
    jali_file_remove_tree(folder);
}

const jali_bench_set bench_why = { "why", run };
