/* The largest code is found wherever it hides, by both twins. */
#include "engine/codes.h"
#include "unit.h"
#include <stdlib.h>

enum { N = 133 }; /* four vectors and a ragged end, for every width */

static void put(void *codes, unsigned width, size_t i, uint64_t code)
{
    memcpy((char *)codes + i * width, &code, width); /* little-endian, as the files are */
}

SENTENCE(one_code_too_large_is_found_at_every_place)
{
    UNUSED_STATE;
    for (unsigned width = 1; width <= 8; width *= 2) {
        /* malloc, so that reading past the end is seen by the sanitizer */
        unsigned char *codes = calloc(N, width);
        uint64_t domain = 200;
        CHECK(codes != NULL);
        for (size_t i = 0; i < N; i++) put(codes, width, i, (i * 7) % domain);
        CHECK(jali_codes_below(codes, width, N, domain));
        CHECK(jali_codes_below_plain(codes, width, N, domain));
        for (size_t i = 0; i < N; i++) {
            put(codes, width, i, domain);
            CHECK(!jali_codes_below(codes, width, N, domain));
            CHECK(!jali_codes_below_plain(codes, width, N, domain));
            CHECK(jali_codes_below(codes, width, i, domain));
            put(codes, width, i, 0);
        }
        free(codes);
    }
}

SENTENCE(codes_keep_their_value_from_any_width_to_any_width)
{
    UNUSED_STATE;
    for (unsigned from = 1; from <= 8; from *= 2)
        for (unsigned to = 1; to <= 8; to *= 2) {
            unsigned char a[N * 8], b[N * 8];
            for (size_t i = 0; i < N; i++) put(a, from, i, (i * 11) % 251);
            CHECK(jali_codes_narrow(b, to, a, from, N, 251));
            for (size_t i = 0; i < N; i++) {
                uint64_t got = 0;
                memcpy(&got, b + i * to, to);
                CHECK(got == (i * 11) % 251);
            }
            CHECK(!jali_codes_narrow(b, to, a, from, N, 100));
        }
}

SENTENCE(no_codes_are_below_everything)
{
    UNUSED_STATE;
    CHECK(jali_codes_below("", 1, 0, 1));
    CHECK(jali_codes_narrow(NULL, 1, NULL, 8, 0, 1));
}

RUN_ALL(TEST(one_code_too_large_is_found_at_every_place),
        TEST(codes_keep_their_value_from_any_width_to_any_width),
        TEST(no_codes_are_below_everything))
