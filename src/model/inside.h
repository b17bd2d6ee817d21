/* model/inside.h — what the kinds of model share. */
#ifndef JALI_MODEL_INSIDE_H
#define JALI_MODEL_INSIDE_H

#include "model/model.h"

/* One input of the model: a column as a number, or whether it is one category. */
typedef struct jali_input {
    size_t column;       /* of the frame */
    int64_t is;          /* code that makes it 1; -1: the number itself */
    const float *number; /* by code, for small domains; else NULL  */
    double low, step;    /* number = (low + code) * step           */
    uint32_t null;
} jali_input;

typedef struct jali_model_type {
    const char *name;
    size_t batch;
    jali_status (*predict)(jali_model *m, const jali_frame *frame, double *out, bool trial,
                           jali_err *err);
    jali_status (*contribute)(jali_model *m, const jali_frame *frame, size_t column,
                              double *out, jali_err *err);
    void (*free)(jali_model *m);
} jali_model_type;

struct jali_model {
    jali_arena arena;
    const jali_model_type *type;
    const jali_schema *schema;
    size_t width, *field; /* columns of a frame, as fields of the schema */
    size_t n_inputs;
    jali_input *input;
    bool threads, ndjson;
    unsigned output, timeout_s;
    unsigned failures; /* of a command, with private rows */
    char print[33];
    const char *words; /* of a command */
    void *handle;      /* of a library or an XGBoost booster */
    void *library;
    jali_predict memory;
};

JALI_MUST_USE jali_status jali_xgboost_open(jali_model *m, const jali_model_spec *spec,
                                            jali_err *err);
JALI_MUST_USE jali_status jali_command_open(jali_model *m, const jali_model_spec *spec,
                                            jali_err *err);
JALI_MUST_USE jali_status jali_shared_open(jali_model *m, const jali_model_spec *spec,
                                           jali_err *err);

/* Adds a column to the frame (once) and returns its place through *column. */
JALI_MUST_USE jali_status jali_model_feed(jali_model *m, const char *name, size_t *column,
                                          jali_err *err);
/* Adds an input: NAME, or NAME=VALUE for the indicator of one category. */
JALI_MUST_USE jali_status jali_model_input(jali_model *m, const char *name, jali_err *err);
/* The columns of the spec, or all of the schema but the label. */
JALI_MUST_USE jali_status jali_model_inputs(jali_model *m, const jali_model_spec *spec,
                                            jali_err *err);

/* A few rows made from the public domains. */
JALI_MUST_USE jali_status jali_model_public_rows(const jali_model *m, jali_arena *arena,
                                                 jali_frame *out, jali_err *err);

/* rows * n_inputs numbers, NaN where NULL. */
void jali_decode_floats(const jali_model *m, const jali_frame *frame, float *out);
void jali_decode_doubles(const jali_model *m, const jali_frame *frame, double *out);

typedef struct jali_text jali_text;
/* The frame as CSV with a header, or NDJSON. */
void jali_decode_text(const jali_model *m, const jali_frame *frame, jali_text *out);

/* The only sentence about a command that failed with private rows: which way it failed is a
 * fact about them. */
jali_status jali_command_failed(jali_err *err);

/* Gives `input` n bytes on stdin to `words` and collects what it prints. `trial`: whose command
 * it is ("model"), if the input is public, so that an error may quote the command; else NULL.
 * *late, unless NULL: it failed by its time. *out is freed by the caller. */
JALI_MUST_USE jali_status jali_command_run(const char *words, const char *input, size_t n,
                                           unsigned timeout_s, const char *trial, char **out,
                                           size_t *n_out, bool *late, jali_err *err);

#endif
