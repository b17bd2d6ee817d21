/* cli/mock.c — jali mock: a generated table, its schema, and what was planted in it. */
#include "cli/cli.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DOMAINS = 1000 };

static const cli_option options[] = {
    { "rows", "N", "how many rows (-n N)", false },
    { "seed", "S", "another table of the same kind (default 20240607)", false },
    { "output", "FILE", "where to write the CSV (-o FILE; default: standard output)", false },
    { "schema", "FILE", "also write the schema that imports it", false },
    { "truth", "FILE", "also write what was planted, as JSON", false },
    { "preset", "NAME", "table: census, ipums; gauss: synth10, synth100", false },
    { "plain", NULL, "plant nothing: the twin to compare with", false },
    { "no-label", NULL, "leave the column of planted clusters out", false },
    { "clusters", "K", "labels, Gaussians or towns", false },
    { "imbalance", "A", "sizes fall like 1/i^A; 0: equal", false },
    { "domains", "LIST", "table: values of each attribute, as 2,3,8x10", false },
    { "numeric", "M", "table: numeric columns", false },
    { "planted", "L", "table: attributes that tell each cluster apart", false },
    { "strength", "P", "table: how strongly, 0 to 1", false },
    { "missing", "P", "table: share of empty cells", false },
    { "dimensions", "D", "gauss: columns", false },
    { "spread", "SD", "gauss: standard deviation, in a box from -100 to 100", false },
    { "noise", "P", "gauss, points: share of rows all over the box", false },
    { "roads", "P", "points: share of rows along roads", false },
    { 0 },
};

static jali_status read_real(const cli_call *call, const char *name, double *out, jali_err *err)
{
    const char *text = cli_value(call, name);
    char *end;
    if (text == NULL) return JALI_OK;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(value))
        return cli_refuse(err, "--%s %.40s is not a number", name, text);
    *out = value;
    return JALI_OK;
}

/* "2,3,8x10": domains of 2, of 3, and ten times of 8. */
static jali_status read_domains(const cli_call *call, unsigned *domains, jali_mock_options *o,
                                jali_err *err)
{
    const char *text = cli_value(call, "domains");
    unsigned n = 0;
    if (text == NULL) return JALI_OK;
    for (const char *p = text;; p++) {
        char *end;
        bool good = *p >= '0' && *p <= '9';
        unsigned long size = strtoul(p, &end, 10), times = 1;
        if (good && *end == 'x' && end[1] >= '0' && end[1] <= '9')
            times = strtoul(end + 1, &end, 10);
        if (!good || (*end != ',' && *end != '\0') || size > 1000000 ||
            times > MOST_DOMAINS - n)
            return cli_refuse(err,
                              "--domains %.60s cannot be read: give at most %d sizes, as in "
                              "2,3,8x10",
                              text, MOST_DOMAINS);
        while (times-- > 0) domains[n++] = (unsigned)size;
        p = end;
        if (*p == '\0') break;
    }
    o->domains = domains;
    o->n_domains = n;
    return JALI_OK;
}

static jali_status read_options(const cli_call *call, unsigned *domains, jali_mock_options *o,
                                jali_err *err)
{
    const struct {
        const char *name;
        unsigned *to;
    } counts[] = { { "clusters", &o->clusters },
                   { "numeric", &o->numeric },
                   { "planted", &o->planted },
                   { "dimensions", &o->dimensions } };
    const struct {
        const char *name;
        double *to;
    } reals[] = { { "imbalance", &o->imbalance }, { "strength", &o->strength },
                  { "missing", &o->missing },     { "spread", &o->spread },
                  { "noise", &o->noise },         { "roads", &o->roads } };
    jali_status status = cli_whole(call, "rows", 0, 1000000000, &o->rows, err);
    if (status == JALI_OK) status = cli_whole(call, "seed", 0, INT64_MAX, &o->seed, err);
    for (size_t i = 0; status == JALI_OK && i < sizeof counts / sizeof *counts; i++)
        status = cli_count(call, counts[i].name, 0, 1000000, counts[i].to, err);
    for (size_t i = 0; status == JALI_OK && i < sizeof reals / sizeof *reals; i++)
        status = read_real(call, reals[i].name, reals[i].to, err);
    if (status == JALI_OK) status = read_domains(call, domains, o, err);
    o->plain = cli_flag(call, "plain");
    o->label = !cli_flag(call, "no-label");
    o->out = cli_value(call, "output");
    o->schema = cli_value(call, "schema");
    o->truth = cli_value(call, "truth");
    return status;
}

static bool to_stdout(void *self, const char *bytes, size_t n)
{
    (void)self;
    return fwrite(bytes, 1, n, stdout) == n && fflush(stdout) == 0;
}

/* A table on standard output is all that is there: the words are for files. */
static jali_status run(cli_call *call, jali_err *err)
{
    jali_mock_options o;
    unsigned domains[MOST_DOMAINS];
    cli_meter meter;
    jali_doc *doc;
    jali_status status = jali_mock_defaults(&o, call->word[0], cli_value(call, "preset"), err);
    if (status == JALI_OK) status = read_options(call, domains, &o, err);
    if (status != JALI_OK) return status;
    o.take = to_stdout;
    jali_progress progress = cli_progress(call, &meter);
    status = jali_mock_write(&o, o.out == NULL ? NULL : &progress, err);
    cli_progress_end(&meter);
    if (status != JALI_OK || o.out == NULL) return status;
    status = jali_mock_doc(&o, &doc, err);
    return status == JALI_OK ? cli_show(call, doc, err) : status;
}

const cli_verb cli_mock = {
    .name = "mock",
    .usage = "mock KIND [-n N] [--seed S] [-o FILE] [--schema FILE] [--truth FILE] ...",
    .summary = "a generated table to try things on, and what was planted in it",
    .about = "KIND is hospital (visits of patients, with reasons, clusters and places),\n"
             "table (categories whose clusters differ), gauss (round clusters) or points\n"
             "(homes in towns). Made from a seed, never from data: the same words give the\n"
             "same bytes. docs/mock.md tells what is planted.",
    .option = options,
    .example = "  jali mock hospital -n 3\n"
               "  jali mock table --domains 2,3,8x4 --clusters 3 -n 5 --plain\n"
               "  jali mock gauss --preset synth10 -n 2 --no-label\n",
    .least = 1,
    .most = 1,
    .run = run,
};
