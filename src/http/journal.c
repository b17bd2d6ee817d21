/* http/journal.c — what happened, for the curator: a log, and its last lines by HTTP. */
#define _GNU_SOURCE
#include "http/server.h"
#include <stdarg.h>
#include <time.h>

static void write_line(FILE *log, int64_t ms, const char *text)
{
    char now[32];
    time_t t = (time_t)(ms / 1000);
    struct tm tm;
    gmtime_r(&t, &tm);
    strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", &tm);
    fprintf(log, "%s %s\n", now, text);
    fflush(log);
}

void http_log(http_server *s, int vault, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    int64_t now = http_now_ms();
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    for (char *c = text; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = ' '; /* a line stays a line */
    pthread_mutex_lock(&s->journal);
    http_line *line = &s->line[s->n_lines++ % HTTP_LINES];
    *line = (http_line){ .ms = now, .vault = vault };
    snprintf(line->text, sizeof line->text, "%.*s", HTTP_LINE - 1, text);
    if (s->log != NULL) write_line(s->log, now, text);
    pthread_mutex_unlock(&s->journal);
}

static json_t *lines_of(http_server *s, size_t vault)
{
    json_t *rows = json_array();
    pthread_mutex_lock(&s->journal);
    for (size_t i = 0; i < HTTP_LINES && i < s->n_lines; i++) {
        const http_line *line = &s->line[(s->n_lines - 1 - i) % HTTP_LINES];
        if (line->vault >= 0 && (size_t)line->vault != vault) continue;
        /* A text that was cut inside a letter is no UTF-8: json_stringn would refuse it. */
        json_t *text = json_string(line->text);
        json_array_append_new(
            rows, json_pack("{s:I,s:o}", "time_ms", (json_int_t)line->ms, "text",
                            text != NULL ? text : json_string("(a line that is too long)")));
    }
    pthread_mutex_unlock(&s->journal);
    return rows;
}

json_t *http_journal(http_server *s, size_t vault)
{
    http_vault *v = &s->vault[vault];
    return json_pack("{s:i,s:s,s:s,s:I,s:I,s:{s:I,s:I,s:I},s:o}", "jali", 1, "kind", "journal",
                     "vault", v->name, "since_ms", (json_int_t)s->since_ms, "running",
                     (json_int_t)http_work_running(s, vault), "replies", "done",
                     (json_int_t)atomic_load(&v->replies[2]), "refused",
                     (json_int_t)atomic_load(&v->replies[4]), "failed",
                     (json_int_t)atomic_load(&v->replies[5]), "rows", lines_of(s, vault));
}
