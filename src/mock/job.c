/* mock/job.c — what the four kinds share: rows, fields of the schema, truth. */
#include "mock/job.h"
#include <math.h>

static void add_field(jali_mock_job *job, json_t *field)
{
    if (json_array_append_new(job->fields, field) != 0) job->failed = true;
}

/* A public number as the schema has it: whole ones without a point. */
static json_t *plain_number(double x)
{
    return x == floor(x) ? json_integer((json_int_t)x) : json_real(x);
}

void jali_mock_field_enum(jali_mock_job *job, const char *name, const char *const *value,
                          size_t n)
{
    json_t *words = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(words, json_string(value[i]));
    add_field(job, json_pack("{s:s, s:s, s:{s:o}}", "name", name, "type", "string",
                             "constraints", "enum", words));
}

void jali_mock_field_clusters(jali_mock_job *job, const char *name, unsigned n,
                              const char *extra, const char *more)
{
    json_t *words = json_array();
    char word[16];
    for (unsigned i = 0; i < n; i++) {
        snprintf(word, sizeof word, "%u", i);
        json_array_append_new(words, json_string(word));
    }
    if (extra != NULL) json_array_append_new(words, json_string(extra));
    if (more != NULL) json_array_append_new(words, json_string(more));
    add_field(job, json_pack("{s:s, s:s, s:{s:o}}", "name", name, "type", "string",
                             "constraints", "enum", words));
}

void jali_mock_field_codes(jali_mock_job *job, const char *name, unsigned n)
{
    jali_mock_field_clusters(job, name, n, NULL, NULL);
}

void jali_mock_field_number(jali_mock_job *job, const char *name, double minimum,
                            double maximum, const char *step, const double *bins, size_t n)
{
    json_t *facts = json_object();
    if (step != NULL) json_object_set_new(facts, "step", json_string(step));
    if (bins != NULL) {
        json_t *edges = json_array();
        for (size_t i = 0; i < n; i++) json_array_append_new(edges, plain_number(bins[i]));
        json_object_set_new(facts, "bins", edges);
    }
    bool whole = step != NULL && strchr(step, '.') == NULL;
    add_field(job, json_pack("{s:s, s:s, s:{s:o, s:o}, s:o}", "name", name, "type",
                             whole ? "integer" : "number", "constraints", "minimum",
                             plain_number(minimum), "maximum", plain_number(maximum), "jali",
                             facts));
}

void jali_mock_field_text(jali_mock_job *job, const char *name)
{
    add_field(job, json_pack("{s:s, s:s}", "name", name, "type", "string"));
}

jali_status jali_mock_header(jali_mock_job *job, jali_err *err)
{
    size_t i;
    json_t *field;
    if (job->failed) return jali_fail_memory(err);
    json_array_foreach(job->fields, i, field)
    {
        const char *name = json_string_value(json_object_get(field, "name"));
        if (name == NULL) return jali_fail_memory(err);
        jali_mock_sink_cell(job->sink, name);
    }
    jali_mock_sink_end(job->sink);
    return JALI_OK;
}

jali_status jali_mock_share(double share, const char *option, jali_err *err)
{
    if (share >= 0 && share <= 1) return JALI_OK;
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "%s %g is not a share: give a number from 0 to 1", option, share);
}

jali_status jali_mock_counts(const jali_mock_options *o, jali_err *err)
{
    if (o->clusters < 1 || o->clusters > JALI_MOCK_MAX_CLUSTERS)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "%u clusters cannot be planted: give a number from 1 to %d",
                         o->clusters, JALI_MOCK_MAX_CLUSTERS);
    if (!(o->imbalance >= 0 && o->imbalance <= 8))
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "--imbalance %g makes no sizes: give a number from 0 (equal) to 8",
                         o->imbalance);
    return JALI_OK;
}

int64_t jali_mock_units(double x, double low, double high, unsigned decimals)
{
    static const double scale[] = { 1, 10, 100, 1000, 10000, 100000, 1000000 };
    if (x < low) x = low;
    if (x > high) x = high;
    return (int64_t)floor(x * scale[decimals] + 0.5);
}

json_t *jali_mock_reals(const double *x, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(list, json_real(x[i]));
    return list;
}
