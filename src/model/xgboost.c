/* model/xgboost.c — an XGBoost file, through the library's C interface.
 *
 * The library is opened when such a model is asked for, never linked: it brings OpenMP and
 * C++ along, and nobody who asks for a budget should wait for them.
 */
#include "model/inside.h"
#include <dlfcn.h>
#include <stdio.h>
#include <xgboost/c_api.h>

enum { XGBOOST_BATCH = 16384, CONFIG = 256 };

typedef struct api {
    const char *(*error)(void);
    int (*create)(const DMatrixHandle *, bst_ulong, BoosterHandle *);
    int (*load)(BoosterHandle, const char *);
    int (*free)(BoosterHandle);
    int (*set)(BoosterHandle, const char *, const char *);
    int (*n_features)(BoosterHandle, bst_ulong *);
    int (*names)(BoosterHandle, const char *, bst_ulong *, const char ***);
    int (*dense)(BoosterHandle, const char *, const char *, DMatrixHandle, const bst_ulong **,
                 bst_ulong *, const float **);
    int (*matrix)(const float *, bst_ulong, bst_ulong, float, DMatrixHandle *);
    int (*matrix_free)(DMatrixHandle);
    int (*predict)(BoosterHandle, DMatrixHandle, const char *, const bst_ulong **, bst_ulong *,
                   const float **);
    int (*config)(const char *);
    float *room; /* one batch of rows */
} api;

static bool find(void *library, const char *name, void *to)
{
    void *symbol = dlsym(library, name);
    memcpy(to, &symbol, sizeof symbol); /* ISO C has no other way to a function */
    return symbol != NULL;
}

static bool find_all(void *l, api *a)
{
    return find(l, "XGBGetLastError", &a->error) && find(l, "XGBoosterCreate", &a->create) &&
           find(l, "XGBoosterLoadModel", &a->load) && find(l, "XGBoosterFree", &a->free) &&
           find(l, "XGBoosterSetParam", &a->set) &&
           find(l, "XGBoosterGetNumFeature", &a->n_features) &&
           find(l, "XGBoosterGetStrFeatureInfo", &a->names) &&
           find(l, "XGBoosterPredictFromDense", &a->dense) &&
           find(l, "XGDMatrixCreateFromMat", &a->matrix) &&
           find(l, "XGDMatrixFree", &a->matrix_free) &&
           find(l, "XGBoosterPredictFromDMatrix", &a->predict) &&
           find(l, "XGBSetGlobalConfig", &a->config);
}

static jali_status failed(jali_err *err)
{
    return jali_fail(
        err, JALI_E_ENGINE, JALI_FOR_CURATOR,
        "XGBoost could not predict; is the model whole, and made by version 1.0 or "
        "later?");
}

/* One of the outputs: a class, or the only one. */
static jali_status pick(const jali_model *m, size_t rows, const bst_ulong *shape, bst_ulong dim,
                        const float *result, double *out, jali_err *err)
{
    bst_ulong each = 1;
    for (bst_ulong i = 1; i < dim; i++) each *= shape[i];
    if (dim == 0 || shape[0] != rows) return failed(err);
    if (m->output >= each)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "the model has %lu outputs, so --output is 0 to %lu",
                         (unsigned long)each, (unsigned long)each - 1);
    for (size_t i = 0; i < rows; i++) out[i] = (double)result[i * each + m->output];
    return JALI_OK;
}

static jali_status predict_some(jali_model *m, const jali_frame *frame, double *out,
                                jali_err *err)
{
    const api *a = *(api **)m->handle;
    static const char config[] = "{\"type\":0,\"training\":false,\"iteration_begin\":0,"
                                 "\"iteration_end\":0,\"strict_shape\":false,\"cache_id\":0,"
                                 "\"missing\":NaN}";
    char array[CONFIG];
    const bst_ulong *shape;
    bst_ulong dim;
    const float *result;
    jali_decode_floats(m, frame, a->room);
    snprintf(array, sizeof array,
             "{\"data\":[%zu,true],\"shape\":[%zu,%zu],\"typestr\":\"<f4\",\"version\":3}",
             (size_t)(uintptr_t)a->room, frame->rows, m->n_inputs);
    BoosterHandle booster = ((void **)m->handle)[1];
    if (a->dense(booster, array, config, NULL, &shape, &dim, &result) != 0) return failed(err);
    return pick(m, frame->rows, shape, dim, result, out, err);
}

static jali_status xgboost_predict(jali_model *m, const jali_frame *frame, double *out,
                                   bool trial, jali_err *err)
{
    (void)trial;
    for (size_t i = 0; i < frame->rows; i += XGBOOST_BATCH) {
        size_t n = frame->rows - i < XGBOOST_BATCH ? frame->rows - i : XGBOOST_BATCH;
        jali_frame part = { n, frame->width, frame->code + i * frame->width };
        JALI_TRY(predict_some(m, &part, out + i, err));
    }
    return JALI_OK;
}

