/* bench/profile.c — the cost of a profile, against reading the same columns once.
 *
 * The table is `jali mock table --preset census`: 2,458,285 rows, 68 attributes. Clusters are
 * the nearest of 9, 15 or 30 centres over all 68 columns. Timed is the whole verb on an open
 * vault, one thread, real dice: plan and price, labels, counting, scores, choice, histograms.
 * profile.c9 and profile.c15 are the two stages with 3 candidates, as published; the .all
 * figures choose from all 68^9 and 68^15 combinations, as jali does without being told.
 */
#define _DEFAULT_SOURCE
#include "explain/separate/profile.h"
#include "base/file.h"
#include "bench.h"
#include "budget/inside.h"
#include "dice/dice.h"
#include "intake.h"
#include "reading.h"
#include "tally/partition.h"
#include <string.h>
#include <unistd.h>

enum { COLUMNS = 68 };

static void need(jali_status status, const jali_err *err)
{
    bench_need(status == JALI_OK, err->text);
}

/* ---- the table -------------------------------------------------------------------------- */

typedef struct census {
    char folder[64], file[80];
    jali_arena arena;
    jali_schema schema;
    jali_columns *columns;
} census;

static bool forget(void *self, const char *bytes, size_t n)
{
    (void)self;
    (void)bytes;
    (void)n;
    return true;
}

static void census_make(census *t)
{
    jali_mock_options o;
    jali_err err;
    const char *names[COLUMNS];
    uint64_t domain[COLUMNS];
    *t = (census){ 0 };
    snprintf(t->folder, sizeof t->folder, "jali-bench-profile-%ld", (long)getpid());
    snprintf(t->file, sizeof t->file, "%s.json", t->folder);
    need(jali_mock_defaults(&o, "table", "census", &err), &err);
    o.schema = t->file;
    o.label = false;
    jali_mock_options few = o;
    few.rows = 1;
    few.take = forget;
    need(jali_mock_write(&few, NULL, &err), &err); /* for its schema */
    need(jali_schema_load(&t->schema, t->file, &t->arena, &err), &err);
    for (size_t c = 0; c < COLUMNS; c++) {
        names[c] = t->schema.fields[c].name;
        domain[c] = t->schema.fields[c].domain;
    }
    bench_mock_columns(t->folder, &o, names, domain, COLUMNS);
    t->columns = bench_columns_open(t->folder);
}

static void census_drop(census *t)
{
    jali_columns_free(t->columns);
    jali_arena_clear(&t->arena);
    jali_file_remove_tree(t->folder);
    unlink(t->file);
}

/* ---- clusters -----------------------------------------------------------------------------
 */

/* Centres at records of the table, far apart in the file: as good as any for the clock. */
static void set_centres(const census *t, uint32_t clusters, jali_arena *arena,
                        jali_partition *out)
{
    const char *names[COLUMNS];
    jali_geometry space;
    jali_frame frame;
    jali_err err;
    for (size_t c = 0; c < COLUMNS; c++)
        names[c] = jali_arena_format(arena, "%s:codes", t->schema.fields[c].name);
    need(jali_geometry_make(&space, &t->schema, names, COLUMNS, JALI_SCALE_BOUNDS, arena, &err),
         &err);
    need(jali_frame_make(&frame, &space, NULL, NULL, arena, &err), &err);
    uint16_t *at = jali_arena_take(arena, (size_t)clusters * COLUMNS, sizeof *at);
    bench_need(at != NULL, "out of memory");
    for (uint32_t k = 0; k < clusters; k++)
        for (size_t c = 0; c < COLUMNS; c++) {
            const jali_column *column = jali_columns_at(t->columns, c);
            const uint8_t *codes = column->codes;
            at[k * COLUMNS + c] = (uint16_t)jali_ruler_at(&frame.axis[c], codes[k * 7919]);
        }
    need(jali_partition_centres(out, &frame, at, clusters, arena, &err), &err);
}

/* ---- the verb
 * -------------------------------------------------------------------------------- */

typedef struct verb {
    const census *table;
    jali_partition partition;
    jali_profile_method method;
    jali_dice *dice;
    size_t bytes;
} verb;

static void profile_once(void *self)
{
    verb *v = self;
    jali_arena arena = JALI_ARENA_INIT;
    jali_profile p;
    jali_label label;
    jali_err err;
    char *body;
    mpq_t eps;
    mpq_init(eps);
    mpq_set_ui(eps, 3, 10);
    jali_profile_spec spec = { .schema = &v->table->schema,
                               .clusters = v->partition.labels,
                               .clustering = "bench",
                               .method = v->method,
                               .candidates = 3,
                               .each = 1,
                               .weight = { 1, 1, 1 },
                               .law = JALI_LAW_LAPLACE,
                               .budget = eps };
    need(jali_profile_init(&p, &spec, &arena, &err), &err);
    need(jali_partition_label(&v->partition, &arena, &label, &err), &err);
    need(jali_profile_bind(&p, v->table->columns, &label, &arena, &err), &err);
    jali_charge charge = { .seq = 1, .paid = p.loss, .left = p.loss, .turn = -1 };
    need(jali_profile_run(&p, NULL, &charge, v->dice, &arena, &body, &err), &err);
    v->bytes = strlen(body);
    jali_profile_clear(&p);
    jali_arena_clear(&arena);
    mpq_clear(eps);
}

static double ratio_of(const census *t, uint32_t clusters, jali_profile_method method,
                       double *seconds)
{
    verb v = { .table = t, .method = method };
    jali_arena arena = JALI_ARENA_INIT;
    jali_err err;
    double read;
    need(jali_dice_new(&v.dice, &err), &err);
    set_centres(t, clusters, &arena, &v.partition);
    double time = bench_in_turns(t->columns, profile_once, &v, &read);
    *seconds = time;
    jali_dice_free(v.dice);
    jali_arena_clear(&arena);
    return time / read;
}

static jali_columns *prepare(void *self)
{
    verb *v = self;
    static jali_arena arena = JALI_ARENA_INIT; /* dies with the child */
    jali_err err;
    need(jali_dice_new(&v->dice, &err), &err);
    set_centres(v->table, 15, &arena, &v->partition);
    return v->table->columns;
}

static void run(void)
{
    census t;
    verb v = { .table = &t };
    double seconds;
    census_make(&t);
    bench_print("profile.rss.mb", bench_growth_mb(prepare, profile_once, &v), "MB");
    bench_print("profile.c9.ratio", ratio_of(&t, 9, JALI_PROFILE_PAPER, &seconds), "x");
    bench_print("profile.c9.all.ratio", ratio_of(&t, 9, JALI_PROFILE_ALL, &seconds), "x");
    bench_print("profile.c15.ratio", ratio_of(&t, 15, JALI_PROFILE_PAPER, &seconds), "x");
    bench_print("profile.c15.all.ratio", ratio_of(&t, 15, JALI_PROFILE_ALL, &seconds), "x");
    bench_print("profile.c15.all.seconds", seconds, "s");
    ratio_of(&t, 30, JALI_PROFILE_ALL, &seconds);
    bench_print("profile.c30.seconds", seconds, "s");
    census_drop(&t);
}

const jali_bench_set bench_profile = { "profile", run };
