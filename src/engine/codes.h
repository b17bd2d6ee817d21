/* engine/codes.h — questions asked of a bare array of codes. */
#ifndef JALI_ENGINE_CODES_H
#define JALI_ENGINE_CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is every one of n codes of `width` bytes below `domain`? Same work whatever they are. */
bool jali_codes_below(const void *codes, unsigned width, size_t n, uint64_t domain);

/* Its portable twin, for machines without AVX2 and for the test that compares the two. */
bool jali_codes_below_plain(const void *codes, unsigned width, size_t n, uint64_t domain);

/* Copies n codes of `from_width` bytes into codes of `to_width`; false, and *to is not to
 * be used, when one of them is not below `domain`. */
bool jali_codes_narrow(void *to, unsigned to_width, const void *from, unsigned from_width,
                       size_t n, uint64_t domain);

#endif
