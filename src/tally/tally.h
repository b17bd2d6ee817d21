/* tally/tally.h — sealed whole numbers about a table, and what is public about them.
 *
 * A tally is a vector of exact integers, one a cell, that depend on persons. Its shape and
 * how far one person can move it depend on the schema and the request alone, and are told
 * here. The integers are in tally/open.h, which only tally/, score/ and mech/ include.
 */
#ifndef JALI_TALLY_TALLY_H
#define JALI_TALLY_TALLY_H

#include <stddef.h>
#include <stdint.h>

typedef struct jali_tally jali_tally;
typedef struct jali_tallies jali_tallies; /* the answers to one plan */

/* How far adding or removing one person, with all of that person's rows, can move a tally:
 * cells changed, and the L1, L2 and largest-cell distance. Exact: some table attains each.
 * L2 is a whole number because all rows of a person may fall into one cell. */
typedef struct jali_reach {
    uint64_t l0, l1, l2, linf;
} jali_reach;

enum { JALI_TALLY_AXES = 5 }; /* label and four columns */

size_t jali_tally_cells(const jali_tally *tally);
unsigned jali_tally_axes(const jali_tally *tally);
uint64_t jali_tally_extent(const jali_tally *tally, unsigned axis);
jali_reach jali_tally_reach(const jali_tally *tally);

/* The counts of table `table` of the plan, and its sums (NULL if it was asked for none). */
const jali_tally *jali_tallies_counts(const jali_tallies *tallies, size_t table);
/* The same for a mechanism that uses the cells up. */
jali_tally *jali_tallies_give(const jali_tallies *tallies, size_t table);
const jali_tally *jali_tallies_sums(const jali_tallies *tallies, size_t table);

#endif