/* The contributions of a column's inputs together: an indicator's belong to its column. */
static jali_status add_up(const jali_model *m, size_t rows, size_t column,
                          const bst_ulong *shape, bst_ulong dim, const float *result,
                          double *out, jali_err *err)
{
    size_t each = m->n_inputs + 1, groups = dim == 3 ? (size_t)shape[1] : 1;
    if (dim < 2 || shape[0] != rows || shape[dim - 1] != each || m->output >= groups)
        return failed(err);
    for (size_t i = 0; i < rows; i++) {
        const float *row = result + (i * groups + m->output) * each;
        out[i] = 0;
        for (size_t k = 0; k < m->n_inputs; k++)
            if (m->input[k].column == column) out[i] += (double)row[k];
    }
    return JALI_OK;
}

static jali_status contribute_some(jali_model *m, const jali_frame *frame, size_t column,
                                   double *out, jali_err *err)
{
    const api *a = *(api **)m->handle;
    static const char config[] = "{\"type\":2,\"training\":false,\"iteration_begin\":0,"
                                 "\"iteration_end\":0,\"strict_shape\":false}";
    DMatrixHandle matrix;
    const bst_ulong *shape;
    bst_ulong dim;
    const float *result;
    jali_decode_floats(m, frame, a->room);
    if (a->matrix(a->room, frame->rows, m->n_inputs, (float)__builtin_nan(""), &matrix) != 0)
        return failed(err);
    BoosterHandle booster = ((void **)m->handle)[1];
    jali_status status = a->predict(booster, matrix, config, &shape, &dim, &result) != 0
                             ? failed(err)
                             : add_up(m, frame->rows, column, shape, dim, result, out, err);
    a->matrix_free(matrix);
    return status;
}

static jali_status xgboost_contribute(jali_model *m, const jali_frame *frame, size_t column,
                                      double *out, jali_err *err)
{
    for (size_t i = 0; i < frame->rows; i += XGBOOST_BATCH) {
        size_t n = frame->rows - i < XGBOOST_BATCH ? frame->rows - i : XGBOOST_BATCH;
        jali_frame part = { n, frame->width, frame->code + i * frame->width };
        JALI_TRY(contribute_some(m, &part, column, out + i, err));
    }
    return JALI_OK;
}

/* The library stays open: its OpenMP threads outlive a booster. */
static void xgboost_free(jali_model *m)
{
    if (m->handle == NULL) return;
    const api *a = *(api **)m->handle;
    if (((void **)m->handle)[1] != NULL) a->free(((void **)m->handle)[1]);
}

static const jali_model_type xgboost_type = { "xgboost", XGBOOST_BATCH, xgboost_predict,
                                              xgboost_contribute, xgboost_free };

static jali_status load(jali_model *m, const jali_model_spec *spec, const api *a, jali_err *err)
{
    char threads[16];
    BoosterHandle booster;
    snprintf(threads, sizeof threads, "%u", spec->threads);
    a->config("{\"verbosity\":0}"); /* the library would print warnings by itself */
    if (a->create(NULL, 0, &booster) != 0) return failed(err);
    ((void **)m->handle)[1] = booster;
    if (a->load(booster, spec->model) != 0)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "%.200s is not a model that XGBoost can read; a command is written "
                         "\"command:WORDS\"",
                         spec->model);
    if (spec->threads > 0) a->set(booster, "nthread", threads);
    return JALI_OK;
}

/* By the names in the file; a file without names is fed the columns asked for. */
static jali_status inputs(jali_model *m, const jali_model_spec *spec, const api *a,
                          jali_err *err)
{
    bst_ulong n = 0, wanted = 0;
    const char **names = NULL;
    BoosterHandle booster = ((void **)m->handle)[1];
    if (spec->n == 0 && a->names(booster, "feature_name", &n, &names) != 0) n = 0;
    for (bst_ulong i = 0; i < n; i++) JALI_TRY(jali_model_input(m, names[i], err));
    if (n == 0) JALI_TRY(jali_model_inputs(m, spec, err));
    if (a->n_features(booster, &wanted) != 0) return failed(err);
    if (wanted == m->n_inputs) return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "the model has %lu inputs but is fed %zu columns: name them in order with "
                     "--columns a,b,c",
                     (unsigned long)wanted, m->n_inputs);
}

jali_status jali_xgboost_open(jali_model *m, const jali_model_spec *spec, jali_err *err)
{
    void **handle = jali_arena_take(&m->arena, 2, sizeof *handle);
    api *a = jali_arena_take(&m->arena, 1, sizeof *a);
    if (handle == NULL || a == NULL) return jali_fail_memory(err);
    m->library = dlopen("libxgboost.so.0", RTLD_NOW | RTLD_LOCAL);
    if (m->library == NULL) m->library = dlopen("libxgboost.so", RTLD_NOW | RTLD_LOCAL);
    if (m->library == NULL || !find_all(m->library, a))
        return jali_fail(err, JALI_E_ENGINE, JALI_FOR_ANALYST,
                         "this machine has no XGBoost library (Debian: libxgboost0); another "
                         "model can be a command: --model \"command:WORDS\"");
    m->type = &xgboost_type;
    handle[0] = a;
    m->handle = handle;
    JALI_TRY(load(m, spec, a, err));
    JALI_TRY(inputs(m, spec, a, err));
    a->room = jali_arena_take(&m->arena, XGBOOST_BATCH * m->n_inputs, sizeof *a->room);
    return a->room == NULL ? jali_fail_memory(err) : JALI_OK;
}
