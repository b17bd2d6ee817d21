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

/* Options, defaults and the call itself are the front door's own: see jali.h. */

#endif
