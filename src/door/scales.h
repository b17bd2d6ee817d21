/* door/scales.h — under every answer for programs: which noise its numbers have, and how much.
 */
#ifndef JALI_DOOR_SCALES_H
#define JALI_DOOR_SCALES_H

#include "mech/interval.h"
#include "report/doc.h"

typedef struct jali_noise_scale {
    const char *of;     /* which numbers: "size", "sum"                                   */
    const char *column; /* of the table, if they belong to one; NULL                      */
    const char *law;    /* jali_law_words, or a name of its own                           */
    double scale;       /* b of Laplace, sigma of Gauss; of others as docs/json.md tells  */
    const char *in;     /* what 1 is: "rows", "steps of the column"                       */
} jali_noise_scale;

/* "discrete Laplace", "discrete Gaussian". */
const char *jali_law_words(jali_law law);

/* Adds one to the member "scales", which is there (and empty) even without any: `none` of its
 * numbers has noise. */
void jali_doc_scale(jali_doc *doc, const jali_noise_scale *scale);
void jali_doc_scales(jali_doc *doc);

#endif
