/* model/shared.c — a model in a shared object with one function, or in this program. */
#include "model/inside.h"
#include <dlfcn.h>
#include <math.h>

enum { SHARED_BATCH = 4096 };

/* NaN for the rows that make it fail alone: an error would tell of them. */
static void by_halves(const jali_model *m, const double *x, size_t rows, double *out)
{
    if (m->memory(x, rows, m->n_inputs, out) == 0) return;
    if (rows == 1) {
        out[0] = (double)NAN;
        return;
    }
    by_halves(m, x, rows / 2, out);
    by_halves(m, x + rows / 2 * m->n_inputs, rows - rows / 2, out + rows / 2);
}

static jali_status shared_predict(jali_model *m, const jali_frame *frame, double *out,
                                  bool trial, jali_err *err)
{
    jali_arena arena = JALI_ARENA_INIT;
    double *x = jali_arena_take(&arena, frame->rows * m->n_inputs, sizeof *x);
    jali_status status = x == NULL ? jali_fail_memory(err) : JALI_OK;
    if (status == JALI_OK) {
        jali_decode_doubles(m, frame, x);
        if (!trial)
            by_halves(m, x, frame->rows, out);
        else if (m->memory(x, frame->rows, m->n_inputs, out) != 0)
            status = jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                               "the model's function jali_predict failed");
    }
    jali_arena_clear(&arena);
    return status;
}

static void shared_free(jali_model *m)
{
    if (m->library != NULL) dlclose(m->library);
}

static const jali_model_type shared_type = { "shared", SHARED_BATCH, shared_predict, NULL,
                                             shared_free };

jali_status jali_shared_open(jali_model *m, const jali_model_spec *spec, jali_err *err)
{
    m->type = &shared_type;
    m->memory = spec->memory;
    if (m->memory == NULL) {
        /* A bare name would be looked for along the system's path. */
        const char *path = strchr(spec->model, '/') != NULL
                               ? spec->model
                               : jali_arena_format(&m->arena, "./%s", spec->model);
        m->library = path == NULL ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);
        void *symbol = m->library == NULL ? NULL : dlsym(m->library, "jali_predict");
        if (symbol == NULL)
            return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                             "%.200s is not a model: a shared object must have a function "
                             "jali_predict(rows, n, width, out)",
                             spec->model);
        memcpy(&m->memory, &symbol, sizeof symbol); /* ISO C has no other way */
        m->threads = dlsym(m->library, "jali_predict_threads") != NULL;
    }
    return jali_model_inputs(m, spec, err);
}
