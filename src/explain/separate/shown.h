/* explain/separate/shown.h — a column as the bars of a histogram. */
#ifndef JALI_EXPLAIN_SEPARATE_SHOWN_H
#define JALI_EXPLAIN_SEPARATE_SHOWN_H

#include "base/arena.h"
#include "base/err.h"
#include "table/schema.h"

typedef enum jali_shown_kind {
    JALI_SHOWN_CODES, /* a bar a value                                            */
    JALI_SHOWN_BINS,  /* a bar a bin of the schema                                */
    JALI_SHOWN_CUT    /* a number of many values and no bins: equal parts by step */
} jali_shown_kind;

enum { JALI_SHOWN_WHOLE = 32, JALI_SHOWN_PARTS = 10, JALI_SHOWN_MOST = 1000 };

typedef struct jali_shown {
    size_t field;
    jali_shown_kind kind;
    uint32_t values; /* bars, NULL's among them, which is the last */
    uint32_t step;   /* CUT: codes a bar                            */
} jali_shown;

/* False: it has more bars than anybody looks at (JALI_SHOWN_MOST). From the schema alone. */
bool jali_shown_of(const jali_schema *schema, size_t field, jali_shown *out);

/* Is there an order among its bars? */
bool jali_shown_ordered(const jali_schema *schema, const jali_shown *shown);

/* The name of bars from .. to: "60", "[60, 70)", "[60, 80)". In the arena; NULL: no memory. */
const char *jali_shown_name(const jali_schema *schema, const jali_shown *shown, uint32_t from,
                            uint32_t to, jali_arena *arena);

#endif
