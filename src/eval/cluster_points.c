/* eval/cluster_points.c — rows of a public vault as points, in the measure of a geometry. */
#include "eval/cluster_points.h"
#include "engine/codes.h"

static jali_status open_column(jali_columns *columns, const char *name, const jali_column **out,
                               jali_err *err)
{
    size_t i;
    if (!jali_columns_find(columns, name, &i))
        return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                         "the column \"%.100s\" is not among the vault's files", name);
    JALI_TRY(jali_columns_verify(columns, i, err));
    *out = jali_columns_at(columns, i);
    return JALI_OK;
}

static double place(const jali_dimension *d, uint64_t code)
{
    bool null = code + 1 >= d->domain;
    if (d->one_hot) return !null && code == d->code ? d->width : 0;
    if (d->domain < 3) return 0;
    uint64_t top = d->domain - 2;
    return (null ? (double)(top / 2) : (double)code) / (double)top * d->width;
}

jali_status jali_cluster_points(const jali_geometry *g, jali_columns *columns,
                                jali_arena *arena, jali_points *out, jali_err *err)
{
    size_t n = (size_t)jali_columns_rows(columns);
    double *at = jali_arena_take(arena, n * g->n + 1, sizeof *at);
    if (at == NULL) return jali_fail_memory(err);
    for (size_t j = 0; j < g->n; j++) {
        const jali_dimension *d = &g->dimension[j];
        const jali_column *c;
        JALI_TRY(open_column(columns, g->schema->fields[d->field].name, &c, err));
        for (size_t i = 0; i < n; i++)
            at[i * g->n + j] = place(d, jali_code_at(c->codes, c->width, i));
    }
    *out = (jali_points){ n, g->n, at, NULL };
    return JALI_OK;
}

jali_status jali_cluster_codes(jali_columns *columns, const char *name, jali_arena *arena,
                               uint32_t **out, jali_err *err)
{
    size_t n = (size_t)jali_columns_rows(columns);
    const jali_column *c;
    uint32_t *code = jali_arena_take(arena, n + 1, sizeof *code);
    if (code == NULL) return jali_fail_memory(err);
    JALI_TRY(open_column(columns, name, &c, err));
    for (size_t i = 0; i < n; i++) code[i] = (uint32_t)jali_code_at(c->codes, c->width, i);
    *out = code;
    return JALI_OK;
}
