/* mock/mock.c — generated tables: defaults, files, and which kind writes the rows. */
#include "mock/mock.h"
#include "base/file.h"
#include "base/text.h"
#include "mock/job.h"
#include "mock/shapes.h"
#include <errno.h>
#include <sodium.h>
#include <unistd.h>

typedef struct kind {
    const char *name;
    jali_status (*write)(jali_mock_job *job, jali_err *err);
} kind;

static const kind kinds[] = { { "hospital", jali_mock_hospital },
                              { "table", jali_mock_table },
                              { "gauss", jali_mock_gauss },
                              { "points", jali_mock_points } };
enum { KINDS = sizeof kinds / sizeof *kinds, DEFAULT_SEED = 20240607 };

static const kind *kind_named(const char *name)
{
    for (size_t i = 0; name != NULL && i < KINDS; i++)
        if (strcmp(kinds[i].name, name) == 0) return &kinds[i];
    return NULL;
}

static jali_status no_such_kind(const char *name, jali_err *err)
{
    const char *names[KINDS], *near;
    for (size_t i = 0; i < KINDS; i++) names[i] = kinds[i].name;
    near = name == NULL ? NULL : jali_text_nearest(name, names, KINDS);
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "there is no kind of table called %.40s%s%s%s: choose hospital, table, "
                     "gauss or points",
                     name == NULL ? "(none)" : name, near == NULL ? "" : " (did you mean \"",
                     near == NULL ? "" : near, near == NULL ? "" : "\"?)");
}

static void gauss_preset(jali_mock_options *o, unsigned dimensions)
{
    o->rows = 100000;
    o->clusters = 64;
    o->dimensions = dimensions;
    o->spread = 1;
    o->imbalance = o->noise = 0;
}

static jali_status apply_preset(jali_mock_options *o, const char *preset, jali_err *err)
{
    bool table = strcmp(o->kind, "table") == 0, gauss = strcmp(o->kind, "gauss") == 0;
    const jali_mock_shape *shape = table ? jali_mock_shape_named(preset) : NULL;
    if (shape != NULL) {
        o->rows = shape->rows;
        o->domains = shape->domains;
        o->n_domains = shape->n_domains;
        o->numeric = shape->numeric;
        o->clusters = shape->clusters;
        o->planted = shape->planted;
        o->strength = shape->strength;
    } else if (gauss && strcmp(preset, "synth10") == 0) {
        gauss_preset(o, 10);
    } else if (gauss && strcmp(preset, "synth100") == 0) {
        gauss_preset(o, 100);
    } else {
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "%s has no preset called %.40s: table has census and ipums, gauss has "
                         "synth10 and synth100",
                         o->kind, preset);
    }
    o->preset = preset;
    return JALI_OK;
}

jali_status jali_mock_defaults(jali_mock_options *o, const char *name, const char *preset,
                               jali_err *err)
{
    static const unsigned eight[] = { 2, 3, 4, 5, 6, 8, 10, 12 };
    const kind *found = kind_named(name);
    if (found == NULL) return no_such_kind(name, err);
    jali_mock_options fresh = { .kind = found->name,
                                .rows = 20000,
                                .seed = DEFAULT_SEED,
                                .label = true,
                                .clusters = 5,
                                .imbalance = 0.5,
                                .domains = eight,
                                .n_domains = 8,
                                .numeric = 2,
                                .planted = 2,
                                .strength = 0.6,
                                .dimensions = 2,
                                .spread = 4,
                                .noise = 0.02,
                                .roads = 0.08 };
    if (found->write == jali_mock_points) {
        fresh.clusters = 12;
        fresh.imbalance = 1;
    }
    if (preset != NULL) JALI_TRY(apply_preset(&fresh, preset, err));
    *o = fresh;
    return JALI_OK;
}

/* ---- files ----------------------------------------------------------------------- */

static bool take_to_file(void *self, const char *bytes, size_t n)
{
    return fwrite(bytes, 1, n, self) == n;
}

static jali_status cannot_write(const char *path, jali_err *err)
{
    return jali_fail(err, JALI_E_ENGINE, JALI_FOR_ANALYST, "cannot write %.200s: %s",
                     path == NULL ? "the table" : path,
                     errno == 0 ? "it took no more bytes" : strerror(errno));
}

static jali_status write_rows(const kind *k, jali_mock_job *job, jali_err *err)
{
    errno = 0;
    JALI_TRY(k->write(job, err));
    jali_mock_sink_flush(job->sink);
    if (job->sink->failed) return cannot_write(job->o->out, err);
    jali_meter_tell(&job->meter, job->o->rows);
    return JALI_OK;
}

