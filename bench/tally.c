/* bench/tally.c — the cost of counting, against reading the same bytes once.
 *
 * The tables are the shapes that the papers use: the census (2,458,285 x 68, 9 clusters)
 * and IPUMS (1,146,552 rows, 8 attributes and an income, 2 groups). Codes are skewed, three
 * quarters of a column in a few values, because that is what tables are like and because
 * it is what plain increments are slow on. "Reading" adds up all bytes with vector loads
 * from the same mapped files, warm, one thread. Ratios of one thread compare its own CPU
 * time, taking turns, so that a busy neighbour slows both sides or neither; the ratio of
 * two threads is one of wall-clock times.
 */
#define _DEFAULT_SOURCE
#include "base/file.h"
#include "bench.h"
#include "engine/writer.h"
#include "intake.h"
#include "reading.h"
#include "tally/plan.h"
#include <math.h>
#include <unistd.h>

enum { BATCH = 65536, MOST = 80 };

static void need(jali_status status, const jali_err *err)
{
    bench_need(status == JALI_OK, err->text);
}

/* ---- tables ---------------------------------------------------------------------- */

typedef struct shape {
    uint64_t rows;
    size_t n;
    uint64_t domain[MOST];
    char name[MOST][16];
    char folder[64];
} shape;

static uint64_t mix(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/* Half of the codes are 0, a quarter lie in the first quarter, the rest anywhere. */
static uint64_t skewed(uint64_t *state, uint64_t domain)
{
    uint64_t z = mix(state), part = z & 3;
    uint64_t width = part < 2 ? 1 : part == 2 ? (domain + 3) / 4 : domain;
    return (z >> 2) % width;
}

static void shape_write(shape *s, const char *what)
{
    const char *names[MOST];
    jali_columns_writer *w;
    jali_err err;
    uint64_t *codes = malloc(BATCH * sizeof *codes), state = 20240607;
    bench_need(codes != NULL, "out of memory");
    snprintf(s->folder, sizeof s->folder, "jali-bench-%s-%ld", what, (long)getpid());
    jali_file_remove_tree(s->folder);
    for (size_t i = 0; i < s->n; i++) {
        snprintf(s->name[i], sizeof s->name[i], "c%zu", i);
        names[i] = s->name[i];
    }
    need(jali_columns_writer_new(&w, s->folder, s->n, names, s->domain, &err), &err);
    for (size_t i = 0; i < s->n; i++)
        for (uint64_t row = 0; row < s->rows; row += BATCH) {
            size_t n = s->rows - row < BATCH ? (size_t)(s->rows - row) : BATCH;
            for (size_t k = 0; k < n; k++) codes[k] = skewed(&state, s->domain[i]);
            need(jali_columns_writer_column(w, i, n, codes, 8, &err), &err);
        }
    need(jali_columns_writer_finish(w, &err), &err);
    jali_columns_writer_free(w);
    free(codes);
}

/* ---- plans ----------------------------------------------------------------------- */

/* The label is a column, widened: what a clustering does on top is its own figure. */
static void label_column(void *self, const jali_block *block, uint16_t *out)
{
    const uint8_t *codes = block->codes[0];
    (void)self;
    for (size_t i = 0; i < block->rows; i++) out[i] = codes[i];
}

typedef struct counting {
    jali_columns *columns;
    jali_plan *plan;
    jali_pool *pool;
    size_t cells;
} counting;

static void count_once(void *self)
{
    counting *c = self;
    jali_arena arena = JALI_ARENA_INIT;
    const jali_tallies *set;
    jali_err err;
    need(jali_plan_run(c->plan, c->pool, &arena, &set, &err), &err);
    jali_arena_clear(&arena);
}

static counting count_new(jali_columns *columns, uint32_t labels, const char *by, size_t *slice)
{
    counting c = { .columns = columns };
    jali_err err;
    jali_label label = {
        .labels = labels, .n = 1, .columns = &by, .label = label_column, .self = NULL
    };
    need(jali_plan_new(&c.plan, columns, 1, &err), &err);
    need(jali_plan_slice(c.plan, &label, NULL, slice, &err), &err);
    return c;
}

static void add_table(counting *c, const shape *s, size_t slice, const size_t *column, size_t n,
                      const char *summed)
{
    const char *names[4];
    size_t table;
    jali_err err;
    for (size_t i = 0; i < n; i++) names[i] = s->name[column[i]];
    if (summed == NULL)
        need(jali_plan_counts(c->plan, slice, names, n, &table, &err), &err);
    else
        need(jali_plan_sums(c->plan, slice, names, n, summed, 0, &table, &err), &err);
}

/* All l-subsets of the first `columns` columns, in order. */
static size_t add_subsets(counting *c, const shape *s, size_t slice, size_t columns, size_t l,
                          const char *summed)
{
    size_t pick[4] = { 0, 1, 2, 3 }, tables = 0;
    for (;;) {
        add_table(c, s, slice, pick, l, summed);
        tables++;
        size_t k = l;
        while (k > 0 && pick[k - 1] == columns - l + k - 1) k--;
        if (k == 0) return tables;
        for (pick[k - 1]++; k < l; k++) pick[k] = pick[k - 1] + 1;
    }
}

/* ---- figures --------------------------------------------------------------------- */

static void census(void)
{
    shape s = { .rows = 2458285, .n = 69 };
    for (size_t i = 0; i < 68; i++) s.domain[i] = 2 + i % 17;
    s.domain[68] = 10; /* 9 labels; NULL does not occur in it, or is cut to the last */
    shape_write(&s, "census");
    jali_columns *columns = bench_columns_open(s.folder);
    size_t slice;
    jali_err err;
    counting c = count_new(columns, 9, s.name[68], &slice);
    for (size_t i = 0; i < 68; i++) add_table(&c, &s, slice, &i, 1, NULL);
    double read, cpu = bench_in_turns(columns, count_once, &c, &read);
    double one = bench_median(count_once, &c, BENCH_ROUNDS);
    need(jali_pool_new(&c.pool, 2, &err), &err);
    double two = bench_median(count_once, &c, BENCH_ROUNDS);
    bench_print("tally.read.ms", read * 1e3, "ms");
    bench_print("tally.census.ratio", cpu / read, "x");
    bench_print("tally.census.threads", two / one, "x");
    jali_pool_free(c.pool);
    jali_plan_free(c.plan);
    jali_columns_free(columns);
    jali_file_remove_tree(s.folder);
}

enum { IPUMS_COLUMNS = 8, IPUMS_GROUP = 8, IPUMS_INCOME = 9 };

static counting subsets(const shape *s, jali_columns *columns, size_t l)
{
    size_t slice;
    counting c = count_new(columns, 2, s->name[IPUMS_GROUP], &slice);
    add_subsets(&c, s, slice, IPUMS_COLUMNS, l, s->name[IPUMS_INCOME]);
    return c;
}

typedef struct growing {
    const shape *shape;
    counting counting;
} growing;

static jali_columns *prepare_triples(void *self)
{
    growing *g = self;
    g->counting = subsets(g->shape, bench_columns_open(g->shape->folder), 3);
    return g->counting.columns;
}

static void count_triples(void *self)
{
    count_once(&((growing *)self)->counting);
}

static double subsets_seconds(const shape *s, jali_columns *columns, size_t l, double *read)
{
    counting c = subsets(s, columns, l);
    double seconds = bench_in_turns(columns, count_once, &c, read);
    jali_plan_free(c.plan);
    return seconds;
}

static void ipums(void)
{
    /* Relation, sex, race, ..., education, age; 2 groups; income 0 to 200,000 in steps of 1. */
    shape s = { .rows = 1146552, .n = 10, .domain = { 22, 3, 29, 8, 6, 15, 36, 8, 3, 200002 } };
    shape_write(&s, "ipums");
    jali_columns *columns = bench_columns_open(s.folder);
    double read, pairs = subsets_seconds(&s, columns, 2, &read);
    bench_print("tally.pairs.ratio", pairs / read, "x");
    double all = subsets_seconds(&s, columns, 3, &read);
    bench_print("tally.triples.ratio", all / read, "x");
    jali_columns_free(columns);
    growing g = { .shape = &s };
    bench_print("tally.rss.mb", bench_growth_mb(prepare_triples, count_triples, &g), "MB");
    jali_file_remove_tree(s.folder);
}

/* Slope of log(time) over log(size), by least squares. */
static double exponent(const double *size, const double *seconds, size_t n)
{
    double x = 0, y = 0, xx = 0, xy = 0, k = (double)n;
    for (size_t i = 0; i < n; i++) {
        double a = log(size[i]), b = log(seconds[i]);
        x += a;
        y += b;
        xx += a * a;
        xy += a * b;
    }
    return (k * xy - x * y) / (k * xx - x * x);
}

static void rows(void)
{
    double size[] = { 1e5, 3e5, 1e6, 3e6, 1e7 }, seconds[5], read;
    for (size_t i = 0; i < 5; i++) {
        shape s = { .rows = (uint64_t)size[i],
                    .n = 10,
                    .domain = { 22, 3, 29, 8, 6, 15, 36, 8, 3, 200002 } };
        shape_write(&s, "rows");
        jali_columns *columns = bench_columns_open(s.folder);
        seconds[i] = subsets_seconds(&s, columns, 2, &read);
        jali_columns_free(columns);
        jali_file_remove_tree(s.folder);
    }
    bench_print("tally.rows.exponent", exponent(size, seconds, 5), "");
}

/* Twenty times as many tables of one kind: pairs of 4 to 15 columns. */
static void tables(void)
{
    double count[4], seconds[4], read;
    shape s = { .rows = 300000, .n = 17 };
    for (size_t i = 0; i < 15; i++) s.domain[i] = 20;
    s.domain[15] = 3;
    s.domain[16] = 1000;
    shape_write(&s, "tables");
    jali_columns *columns = bench_columns_open(s.folder);
    for (size_t i = 0; i < 4; i++) {
        static const size_t of[] = { 4, 6, 10, 15 };
        size_t slice;
        counting c = count_new(columns, 2, s.name[15], &slice);
        count[i] = (double)add_subsets(&c, &s, slice, of[i], 2, s.name[16]);
        seconds[i] = bench_in_turns(columns, count_once, &c, &read);
        jali_plan_free(c.plan);
    }
    jali_columns_free(columns);
    jali_file_remove_tree(s.folder);
    bench_print("tally.tables.exponent", exponent(count, seconds, 4), "");
}

static void run(void)
{
    census();
    ipums();
    rows();
    tables();
}

const jali_bench_set bench_tally = { "tally", run };
