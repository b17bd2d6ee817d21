/* mock/table.c — a table of categories whose clusters differ in planted attributes.
 *
 * Every column has its own stream and is drawn for a block of rows at a time, so that its
 * tables stay in the nearest cache; the block is then written row by row.
 */
#include "mock/plan.h"

enum { BLOCK = 256, NO_CODE = UINT16_MAX, LONGEST = 7 };

typedef struct word {
    char text[LONGEST];
    unsigned char length;
} word;

typedef struct table {
    jali_mock_job *job;
    const jali_mock_options *o;
    jali_mock_plan plan;
    unsigned columns;
    jali_mock_draw *draws; /* labels, holes, columns, numeric columns */
    uint16_t *code;        /* of a block: code[column * BLOCK + row]  */
    uint16_t labels[BLOCK];
    int64_t *number; /* number[measure * BLOCK + row] */
    word *words;
    uint64_t *size; /* rows of each cluster */
    double *sum;    /* of each numeric column in each cluster */
} table;

static void *room(table *t, size_t n, size_t size)
{
    return jali_arena_take(&t->job->arena, n == 0 ? 1 : n, size);
}

static bool make_words(table *t)
{
    unsigned longest = t->o->clusters;
    for (unsigned j = 0; j < t->columns; j++)
        if (t->o->domains[j] > longest) longest = t->o->domains[j];
    t->words = room(t, longest, sizeof *t->words);
    if (t->words == NULL) return false;
    for (unsigned v = 0; v < longest; v++) {
        char text[16];
        int n = snprintf(text, sizeof text, "%u,", v);
        memcpy(t->words[v].text, text, (size_t)n);
        t->words[v].length = (unsigned char)n;
    }
    return true;
}

static bool make_streams(table *t)
{
    size_t n = 2 + (size_t)t->columns + t->o->numeric;
    t->draws = room(t, n, sizeof *t->draws);
    t->code = room(t, (size_t)t->columns * BLOCK, sizeof *t->code);
    t->number = room(t, (size_t)t->o->numeric * BLOCK, sizeof *t->number);
    t->size = room(t, t->o->clusters, sizeof *t->size);
    t->sum = room(t, (size_t)t->o->clusters * t->o->numeric, sizeof *t->sum);
    if (t->draws == NULL || t->code == NULL || t->number == NULL || t->size == NULL ||
        t->sum == NULL)
        return false;
    jali_mock_draw_init(&t->draws[0], t->o->seed, "labels", 0);
    jali_mock_draw_init(&t->draws[1], t->o->seed, "holes", 0);
    for (unsigned j = 0; j < t->columns; j++)
        jali_mock_draw_init(&t->draws[2 + j], t->o->seed, "column", j);
    for (unsigned j = 0; j < t->o->numeric; j++)
        jali_mock_draw_init(&t->draws[2 + t->columns + j], t->o->seed, "number", j);
    return true;
}

/* ---- rows ------------------------------------------------------------------------ */

static void draw_column(table *t, unsigned j, size_t rows)
{
    uint16_t *code = t->code + (size_t)j * BLOCK;
    const jali_mock_alias *alias = t->plan.alias + j;
    jali_mock_draw *d = &t->draws[2 + j];
    if (jali_mock_plan_grouped(&t->plan, j)) {
        memcpy(code, t->labels, rows * sizeof *code);
        return;
    }
    for (size_t i = 0; i < rows; i++)
        code[i] = (uint16_t)jali_mock_alias_draw(alias + (size_t)t->labels[i] * t->columns, d);
}

/* A row has a reason when it has the planted value, whichever its cluster: so the cluster
 * differs in the measure only because it has the value more often. */
static void draw_number(table *t, unsigned m, size_t rows)
{
    jali_mock_draw *d = &t->draws[2 + t->columns + m];
    double shift[BLOCK] = { 0 };
    for (size_t k = 0; k < t->plan.n_plants; k++) {
        const jali_mock_plant *p = &t->plan.plants[k];
        if (p->measure != m) continue;
        const uint16_t *code = t->code + (size_t)p->column * BLOCK;
        for (size_t i = 0; i < rows; i++) shift[i] += code[i] == p->value ? p->shift : 0;
    }
    double top = t->plan.shape != NULL ? t->plan.shape->measure_maximum : 100;
    unsigned decimals = t->plan.shape != NULL ? 0 : 2;
    for (size_t i = 0; i < rows; i++) {
        double z = shift[i] + jali_mock_draw_normal(d);
        double x =
            t->plan.shape != NULL ? 0.25 * top + 0.1 * top * z : 0.5 * top + 0.1 * top * z;
        int64_t units = jali_mock_units(x, 0, top, decimals);
        t->number[(size_t)m * BLOCK + i] = units;
        t->sum[(size_t)t->labels[i] * t->o->numeric + m] += (double)units;
    }
}

static void draw_block(table *t, size_t rows)
{
    for (size_t i = 0; i < rows; i++) {
        t->labels[i] = (uint16_t)jali_mock_alias_draw(&t->plan.label, &t->draws[0]);
        t->size[t->labels[i]]++;
    }
    for (unsigned j = 0; j < t->columns; j++) draw_column(t, j, rows);
    for (unsigned m = 0; m < t->o->numeric; m++) draw_number(t, m, rows);
    if (t->o->missing <= 0) return;
    for (size_t i = 0; i < (size_t)t->columns * BLOCK; i++)
        if (jali_mock_draw_chance(&t->draws[1], t->o->missing)) t->code[i] = NO_CODE;
}

