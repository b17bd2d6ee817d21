/* table/schema.h — what is public about a table, and the codes its values become.
 *
 * A schema is a Frictionless Table Schema whose constraints are the public facts: `enum`
 * for categories, `minimum` and `maximum` for numbers; docs/schema.md is its manual. Every
 * cell becomes a code 0 .. domain-1 of its field, and the last code is NULL. Nothing here
 * depends on a row, so any analyst may read it.
 */
#ifndef JALI_TABLE_SCHEMA_H
#define JALI_TABLE_SCHEMA_H

#include "base/arena.h"
#include "base/err.h"
#include <jansson.h>

/* Limits have names. Codes of categories fit 16 bits; numbers are counted in steps. */
#define JALI_MAX_COLUMNS 10000u
#define JALI_MAX_CATEGORIES 65535u         /* with `other`, without NULL               */
#define JALI_MAX_STEPS ((uint64_t)1 << 53) /* of one number: sums of 2^10 rows fit i64 */
#define JALI_MAX_NAME 255u                 /* bytes of a column's or category's name   */
#define JALI_MAX_ROWS_PER_PERSON 1000000u
#define JALI_MAX_SCHEMA_BYTES ((size_t)64 << 20)

/* Columns of a vault beside those of the schema. NAME#bin holds the bin of a number with bins
 * (domain n_bins + 1). #person, where persons are declared, holds 62 keyed bits of the person
 * of each row, for mechanisms that must treat a person's rows alike. */
#define JALI_BIN_SUFFIX "#bin"
#define JALI_PERSON_COLUMN "#person"
#define JALI_PERSON_DOMAIN ((uint64_t)1 << 62)

typedef enum jali_type {
    JALI_STRING,
    JALI_INTEGER,
    JALI_DECIMAL, /* Frictionless `number` */
    JALI_BOOLEAN,
    JALI_DATE, /* a number: days since 1970-01-01 */
    JALI_YEAR
} jali_type;

/* How a field is coded. A category is one of `values`. A number is on a grid of steps. */
typedef enum jali_kind { JALI_CATEGORY, JALI_NUMBER } jali_kind;

/* A decimal number: units * 10^-digits. */
typedef struct jali_dec {
    int64_t units;
    unsigned digits;
} jali_dec;

typedef struct jali_field {
    const char *name, *title; /* title may be NULL                                       */
    jali_type type;
    jali_kind kind;
    bool used;       /* false: in the file, but not in the vault (dropped, or the person) */
    bool required;   /* rows without a value were dropped at import: NULL stays empty     */
    uint64_t domain; /* number of codes; code domain-1 is NULL; 0 if not used             */

    /* Categories: code i is values[i]. `other` is the code of what is undeclared, or -1. A
     * `number` with bins but no step is one, too: `binned`, its values are intervals. */
    uint32_t n_values;
    const char *const *values;
    int32_t other;
    bool binned;

    /* Numbers: value = (low + code) * step, low and high in steps. */
    int64_t low, high;
    jali_dec step;

    /* Bins, if declared (n_bins > 0): bin b of a number holds the codes edge[b] <= code <
     * edge[b+1], the last one also edge[n_bins]. For a `binned` category code b is bin b
     * and `cut` has the edges as decimals of one common count of digits. */
    uint32_t n_bins;
    const uint64_t *edge;
    const jali_dec *cut;

    /* How the file writes values; of no use after import. */
    const struct jali_words *words; /* text -> code     */
    char point;                     /* decimalChar      */
    size_t n_yes, n_no;             /* trueValues, falseValues */
    const char *const *yes, *const *no;
} jali_field;

typedef struct jali_schema {
    const char *name; /* may be NULL */
    size_t n;         /* fields, in the order of the file */
    const jali_field *fields;
    int32_t person;           /* the field that names a person, or -1: a row is a person */
    uint32_t rows_per_person; /* 1 if a row is a person */
    bool draft;               /* read off private data: not to be used unedited */
    size_t n_missing;
    const char *const *missing; /* texts that mean NULL */
    const struct jali_words *missing_words;
} jali_schema;

/* Reads a schema from n bytes; `what` names them in sentences. Everything in *out lives in
 * the arena. A mistake is JALI_E_DATA with its line and column. */
JALI_MUST_USE jali_status jali_schema_parse(jali_schema *out, const char *bytes, size_t n,
                                            const char *what, jali_arena *arena, jali_err *err);
JALI_MUST_USE jali_status jali_schema_load(jali_schema *out, const char *path,
                                           jali_arena *arena, jali_err *err);

/* The schema as a JSON object in one canonical form (a new reference): parsing it again
 * gives the same schema. NULL when memory ends. Drafts stay drafts. */
json_t *jali_schema_json(const jali_schema *schema);

/* The used field of that name. Refused for the analyst, with the nearest name. */
JALI_MUST_USE jali_status jali_schema_find(const jali_schema *schema, const char *name,
                                           size_t *out, jali_err *err);

/* ---- values and codes ------------------------------------------------------------- */

/* What became of a cell on its way to a code. */
typedef enum jali_fate {
    JALI_KEPT,
    JALI_MISSING, /* was one of `missing`                    */
    JALI_CLAMPED, /* a number moved to its nearest bound     */
    JALI_OTHERED, /* an undeclared category sent to `other`  */
    JALI_NULLED   /* unreadable, or undeclared and no `other` */
} jali_fate;

/* The code of a cell. Total: every text has one. Rounds to the nearest step, ties away from
 * zero, then clamps. Exact: "0.285" in steps of 0.01 is 0.29. */
uint64_t jali_field_code(const jali_schema *schema, const jali_field *field, const char *text,
                         size_t n, jali_fate *fate);

static inline uint64_t jali_field_null(const jali_field *field)
{
    return field->domain - 1;
}

/* The value of a code as text ("NULL" for the last one). In the arena; NULL: no memory. */
const char *jali_field_text(const jali_field *field, uint64_t code, jali_arena *arena);

/* "[10, 20)" for bin b, "[80, 90]" for the last. In the arena; NULL: no memory. */
const char *jali_field_bin(const jali_field *field, uint32_t bin, jali_arena *arena);

/* The bin of a code that is not NULL (n_bins > 0). */
uint32_t jali_field_bin_of(const jali_field *field, uint64_t code);

/* The exact value of a number's code as a decimal. */
jali_dec jali_field_value(const jali_field *field, uint64_t code);

typedef enum jali_compare { JALI_EQ, JALI_LT, JALI_LE, JALI_GT, JALI_GE } jali_compare;

/* The codes for which `field op constant` is true: from <= code <= to; none if from > to.
 * NULL is never among them. The constant is compared exactly, unrounded and unclamped.
 * Refused for the analyst: order between categories, a constant that is not of the type, a
 * category that is not declared (with the nearest), a bin's inside. */
JALI_MUST_USE jali_status jali_field_range(const jali_field *field, jali_compare op,
                                           const char *constant, uint64_t *from, uint64_t *to,
                                           jali_err *err);

#endif
