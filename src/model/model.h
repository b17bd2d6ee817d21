/* model/model.h — a model to be explained: some rows in, one number a row out.
 *
 * A model is a function of one record. Nobody can check that from outside: whoever declares
 * a model answers for it (docs/KNOWN.md). What it returns is clamped to public bounds and put
 * on a grid of whole numbers before anything is summed, so nothing else about it matters to
 * a proof. Rows come as codes of the vault's columns; how a code becomes a number or a text
 * is public (model/decode.h).
 *
 * Four kinds: an XGBoost file, a command that reads CSV or NDJSON and prints one number a
 * line, a shared object with one function, and (tests, the bench) a function in memory.
 */
#ifndef JALI_MODEL_MODEL_H
#define JALI_MODEL_MODEL_H

#include "base/arena.h"
#include "base/err.h"
#include "table/schema.h"

/* Limits have names. Codes of a column fit 32 bits. */
enum { JALI_MODEL_COLUMNS = 1000, JALI_MODEL_INPUTS = 10000, JALI_MODEL_TIMEOUT_S = 600 };

typedef struct jali_model jali_model;

/* Some rows, one after the other: n rows of `width` codes, in the order of the model's
 * columns. */
typedef struct jali_frame {
    size_t rows, width;
    const uint32_t *code;
} jali_frame;

/* The one function of a shared object, under the name `jali_predict`: n rows of `width`
 * numbers (NaN: missing) in, n numbers out; 0 when all went well. It may be called from
 * several threads at once if the object also has a symbol `jali_predict_threads`. */
typedef int (*jali_predict)(const double *rows, size_t n, size_t width, double *out);

typedef struct jali_model_spec {
    const char *model; /* FILE.json, .ubj, .model: XGBoost; FILE.so; "command:WORDS"        */
    const char *const *columns; /* what it is fed, in order; n 0: as the file names them,
                                   or every column of the vault but `label`                */
    size_t n;
    const char *label;   /* the column it predicts, not fed; may be NULL                    */
    bool ndjson;         /* commands: NDJSON instead of CSV                                 */
    unsigned output;     /* XGBoost: which of several outputs (a class), from 0             */
    unsigned timeout_s;  /* commands: of one batch; 0: JALI_MODEL_TIMEOUT_S                 */
    unsigned threads;    /* XGBoost: 0: one per core                                        */
    const char *seal;    /* goes into its print: what else it consists of; NULL: nothing   */
    jali_predict memory; /* a function of this program; then `model` is its name            */
} jali_model_spec;

/* Everything about a model that does not need a row. Refused for the analyst: no such file,
 * not a model, a column that the vault does not have. *out borrows `schema`. */
JALI_MUST_USE jali_status jali_model_open(jali_model **out, const jali_schema *schema,
                                          const jali_model_spec *spec, jali_err *err);
void jali_model_free(jali_model *model); /* NULL is fine */

/* Tries the model on a few rows made from the public domains: what is wrong with it is said
 * before anything is paid, and may quote what it printed. */
JALI_MUST_USE jali_status jali_model_try(jali_model *model, jali_err *err);

/* One number a row; NaN or infinity where the model says so, which is no failure: an error
 * that one row decides would tell of it. A failure (JALI_E_ENGINE, curator) is one sentence,
 * the same whatever happened. */
JALI_MUST_USE jali_status jali_model_predict(jali_model *model, const jali_frame *frame,
                                             double *out, jali_err *err);

/* What column `column` contributes to each row's output, in the units of the model's margin
 * (XGBoost's exact tree SHAP). JALI_E_USAGE for other kinds of model. */
JALI_MUST_USE jali_status jali_model_contribute(jali_model *model, const jali_frame *frame,
                                                size_t column, double *out, jali_err *err);
bool jali_model_contributes(const jali_model *model);

/* What is public about it. */
size_t jali_model_width(const jali_model *model);
size_t jali_model_field(const jali_model *model, size_t column);  /* in the schema       */
uint32_t jali_model_null(const jali_model *model, size_t column); /* the code of NULL */
bool jali_model_find(const jali_model *model, const char *name, size_t *column);
size_t jali_model_batch(const jali_model *model);     /* rows it likes to get at once         */
bool jali_model_threads(const jali_model *model);     /* may several threads ask at once?     */
const char *jali_model_kind(const jali_model *model); /* "xgboost", "command", "shared"   */
unsigned jali_model_output(const jali_model *model);  /* which of several, from 0             */
bool jali_model_ndjson(const jali_model *model);      /* a command reads NDJSON               */
const char *jali_model_print(const jali_model *model); /* hash of its bytes, or its words  */

/* How the model reads a field's code as a number (NaN: NULL): a number is itself, a category
 * its numeric text if all categories are numbers, else its place in the public list. */
double jali_model_number(const jali_field *field, uint64_t code);
bool jali_model_is_number(const jali_field *field); /* or are its codes mere places? */

#endif