static inline void put_word(jali_mock_sink *s, const word *w)
{
    memcpy(s->at + s->used, w->text, LONGEST);
    s->used += w->length;
}

static void write_block(table *t, size_t rows)
{
    jali_mock_sink *s = t->job->sink;
    for (size_t i = 0; i < rows; i++) {
        jali_mock_sink_row(s);
        for (unsigned j = 0; j < t->columns; j++) {
            uint16_t code = t->code[(size_t)j * BLOCK + i];
            if (code == NO_CODE)
                jali_mock_sink_char(s, ',');
            else
                put_word(s, &t->words[code]);
        }
        for (unsigned m = 0; m < t->o->numeric; m++)
            jali_mock_sink_fixed(s, t->number[(size_t)m * BLOCK + i],
                                 t->plan.shape != NULL ? 0 : 2);
        if (t->o->label && t->plan.shape == NULL) put_word(s, &t->words[t->labels[i]]);
        jali_mock_sink_end(s);
    }
}

static void write_rows(table *t)
{
    for (uint64_t row = 0; row < t->o->rows && !t->job->sink->failed; row += BLOCK) {
        size_t rows = t->o->rows - row < BLOCK ? (size_t)(t->o->rows - row) : BLOCK;
        draw_block(t, rows);
        write_block(t, rows);
        jali_mock_told(t->job, row);
    }
}

/* ---- schema and truth ------------------------------------------------------------ */

static void column_name(const table *t, unsigned j, char name[static 24])
{
    if (t->plan.shape != NULL)
        snprintf(name, 24, "%s", t->plan.shape->names[j]);
    else
        snprintf(name, 24, "a%02u", j);
}

static void measure_name(const table *t, unsigned m, char name[static 24])
{
    if (t->plan.shape != NULL)
        snprintf(name, 24, "%s", t->plan.shape->measure);
    else
        snprintf(name, 24, "n%02u", m);
}

static void declare(table *t)
{
    char name[24];
    for (unsigned j = 0; j < t->columns; j++) {
        column_name(t, j, name);
        jali_mock_field_codes(t->job, name, t->o->domains[j]);
    }
    for (unsigned m = 0; m < t->o->numeric; m++) {
        measure_name(t, m, name);
        jali_mock_field_number(t->job, name, 0,
                               t->plan.shape ? t->plan.shape->measure_maximum : 100,
                               t->plan.shape ? "1" : "0.01", NULL, 0);
    }
    if (t->o->label && t->plan.shape == NULL)
        jali_mock_field_codes(t->job, "cluster", t->o->clusters);
}

static json_t *plant_json(const table *t, const jali_mock_plant *p)
{
    char column[24], measure[24], value[16];
    column_name(t, p->column, column);
    measure_name(t, p->measure, measure);
    snprintf(value, sizeof value, "%u", p->value);
    json_t *j = json_pack("{s:i, s:s, s:s, s:f, s:f, s:f}", "cluster", (int)p->cluster,
                          "attribute", column, "value", value, "strength", p->strength,
                          "share_inside", p->inside, "share_outside", p->outside);
    if (t->o->numeric > 0 && j != NULL)
        json_object_set_new(j, "moves",
                            json_pack("{s:s, s:f}", "column", measure, "by_sd", p->shift));
    return j;
}

static void tell(table *t)
{
    json_t *truth = t->job->truth, *planted = json_array(), *clusters = json_array();
    double unit = t->plan.shape != NULL ? 1 : 100;
    for (size_t i = 0; i < t->plan.n_plants; i++)
        json_array_append_new(planted, plant_json(t, &t->plan.plants[i]));
    for (unsigned c = 0; c < t->o->clusters; c++) {
        double *sum = t->sum + (size_t)c * t->o->numeric;
        for (unsigned m = 0; m < t->o->numeric && t->size[c] > 0; m++)
            sum[m] = sum[m] / unit / (double)t->size[c];
        json_array_append_new(clusters,
                              json_pack("{s:i, s:I, s:f, s:o}", "cluster", (int)c, "rows",
                                        (json_int_t)t->size[c], "share", t->plan.weight[c],
                                        "means", jali_mock_reals(sum, t->o->numeric)));
    }
    json_object_set_new(
        truth, "label",
        json_string(t->plan.shape ? t->plan.shape->names[t->plan.shape->group] : "cluster"));
    json_object_set_new(truth, "clusters", clusters);
    json_object_set_new(truth, "planted", planted);
}

jali_status jali_mock_table(jali_mock_job *job, jali_err *err)
{
    table *t = jali_arena_take(&job->arena, 1, sizeof *t);
    if (t == NULL) return jali_fail_memory(err);
    t->job = job;
    t->o = job->o;
    t->columns = job->o->n_domains;
    JALI_TRY(jali_mock_plan_make(&t->plan, t->o, &job->arena, err));
    if (!make_words(t) || !make_streams(t)) return jali_fail_memory(err);
    declare(t);
    JALI_TRY(jali_mock_header(job, err));
    write_rows(t);
    tell(t);
    return JALI_OK;
}
