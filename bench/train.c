/* bench/train.c — jali-train: an XGBoost model of a public vault, to have one to explain.
 *
 * Usage: jali-train VAULT LABEL[=VALUE] OUT.json [ROUNDS [DEPTH]]
 * Reads the rows of a vault that was imported with --public, in the numbers in which
 * model/decode.c reads them, names the features by their columns, and trains with the
 * library's defaults but for depth and rounds. Nothing about it is private.
 */
#include "door/vault.h"
#include "engine/codes.h"
#include "model/model.h"
#include <stdio.h>
#include <stdlib.h>
#include <xgboost/c_api.h>

#define MUST(call)                                                                             \
    do {                                                                                       \
        if ((call) != 0) {                                                                     \
            fprintf(stderr, "jali-train: %s\n", XGBGetLastError());                            \
            return 1;                                                                          \
        }                                                                                      \
    } while (0)

static int64_t category(const jali_field *f, const char *value)
{
    for (uint32_t i = 0; i < f->n_values; i++)
        if (strcmp(f->values[i], value) == 0) return i;
    return -1;
}

static int fill(jali_vault *v, const jali_field *f, float *to, size_t width, int64_t is)
{
    jali_err err;
    size_t i, rows = (size_t)jali_columns_rows(v->columns);
    if (!jali_columns_find(v->columns, f->name, &i) ||
        jali_columns_verify(v->columns, i, &err) != JALI_OK)
        return 1;
    const jali_column *c = jali_columns_at(v->columns, i);
    for (size_t r = 0; r < rows; r++) {
        uint64_t code = jali_code_at(c->codes, c->width, r);
        to[r * width] =
            is >= 0 ? (float)((int64_t)code == is) : (float)jali_model_number(f, code);
    }
    return 0;
}

static int train(const float *x, const float *y, size_t rows, const char **name, size_t width,
                 bool classes, const char *out, int rounds, const char *depth)
{
    DMatrixHandle matrix;
    BoosterHandle booster;
    MUST(XGDMatrixCreateFromMat(x, rows, width, (float)__builtin_nan(""), &matrix));
    MUST(XGDMatrixSetFloatInfo(matrix, "label", y, rows));
    MUST(XGDMatrixSetStrFeatureInfo(matrix, "feature_name", name, width));
    MUST(XGBoosterCreate(&matrix, 1, &booster));
    MUST(XGBoosterSetParam(booster, "objective",
                           classes ? "binary:logistic" : "reg:squarederror"));
    MUST(XGBoosterSetParam(booster, "max_depth", depth));
    MUST(XGBoosterSetParam(booster, "eta", "0.3"));
    MUST(XGBoosterSetParam(booster, "seed", "1"));
    MUST(XGBoosterSetParam(booster, "verbosity", "0"));
    for (int i = 0; i < rounds; i++) MUST(XGBoosterUpdateOneIter(booster, i, matrix));
    MUST(XGBoosterSetStrFeatureInfo(booster, "feature_name", name, width));
    MUST(XGBoosterSaveModel(booster, out));
    XGBoosterFree(booster);
    XGDMatrixFree(matrix);
    return 0;
}

int main(int argc, char **argv)
{
    jali_vault *v;
    jali_err err = { 0 };
    if (argc < 4) {
        fputs("usage: jali-train VAULT LABEL[=VALUE] OUT.json [ROUNDS [DEPTH]]\n", stderr);
        return 2;
    }
    char *value = strchr(argv[2], '=');
    if (value != NULL) *value++ = '\0';
    if (jali_vault_open(&v, argv[1], &err) != JALI_OK || !v->is_public) {
        fprintf(stderr, "jali-train: %s\n",
                err.code == JALI_OK ? "the vault is not public" : err.text);
        return 1;
    }
    size_t rows = (size_t)jali_columns_rows(v->columns), width = 0, at = 0;
    const char **name = calloc(v->schema.n, sizeof *name);
    for (size_t i = 0; i < v->schema.n; i++)
        width += v->schema.fields[i].used && strcmp(v->schema.fields[i].name, argv[2]) != 0;
    float *x = calloc(rows * width + 1, sizeof *x), *y = calloc(rows + 1, sizeof *y);
    if (name == NULL || x == NULL || y == NULL) return 1;
    int bad = 0;
    for (size_t i = 0; i < v->schema.n; i++) {
        const jali_field *f = &v->schema.fields[i];
        if (!f->used) continue;
        if (strcmp(f->name, argv[2]) == 0)
            bad |= fill(v, f, y, 1, value == NULL ? -1 : category(f, value));
        else {
            name[at] = f->name;
            bad |= fill(v, f, x + at++, width, -1);
        }
    }
    if (!bad)
        bad = train(x, y, rows, name, width, value != NULL, argv[3],
                    argc > 4 ? (int)strtol(argv[4], NULL, 10) : 100, argc > 5 ? argv[5] : "6");
    free(x);
    free(y);
    free(name);
    jali_vault_free(v);
    return bad;
}
