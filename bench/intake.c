/* bench/intake.c — a generated table as column files, and how much memory work takes. */
#define _DEFAULT_SOURCE
#include "intake.h"
#include "base/file.h"
#include "bench.h"
#include "engine/writer.h"
#include "reading.h"
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BATCH = 65536, MOST = 80 };

typedef struct intake {
    jali_columns_writer *writer;
    uint64_t *codes[MOST], value;
    size_t n, rows, column;
    bool header_done;
} intake;

static void need(jali_status status, const jali_err *err)
{
    bench_need(status == JALI_OK, err->text);
}

static void flush(intake *in)
{
    jali_err err;
    for (size_t c = 0; c < in->n; c++)
        need(jali_columns_writer_column(in->writer, c, in->rows, in->codes[c], 8, &err), &err);
    in->rows = 0;
}

/* A value ends at a comma or at the end of a line, whatever pieces it comes in. */
static void end_value(intake *in, char by)
{
    bench_need(in->column < in->n && (by == ',' || by == '\n'), "not the table it was");
    in->codes[in->column++][in->rows] = in->value;
    in->value = 0;
    if (by != '\n') return;
    bench_need(in->column == in->n, "a row of another length");
    in->column = 0;
    if (++in->rows == BATCH) flush(in);
}

static bool take(void *self, const char *bytes, size_t n)
{
    intake *in = self;
    for (size_t i = 0; i < n; i++) {
        char c = bytes[i];
        if (!in->header_done)
            in->header_done = c == '\n';
        else if (c >= '0' && c <= '9')
            in->value = in->value * 10 + (uint64_t)(c - '0');
        else
            end_value(in, c);
    }
    return true;
}

void bench_mock_columns(const char *folder, const jali_mock_options *o,
                        const char *const *names, const uint64_t *domain, size_t n)
{
    intake in = { .n = n };
    jali_mock_options taken = *o;
    jali_err err;
    bench_need(n <= MOST, "more columns than the intake holds");
    taken.take = take;
    taken.self = &in;
    for (size_t c = 0; c < n; c++) {
        in.codes[c] = malloc(BATCH * sizeof **in.codes);
        bench_need(in.codes[c] != NULL, "out of memory");
    }
    jali_file_remove_tree(folder);
    need(jali_columns_writer_new(&in.writer, folder, n, names, domain, &err), &err);
    need(jali_mock_write(&taken, NULL, &err), &err);
    flush(&in);
    need(jali_columns_writer_finish(in.writer, &err), &err);
    jali_columns_writer_free(in.writer);
    for (size_t c = 0; c < n; c++) free(in.codes[c]);
}

jali_columns *bench_columns_open(const char *folder)
{
    jali_columns *columns;
    jali_err err;
    need(jali_columns_open(&columns, folder, &err), &err);
    for (size_t c = 0; c < jali_columns_count(columns); c++)
        need(jali_columns_verify(columns, c, &err), &err);
    return columns;
}

static double grown_here(jali_columns *(*prepare)(void *self), void (*work)(void *self),
                         void *self)
{
    struct rusage before, after;
    malloc_trim(0); /* what other benches freed must not be counted as already there */
    jali_columns *columns = prepare(self);
    bench_need(bench_read_once(columns) > 0, "nothing was read");
    getrusage(RUSAGE_SELF, &before);
    work(self);
    getrusage(RUSAGE_SELF, &after);
    return (double)(after.ru_maxrss - before.ru_maxrss) / 1024;
}

double bench_growth_mb(jali_columns *(*prepare)(void *self), void (*work)(void *self),
                       void *self)
{
    int ends[2];
    double mb = -1;
    bench_need(pipe(ends) == 0, "no pipe");
    pid_t child = fork();
    bench_need(child >= 0, "no child");
    if (child == 0) {
        mb = grown_here(prepare, work, self);
        _exit(write(ends[1], &mb, sizeof mb) == (ssize_t)sizeof mb ? 0 : 1);
    }
    close(ends[1]); /* a child that dies then ends the read */
    bool good = read(ends[0], &mb, sizeof mb) == (ssize_t)sizeof mb;
    close(ends[0]);
    waitpid(child, NULL, 0);
    bench_need(good, "the child failed");
    return mb;
}
