/* model/decode.c — codes as a model reads them: numbers, or text. */
#include "base/text.h"
#include "model/inside.h"
#include <math.h>

enum { TABLE_DOMAIN = 65536 };

static double dec(jali_dec d)
{
    double x = (double)d.units;
    for (unsigned i = 0; i < d.digits; i++) x /= 10;
    return x;
}

static bool number_text(const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*out);
}

/* Categories that are all numbers ("1", "2", "3") are read as these numbers. */
static bool all_numbers(const jali_field *f)
{
    double x;
    for (uint32_t i = 0; i < f->n_values; i++)
        if ((int32_t)i != f->other && !number_text(f->values[i], &x)) return false;
    return true;
}

bool jali_model_is_number(const jali_field *f)
{
    return f->kind == JALI_NUMBER || f->binned || f->type == JALI_BOOLEAN || all_numbers(f);
}

double jali_model_number(const jali_field *f, uint64_t code)
{
    double x;
    if (code >= jali_field_null(f)) return NAN;
    if (f->kind == JALI_NUMBER) return dec(jali_field_value(f, code));
    if (f->binned) return (dec(f->cut[code]) + dec(f->cut[code + 1])) / 2;
    if (f->type == JALI_BOOLEAN) return strcmp(f->values[code], "true") == 0;
    if ((int64_t)code != f->other && all_numbers(f) && number_text(f->values[code], &x))
        return x;
    return (double)code;
}

static jali_status table_of(jali_model *m, const jali_field *f, jali_input *in, jali_err *err)
{
    in->null = (uint32_t)jali_field_null(f);
    in->low = (double)f->low;
    in->step = f->kind == JALI_NUMBER ? dec(f->step) : 1;
    if (f->domain > TABLE_DOMAIN) return JALI_OK;
    float *number = jali_arena_take(&m->arena, (size_t)f->domain, sizeof *number);
    if (number == NULL) return jali_fail_memory(err);
    for (uint64_t c = 0; c < f->domain; c++) number[c] = (float)jali_model_number(f, c);
    in->number = number;
    return JALI_OK;
}

jali_status jali_model_feed(jali_model *m, const char *name, size_t *column, jali_err *err)
{
    size_t field;
    JALI_TRY(jali_schema_find(m->schema, name, &field, err));
    for (size_t i = 0; i < m->width; i++)
        if (m->field[i] == field) {
            *column = i;
            return JALI_OK;
        }
    if (m->schema->fields[field].domain > UINT32_MAX)
        return jali_fail(
            err, JALI_E_USAGE, JALI_FOR_ANALYST,
            "\"%.100s\" is too fine for a model: give it a wider step in the schema", name);
    if (m->width == JALI_MODEL_COLUMNS)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a model can be fed at most %d columns", JALI_MODEL_COLUMNS);
    m->field[m->width] = field;
    *column = m->width++;
    return JALI_OK;
}

/* "column=category" is an indicator, unless a column has that very name. */
static bool split(const jali_model *m, const char *name, char *column, size_t room,
                  const char **value)
{
    const char *at = strchr(name, '=');
    size_t field;
    if (jali_schema_find(m->schema, name, &field, NULL) == JALI_OK || at == NULL) return false;
    size_t n = (size_t)(at - name);
    if (n >= room) return false;
    memcpy(column, name, n);
    column[n] = '\0';
    *value = at + 1;
    return true;
}

static jali_status category(const jali_field *f, const char *value, int64_t *code,
                            jali_err *err)
{
    for (uint32_t i = 0; f->kind == JALI_CATEGORY && i < f->n_values; i++)
        if (strcmp(f->values[i], value) == 0) {
            *code = i;
            return JALI_OK;
        }
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "the model wants \"%.100s=%.100s\", but the column has no such category",
                     f->name, value);
}

jali_status jali_model_input(jali_model *m, const char *name, jali_err *err)
{
    char column[JALI_MAX_NAME + 1];
    const char *value = NULL;
    jali_input in = { .is = -1 };
    if (m->n_inputs == JALI_MODEL_INPUTS)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a model can have at most %d inputs", JALI_MODEL_INPUTS);
    if (!split(m, name, column, sizeof column, &value)) value = NULL;
    JALI_TRY(jali_model_feed(m, value == NULL ? name : column, &in.column, err));
    const jali_field *f = &m->schema->fields[m->field[in.column]];
    if (value != NULL) JALI_TRY(category(f, value, &in.is, err));
    JALI_TRY(table_of(m, f, &in, err));
    m->input[m->n_inputs++] = in;
    return JALI_OK;
}

