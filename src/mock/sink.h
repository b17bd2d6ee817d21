/* mock/sink.h — CSV cells appended to a buffer, fast. */
#ifndef JALI_MOCK_SINK_H
#define JALI_MOCK_SINK_H

#include "base/err.h"

/* A row must fit behind SINK_FULL: callers ask jali_mock_sink_row() before each row of at most
 * SINK_ROW bytes and then append without looking. */
enum { SINK_ROOM = 1 << 20, SINK_ROW = 1 << 16, SINK_FULL = SINK_ROOM - SINK_ROW };

typedef struct jali_mock_sink {
    bool (*take)(void *self, const char *bytes, size_t n);
    void *self;
    bool failed; /* sticky: asked once, at the end */
    size_t used;
    char at[SINK_ROOM];
} jali_mock_sink;

void jali_mock_sink_flush(jali_mock_sink *s);

static inline void jali_mock_sink_row(jali_mock_sink *s)
{
    if (s->used >= SINK_FULL) jali_mock_sink_flush(s);
}

static inline void jali_mock_sink_char(jali_mock_sink *s, char c)
{
    s->at[s->used++] = c;
}

/* Ends a row: the comma after its last cell becomes the line's end. */
static inline void jali_mock_sink_end(jali_mock_sink *s)
{
    s->at[s->used - 1] = '\n';
}

static inline void jali_mock_sink_text(jali_mock_sink *s, const char *text, size_t n)
{
    memcpy(s->at + s->used, text, n);
    s->used += n;
}

/* Cells, each with its comma. */
void jali_mock_sink_cell(jali_mock_sink *s, const char *text);
void jali_mock_sink_whole(jali_mock_sink *s, int64_t value);
/* units * 10^-decimals with all its decimals: 1250, 2 is 12.50. */
void jali_mock_sink_fixed(jali_mock_sink *s, int64_t units, unsigned decimals);

#endif
