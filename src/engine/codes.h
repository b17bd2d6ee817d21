/* engine/codes.h — questions asked of a bare array of codes. */
#ifndef JALI_ENGINE_CODES_H
#define JALI_ENGINE_CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The code of one row: for loops that are not worth a vector. */
static inline uint64_t jali_code_at(const void *codes, unsigned width, size_t row)
{
    switch (width) {
    case 1:
        return ((const uint8_t *)codes)[row];
    case 2:
        return ((const uint16_t *)codes)[row];
    case 4:
        return ((const uint32_t *)codes)[row];
    default:
        return ((const uint64_t *)codes)[row];
    }
}

/* Is every one of n codes of `width` bytes below `domain`? Same work whatever they are. */
bool jali_codes_below(const void *codes, unsigned width, size_t n, uint64_t domain);

/* Its portable twin, for machines without AVX2 and for the test that compares the two. */
bool jali_codes_below_plain(const void *codes, unsigned width, size_t n, uint64_t domain);

/* Copies n codes of `from_width` bytes into codes of `to_width`; false, and *to is not to
 * be used, when one of them is not below `domain`. */
bool jali_codes_narrow(void *to, unsigned to_width, const void *from, unsigned from_width,
                       size_t n, uint64_t domain);

#endif