/* Under a temporary name first: a full disk leaves no half table that looks whole. */
static jali_status write_rows_to_file(const kind *k, jali_mock_job *job, jali_err *err)
{
    char *half = jali_arena_format(&job->arena, "%s.new-%ld", job->o->out, (long)getpid());
    if (half == NULL) return jali_fail_memory(err);
    if (!jali_file_replaceable(job->o->out))
        return jali_fail(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                         "%.200s is not a plain file, so it is not replaced; leave it out to "
                         "write to standard output",
                         job->o->out);
    FILE *file = fopen(half, "wb");
    if (file == NULL) return cannot_write(job->o->out, err);
    setvbuf(file, NULL, _IONBF, 0); /* the sink is the buffer */
    job->sink->take = take_to_file;
    job->sink->self = file;
    jali_status status = write_rows(k, job, err);
    if (fclose(file) != 0 && status == JALI_OK) status = cannot_write(job->o->out, err);
    if (status == JALI_OK && rename(half, job->o->out) != 0)
        status = cannot_write(job->o->out, err);
    if (status != JALI_OK) remove(half);
    return status;
}

/* Twelve digits say what was planted; seventeen would say 0.070000000000000007. */
static jali_status write_json(const json_t *value, const char *path, jali_err *err)
{
    char *text = json_dumps(value, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    if (text == NULL) return jali_fail_memory(err);
    jali_status status = jali_file_replace(path, text, strlen(text), 0666, err);
    free(text);
    return status;
}

static jali_status write_schema(const jali_mock_job *job, jali_err *err)
{
    json_t *schema = json_pack("{s:s, s:O, s:[s], s:O}", "name",
                               job->o->preset == NULL ? job->o->kind : job->o->preset, "fields",
                               job->fields, "missingValues", "", "jali", job->facts);
    if (schema == NULL) return jali_fail_memory(err);
    jali_status status = write_json(schema, job->o->schema, err);
    json_decref(schema);
    return status;
}

/* ---- the whole ------------------------------------------------------------------- */

static jali_status check(const jali_mock_options *o, jali_err *err)
{
    if (o->rows > JALI_MOCK_MAX_ROWS)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "%llu rows are too many: at most %llu", (unsigned long long)o->rows,
                         (unsigned long long)JALI_MOCK_MAX_ROWS);
    if (o->out == NULL && o->take == NULL)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a table needs somewhere to go: give a file (-o FILE)");
    return JALI_OK;
}

static void describe(jali_mock_job *job)
{
    const jali_mock_options *o = job->o;
    job->truth =
        json_pack("{s:s, s:s*, s:I, s:I, s:b}", "kind", o->kind, "preset", o->preset, "rows",
                  (json_int_t)o->rows, "seed", (json_int_t)o->seed, "plain", o->plain);
    job->fields = json_array();
    job->facts = json_object();
}

static jali_status write_all(const kind *k, jali_mock_job *job, jali_err *err)
{
    if (job->o->out != NULL)
        JALI_TRY(write_rows_to_file(k, job, err));
    else
        JALI_TRY(write_rows(k, job, err));
    if (job->o->schema != NULL) JALI_TRY(write_schema(job, err));
    if (job->o->truth != NULL) JALI_TRY(write_json(job->truth, job->o->truth, err));
    return JALI_OK;
}

jali_status jali_mock_write(const jali_mock_options *o, const jali_progress *progress,
                            jali_err *err)
{
    const kind *k = kind_named(o->kind);
    if (k == NULL) return no_such_kind(o->kind, err);
    JALI_TRY(check(o, err));
    if (sodium_init() < 0)
        return jali_fail(err, JALI_E_INTERNAL, JALI_FOR_ANALYST, "libsodium did not start");
    jali_mock_job job = { .o = o, .sink = malloc(sizeof *job.sink) };
    if (job.sink == NULL) return jali_fail_memory(err);
    job.sink->take = o->take;
    job.sink->self = o->self;
    job.sink->failed = false;
    job.sink->used = 0;
    describe(&job);
    jali_meter_init(&job.meter, progress, "rows written", o->rows);
    jali_status status = job.truth == NULL || job.fields == NULL || job.facts == NULL
                             ? jali_fail_memory(err)
                             : write_all(k, &job, err);
    json_decref(job.truth);
    json_decref(job.fields);
    json_decref(job.facts);
    jali_arena_clear(&job.arena);
    free(job.sink);
    return status;
}
