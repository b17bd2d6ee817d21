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
#include "engine/writer.h"
#include "reading.h"
#include "tally/partition.h"
#include <malloc.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COLUMNS = 68, BATCH = 65536 };

static void need(jali_status status, const jali_err *err)
{
    bench_need(status == JALI_OK, err->text);
}

/* ---- the table -------------------------------------------------------------------------- */

typedef struct intake {
    jali_columns_writer *writer;
    uint64_t *codes[COLUMNS], value;
    size_t rows, column;
    bool header_done;
} intake;

static void flush(intake *in)
{
    jali_err err;
    for (size_t c = 0; c < COLUMNS; c++)
        need(jali_columns_writer_column(in->writer, c, in->rows, in->codes[c], 8, &err), &err);
    in->rows = 0;
}

/* Codes are the numbers of the CSV: value i of an attribute is called i. */
static bool take(void *self, const char *bytes, size_t n)
{
    intake *in = self;
    for (size_t i = 0; i < n; i++) {
        char c = bytes[i];
        if (!in->header_done) {
            in->header_done = c == '\n';
        } else if (c >= '0' && c <= '9') {
            in->value = in->value * 10 + (uint64_t)(c - '0');
        } else {
            bench_need(in->column < COLUMNS, "a row is too long");
            in->codes[in->column++][in->rows] = in->value;
            in->value = 0;
            if (c != '\n') continue;
            in->column = 0;
            if (++in->rows == BATCH) flush(in);
        }
    }
    return true;
}

typedef struct census {
    char folder[64], file[80];
    jali_arena arena;
    jali_schema schema;
    jali_columns *columns;
} census;

static void census_make(census *t)
{
    jali_mock_options o;
    intake in = { 0 };
    jali_err err;
    const char *names[COLUMNS];
    uint64_t domain[COLUMNS];
    *t = (census){ 0 };
    snprintf(t->folder, sizeof t->folder, "jali-bench-profile-%ld", (long)getpid());
    snprintf(t->file, sizeof t->file, "%s.json", t->folder);
    jali_file_remove_tree(t->folder);
    need(jali_mock_defaults(&o, "table", "census", &err), &err);
    o.schema = t->file;
    o.label = false;
    o.take = take;
    o.self = &in;
    jali_mock_options few = o;
    few.rows = 1;
    for (size_t c = 0; c < COLUMNS; c++) {
        in.codes[c] = malloc(BATCH * sizeof **in.codes);
        bench_need(in.codes[c] != NULL, "out of memory");
    }
    need(jali_mock_write(&few, NULL, &err), &err); /* for its schema */
    need(jali_schema_load(&t->schema, t->file, &t->arena, &err), &err);
    for (size_t c = 0; c < COLUMNS; c++) {
        names[c] = t->schema.fields[c].name;
        domain[c] = t->schema.fields[c].domain;
    }
    in.rows = in.column = 0;
    in.header_done = false;
    need(jali_columns_writer_new(&in.writer, t->folder, COLUMNS, names, domain, &err), &err);
    need(jali_mock_write(&o, NULL, &err), &err);
    flush(&in);
    need(jali_columns_writer_finish(in.writer, &err), &err);
    jali_columns_writer_free(in.writer);
    for (size_t c = 0; c < COLUMNS; c++) free(in.codes[c]);
}

static void census_open(census *t)
{
    jali_err err;
    need(jali_columns_open(&t->columns, t->folder, &err), &err);
    for (size_t c = 0; c < COLUMNS; c++) need(jali_columns_verify(t->columns, c, &err), &err);
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

/* How much the process grows while it profiles, once every mapped page is there. */
static double growth_mb(census *t)
{
    int ends[2];
    double mb = -1;
    bench_need(pipe(ends) == 0, "no pipe");
    pid_t child = fork();
    bench_need(child >= 0, "no child");
    if (child == 0) {
        struct rusage before, after;
        jali_arena arena = JALI_ARENA_INIT;
        jali_err err;
        verb v = { .table = t };
        malloc_trim(0);
        need(jali_dice_new(&v.dice, &err), &err);
        set_centres(t, 15, &arena, &v.partition);
        bench_need(bench_read_once(t->columns) > 0, "nothing was read");
        getrusage(RUSAGE_SELF, &before);
        profile_once(&v);
        getrusage(RUSAGE_SELF, &after);
        mb = (double)(after.ru_maxrss - before.ru_maxrss) / 1024;
        _exit(write(ends[1], &mb, sizeof mb) == (ssize_t)sizeof mb ? 0 : 1);
    }
    close(ends[1]);
    bool good = read(ends[0], &mb, sizeof mb) == (ssize_t)sizeof mb;
    close(ends[0]);
    waitpid(child, NULL, 0);
    bench_need(good, "the child failed");
    return mb;
}

static void run(void)
{
    census t;
    double seconds;
    census_make(&t);
    census_open(&t);
    bench_print("profile.rss.mb", growth_mb(&t), "MB");
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
