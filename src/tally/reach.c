/* tally/reach.c — how far one person can move a tally.
 *
 * Claim    tally.sensitivity
 *          Add or remove one person with at most m rows (rows_per_person). Every row adds
 *          to at most one cell of a table: 1 to a count, and code - centre, of size at most
 *          v, to a sum. So counts move by at most l0 = min(m, cells), l1 = l2 = linf = m,
 *          and sums by l0 (0 if v = 0), l1 = l2 = linf = m v, for the cells of one tally
 *          together. No smaller number is true for all tables. No cell overflows.
 * Proof    proofs/tally.md#tally.sensitivity
 * Source   PRIVACY 8 (persons: at most m rows each); ours otherwise.
 * Law      none: tallies are exact and sealed, nothing is drawn here
 * Test     tests/tally/reach_test.c (all neighbours of small tables)
 * Silent   that rows_per_person was enforced (import does that); time and memory of a run,
 *          which depend on the number of rows; several tallies of one plan released
 *          together move together, and their reaches add.
 */
#include "tally/inside.h"
#include "tally/open.h"

jali_reach jali_reach_of(uint64_t m, uint64_t v, uint64_t cells)
{
    /* m < 2^32 and v < 2^31: the product is far from the end of its type. */
    return (jali_reach){ .l0 = v == 0      ? 0
                               : m < cells ? m
                                           : cells,
                         .l1 = m * v,
                         .l2 = m * v,
                         .linf = m * v };
}

uint64_t jali_sum_size(const jali_sum *sum)
{
    if (sum->domain < 2) return 0; /* no value but NULL */
    uint64_t above = sum->domain - 2 - sum->centre;
    return above > sum->centre ? above : sum->centre;
}

size_t jali_tally_cells(const jali_tally *tally)
{
    return tally->n;
}

unsigned jali_tally_axes(const jali_tally *tally)
{
    return tally->axes;
}

uint64_t jali_tally_extent(const jali_tally *tally, unsigned axis)
{
    return axis < tally->axes ? tally->extent[axis] : 1;
}

jali_reach jali_tally_reach(const jali_tally *tally)
{
    return tally->reach;
}

const jali_tally *jali_tallies_counts(const jali_tallies *tallies, size_t table)
{
    return table < tallies->n ? &tallies->counts[table] : NULL;
}

jali_tally *jali_tallies_give(const jali_tallies *tallies, size_t table)
{
    return table < tallies->n ? &tallies->counts[table] : NULL;
}

const jali_tally *jali_tallies_sums(const jali_tallies *tallies, size_t table)
{
    bool there = table < tallies->n && tallies->sums[table].cell != NULL;
    return there ? &tallies->sums[table] : NULL;
}
