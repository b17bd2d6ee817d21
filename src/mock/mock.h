/* mock/mock.h — generated tables to try things on, with what was planted in them.
 *
 * Never from data: a table is a function of its options alone, byte for byte, on every
 * machine. The random stream behind it is mock/draw.h, which is no noise of dice/ and
 * hides nothing.
 */
#ifndef JALI_MOCK_MOCK_H
#define JALI_MOCK_MOCK_H

#include "base/err.h"

/* Limits, so that a slip of the hand is a sentence and not a full disk. */
#define JALI_MOCK_MAX_ROWS UINT64_C(1000000000)
enum {
    JALI_MOCK_MAX_COLUMNS = 1000,  /* attributes, numeric columns or dimensions         */
    JALI_MOCK_MAX_DOMAIN = 65536,  /* values of one attribute: what a u16 code can hold */
    JALI_MOCK_MAX_CLUSTERS = 1024, /* labels, Gaussians or towns                        */
    JALI_MOCK_MAX_CELLS = 1 << 24  /* clusters times all values: 16 bytes each in memory */
};

/* Takes n bytes of CSV; false when it cannot (a full disk, a closed pipe). */
typedef bool (*jali_mock_take)(void *self, const char *bytes, size_t n);

typedef struct jali_mock_options {
    const char *kind;   /* hospital, table, gauss or points                              */
    const char *preset; /* table: census, ipums; gauss: synth10, synth100; NULL: none    */
    uint64_t rows, seed;
    bool plain; /* nothing planted: the twin that a test of the plants must refuse       */
    bool label; /* write the planted cluster as the last column (hospital: never)        */

    /* Where to. The CSV goes to the file `out`, or to take(self, ...) if out is NULL;
     * schema and truth are files, NULL: not wanted. */
    const char *out, *schema, *truth;
    jali_mock_take take;
    void *self;

    unsigned clusters; /* table: labels; gauss: Gaussians; points: towns                 */
    double imbalance;  /* sizes fall like 1/i^imbalance; 0: equal                        */

    const unsigned *domains; /* table: values of each attribute                          */
    unsigned n_domains, numeric;
    unsigned planted; /* table: attributes that tell each cluster apart                  */
    double strength;  /* table: share of a cluster's rows moved to its planted value     */
    double missing;   /* table: share of empty cells                                     */

    unsigned dimensions; /* gauss                                                        */
    double spread;       /* gauss: standard deviation, in a box from -100 to 100         */
    double noise;        /* gauss, points: share of rows spread evenly over the box      */
    double roads;        /* points: share of rows along the roads between towns          */
} jali_mock_options;

/* Fills *o with the defaults of a kind and, if not NULL, of a preset; `out`, `take` and
 * the other places stay empty. Fails JALI_E_USAGE for an unknown word. */
JALI_MUST_USE jali_status jali_mock_defaults(jali_mock_options *o, const char *kind,
                                             const char *preset, jali_err *err);

/*
 * Writes the table, and its schema and truth where wanted.
 *
 *   borrows  everything; progress may be NULL
 *   fails    JALI_E_USAGE: nothing written; JALI_E_ENGINE, JALI_E_NOMEM: no half file is
 *            left behind, but a stream may have been given its first part
 */
JALI_MUST_USE jali_status jali_mock_write(const jali_mock_options *o,
                                          const jali_progress *progress, jali_err *err);

#endif
