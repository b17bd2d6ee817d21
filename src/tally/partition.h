/* tally/partition.h — a clustering as a function from any record of the domain to a label.
 *
 * It is total, deterministic and knows no data: it is made of what was released or of what the
 * analyst wrote, and NULL has its place in every kind. Labels are fixed when it is made; one
 * that no record gets stays. Whoever counts by cluster uses it as a jali_label, and nothing
 * else of a clustering (ALGORITHMS 10).
 *
 *   centres   the nearest centre in a frame of geometry.h, by exact integers
 *   tree      cuts walked from the root: code >= cut (or code == cut) goes right
 *   boxes     the first box that holds the record; else the last label
 *   rules     the first predicate that is TRUE; else the last label
 *   modes     the mode with the least weighted number of different codes
 *   mixture   the most likely of Gaussians along the axes of a frame
 *
 * Among equals the lowest label wins.
 */
#ifndef JALI_TALLY_PARTITION_H
#define JALI_TALLY_PARTITION_H

#include "base/json.h"
#include "table/predicate.h"
#include "tally/geometry.h"
#include "tally/plan.h"

typedef enum jali_partition_kind {
    JALI_PARTITION_CENTRES,
    JALI_PARTITION_TREE,
    JALI_PARTITION_BOXES,
    JALI_PARTITION_RULES,
    JALI_PARTITION_MODES,
    JALI_PARTITION_MIXTURE,
    JALI_PARTITION_KINDS
} jali_partition_kind;

extern const char *const jali_partition_kinds[JALI_PARTITION_KINDS]; /* their names in JSON */

enum {
    JALI_PARTITION_COLUMNS = 2048,
    JALI_PARTITION_DEPTH = 64,        /* of a tree */
    JALI_PARTITION_NUMBERS = 1 << 24, /* coordinates, box ends or modes in all       */
    JALI_PARTITION_WEIGHT = 1000000   /* largest weight of a column of modes         */
};

/* Right if code == cut (`equal`) or code >= cut; NULL goes right if null_right. A child below
 * 0 is the leaf ~child; others are nodes after this one, so that every walk ends. */
typedef struct jali_partition_node {
    uint32_t column; /* of the partition */
    bool equal, null_right;
    uint64_t cut;
    int32_t left, right;
} jali_partition_node;

/* What a box allows in one column. */
typedef struct jali_partition_side {
    uint64_t low, high; /* codes, both ends belong to it; low > high: none */
    bool null;          /* does NULL belong to it? */
} jali_partition_side;

typedef struct jali_partition {
    jali_partition_kind kind;
    uint32_t labels; /* 1 .. JALI_PLAN_LABELS */
    size_t n;        /* columns that it reads */
    const char *const *columns;
    const uint64_t *domain;

    size_t axes; /* centres, mixture: labels * axes coordinates */
    const jali_ruler *axis;
    const size_t *column_of; /* per axis */
    const uint16_t *centre;

    size_t nodes; /* tree; none: everything has label 0 */
    const jali_partition_node *node;

    const jali_partition_side *side; /* boxes: (labels - 1) * n */

    const jali_predicate *const *rule; /* rules: labels - 1 */

    const uint64_t *mode;   /* modes: labels * n codes */
    const uint32_t *weight; /* modes: n */

    const double *sharp, *offset; /* mixture: labels * axes, labels; the label has the least
                                     offset + sum of sharp * (coordinate - centre)^2 */
} jali_partition;

/* Constructors copy what they are given into the arena; JALI_E_USAGE (analyst) for what is not
 * a total function of at most JALI_PLAN_LABELS labels. Columns are those of the schema. */
JALI_MUST_USE jali_status jali_partition_centres(jali_partition *out, const jali_frame *frame,
                                                 const uint16_t *centre, uint32_t labels,
                                                 jali_arena *arena, jali_err *err);
JALI_MUST_USE jali_status jali_partition_tree(jali_partition *out, const jali_schema *schema,
                                              const size_t *field, size_t n,
                                              const jali_partition_node *node, size_t nodes,
                                              uint32_t labels, jali_arena *arena,
                                              jali_err *err);
/* side: boxes * n; label `boxes` is for what no box holds. */
JALI_MUST_USE jali_status jali_partition_boxes(jali_partition *out, const jali_schema *schema,
                                               const size_t *field, size_t n,
                                               const jali_partition_side *side, uint32_t boxes,
                                               jali_arena *arena, jali_err *err);
/* Label `rules` is for what no rule selects. Leaves must name columns and domains of the
 * schema. */
JALI_MUST_USE jali_status jali_partition_rules(jali_partition *out, const jali_schema *schema,
                                               const jali_predicate *const *rule,
                                               uint32_t rules, jali_arena *arena,
                                               jali_err *err);
/* weight: NULL for all 1. */
JALI_MUST_USE jali_status jali_partition_modes(jali_partition *out, const jali_schema *schema,
                                               const size_t *field, size_t n,
                                               const uint64_t *mode, const uint32_t *weight,
                                               uint32_t labels, jali_arena *arena,
                                               jali_err *err);

/* sharp: labels * axes numbers, not negative; offset: labels; all finite. */
JALI_MUST_USE jali_status jali_partition_mixture(jali_partition *out, const jali_frame *frame,
                                                 const uint16_t *centre, const double *sharp,
                                                 const double *offset, uint32_t labels,
                                                 jali_arena *arena, jali_err *err);

/* The label of one record, the slow and obvious way: codes of p->columns in their order. A
 * code beyond its domain counts as NULL. */
uint32_t jali_partition_of(const jali_partition *p, const uint64_t *code);

/* The same as a label function for plans; *out and what it needs live in the arena, and
 * p must outlive it. */
JALI_MUST_USE jali_status jali_partition_label(const jali_partition *p, jali_arena *arena,
                                               jali_label *out, jali_err *err);

/* JSON both ways; equal functions of one kind have equal canonical texts. *out of to_json is a
 * new reference. Reading takes a stranger's: refuses (JALI_E_USAGE, analyst) with the place of
 * the mistake, and what does not fit the schema. */
JALI_MUST_USE jali_status jali_partition_to_json(const jali_partition *p, json_t **out,
                                                 jali_err *err);
JALI_MUST_USE jali_status jali_partition_from_json(jali_partition *out, const json_t *value,
                                                   const jali_schema *schema, jali_arena *arena,
                                                   jali_err *err);

#endif