jali_status jali_model_inputs(jali_model *m, const jali_model_spec *spec, jali_err *err)
{
    for (size_t i = 0; i < spec->n; i++) JALI_TRY(jali_model_input(m, spec->columns[i], err));
    if (spec->n > 0) return JALI_OK;
    for (size_t i = 0; i < m->schema->n; i++) {
        const jali_field *f = &m->schema->fields[i];
        if (!f->used || (spec->label != NULL && strcmp(f->name, spec->label) == 0)) continue;
        JALI_TRY(jali_model_input(m, f->name, err));
    }
    return JALI_OK;
}

static inline double number_of(const jali_input *in, uint32_t code)
{
    if (in->is >= 0) return code == in->null ? NAN : (int64_t)code == in->is;
    if (in->number != NULL) return (double)in->number[code];
    return code == in->null ? NAN : (in->low + code) * in->step;
}

void jali_decode_floats(const jali_model *m, const jali_frame *frame, float *out)
{
    for (size_t k = 0; k < m->n_inputs; k++) {
        const jali_input *in = &m->input[k];
        const uint32_t *code = frame->code + in->column;
        float *to = out + k;
        if (in->number != NULL && in->is < 0)
            for (size_t i = 0; i < frame->rows; i++, code += frame->width, to += m->n_inputs)
                *to = in->number[*code];
        else
            for (size_t i = 0; i < frame->rows; i++, code += frame->width, to += m->n_inputs)
                *to = (float)number_of(in, *code);
    }
}

void jali_decode_doubles(const jali_model *m, const jali_frame *frame, double *out)
{
    for (size_t i = 0; i < frame->rows; i++)
        for (size_t k = 0; k < m->n_inputs; k++) {
            const jali_input *in = &m->input[k];
            uint32_t code = frame->code[i * frame->width + in->column];
            const jali_field *f = &m->schema->fields[m->field[in->column]];
            *out++ = in->is >= 0 ? number_of(in, code) : jali_model_number(f, code);
        }
}

/* ---- text ------------------------------------------------------------------------- */

static void csv_word(jali_text *out, const char *word)
{
    if (strpbrk(word, ",\"\r\n") == NULL) {
        jali_text_add(out, word);
        return;
    }
    jali_text_add(out, "\"");
    for (const char *p = word; *p != '\0'; p++) {
        if (*p == '"') jali_text_add(out, "\"");
        jali_text_add_n(out, p, 1);
    }
    jali_text_add(out, "\"");
}

static void json_word(jali_text *out, const char *word)
{
    jali_text_add(out, "\"");
    for (const char *p = word; *p != '\0'; p++) {
        if (*p == '"' || *p == '\\')
            jali_text_format(out, "\\%c", *p);
        else if ((unsigned char)*p < ' ')
            jali_text_format(out, "\\u%04x", (unsigned)(unsigned char)*p);
        else
            jali_text_add_n(out, p, 1);
    }
    jali_text_add(out, "\"");
}

static void cell(const jali_model *m, const jali_input *in, uint32_t code, bool json,
                 jali_text *out)
{
    const jali_field *f = &m->schema->fields[m->field[in->column]];
    if (code >= in->null) {
        if (json) jali_text_add(out, "null");
    } else if (in->is >= 0)
        jali_text_add(out, (int64_t)code == in->is ? "1" : "0");
    else if (f->kind == JALI_NUMBER)
        jali_text_format(out, "%.15g", jali_model_number(f, code));
    else if (json)
        json_word(out, f->values[code]);
    else
        csv_word(out, f->values[code]);
}

static const char *name_of(const jali_model *m, size_t k)
{
    return m->schema->fields[m->field[m->input[k].column]].name;
}

void jali_decode_text(const jali_model *m, const jali_frame *frame, jali_text *out)
{
    for (size_t k = 0; !m->ndjson && k < m->n_inputs; k++) {
        if (k > 0) jali_text_add(out, ",");
        csv_word(out, name_of(m, k));
    }
    if (!m->ndjson) jali_text_add(out, "\n");
    for (size_t i = 0; i < frame->rows; i++) {
        if (m->ndjson) jali_text_add(out, "{");
        for (size_t k = 0; k < m->n_inputs; k++) {
            if (k > 0) jali_text_add(out, ",");
            if (m->ndjson) {
                json_word(out, name_of(m, k));
                jali_text_add(out, ":");
            }
            cell(m, &m->input[k], frame->code[i * frame->width + m->input[k].column], m->ndjson,
                 out);
        }
        jali_text_add(out, m->ndjson ? "}\n" : "\n");
    }
}
