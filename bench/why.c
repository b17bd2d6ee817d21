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
#include "engine/writer.h"
#include "mech/explain.h"
#include "reading.h"
#include <malloc.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COLUMNS = 9, INCOME = 8, SEX = 1, BATCH = 65536, TOP = 5 };

static const char *const names[COLUMNS] = { "relate",   "sex",  "race", "marst", "citizen",
                                            "classwkr", "educ", "age",  "inctot" };
static const uint64_t domain[COLUMNS] = { 23, 4, 30, 9, 7, 16, 37, 9, 200002 };

static void need(jali_status status, const jali_err *err)
{
    bench_need(status == JALI_OK, err->text);
}

/* ---- the table -------------------------------------------------------------------------- */

/* Codes are the numbers of the CSV; a line at a time, whatever pieces it comes in. */
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

static bool take(void *self, const char *bytes, size_t n)
{
    intake *in = self;
    for (size_t i = 0; i < n; i++) {
        char c = bytes[i];
        if (!in->header_done) {
            in->header_done = c == '\n';
            continue;
        }
        if (c >= '0' && c <= '9') {
            in->value = in->value * 10 + (uint64_t)(c - '0');
            continue;
        }
        bench_need(in->column < COLUMNS && (c == ',' || c == '\n'), "not the table it was");
        in->codes[in->column++][in->rows] = in->value;
        in->value = 0;
        if (c != '\n') continue;
        bench_need(in->column == COLUMNS, "a row of another length");
        in->column = 0;
        if (++in->rows == BATCH) flush(in);
    }
    return true;
}

static jali_columns *make_table(char folder[static 64])
{
    jali_mock_options o;
    intake in = { 0 };
    jali_columns *columns;
    jali_err err;
    snprintf(folder, 64, "jali-bench-why-%ld", (long)getpid());
    jali_file_remove_tree(folder);
    need(jali_columns_writer_new(&in.writer, folder, COLUMNS, names, domain, &err), &err);
    for (size_t c = 0; c < COLUMNS; c++) {
        in.codes[c] = malloc(BATCH * sizeof **in.codes);
        bench_need(in.codes[c] != NULL, "out of memory");
    }
    need(jali_mock_defaults(&o, "table", "ipums", &err), &err);
    o.take = take;
    o.self = &in;
    need(jali_mock_write(&o, NULL, &err), &err);
    flush(&in);
    need(jali_columns_writer_finish(in.writer, &err), &err);
    jali_columns_writer_free(in.writer);
    for (size_t c = 0; c < COLUMNS; c++) free(in.codes[c]);
    need(jali_columns_open(&columns, folder, &err), &err);
    for (size_t c = 0; c < COLUMNS; c++) need(jali_columns_verify(columns, c, &err), &err);
    return columns;
}

/* ---- the question -------------------------------------------------------------------------
 */

static const jali_groups sexes = {
    .n_columns = 1, .column = { "sex" }, .domain = { 4 }, .n = 2, .code = { { 0 }, { 1 } }
};

typedef struct asking {
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

/* How much the process grows for the longest conjunctions, once every mapped page is there. */
static double growth_mb(const char *folder)
{
    int ends[2];
    double mb = -1;
    bench_need(pipe(ends) == 0, "no pipe");
    pid_t child = fork();
    bench_need(child >= 0, "no child");
    if (child == 0) {
        struct rusage before, after;
        asking a = { .length = 3 };
        jali_err err;
        malloc_trim(0); /* what other benches freed must not be counted as already there */
        need(jali_columns_open(&a.columns, folder, &err), &err);
        for (size_t c = 0; c < COLUMNS; c++)
            need(jali_columns_verify(a.columns, c, &err), &err);
        need(jali_dice_new(&a.dice, &err), &err);
        bench_need(bench_read_once(a.columns) > 0, "nothing was read");
        getrusage(RUSAGE_SELF, &before);
        explain(&a);
        getrusage(RUSAGE_SELF, &after);
        mb = (double)(after.ru_maxrss - before.ru_maxrss) / 1024;
        _exit(write(ends[1], &mb, sizeof mb) == (ssize_t)sizeof mb ? 0 : 1);
    }
    bench_need(read(ends[0], &mb, sizeof mb) == (ssize_t)sizeof mb, "the child failed");
    close(ends[0]);
    close(ends[1]);
    waitpid(child, NULL, 0);
    return mb;
}

static void run(void)
{
    static const char *const figure[] = { "why.l1", "why.l2", "why.l3" };
    char folder[64], name[32];
    asking a = { .columns = make_table(folder) };
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
    bench_print("why.rss.mb", growth_mb(folder), "MB");
    jali_file_remove_tree(folder);
}

const jali_bench_set bench_why = { "why", run };
