/* Generated tables when memory ends: a status, and no half file. */
#define _GNU_SOURCE
#include "mock/mock.h"
#include "support/alloc.h"
#include "unit.h"
#include <unistd.h>

static const struct {
    const char *kind, *preset;
} all[] = { { "hospital", NULL },
            { "table", NULL },
            { "table", "ipums" },
            { "gauss", NULL },
            { "points", NULL } };

static jali_status write_all(size_t i, const char *out, jali_err *err)
{
    jali_mock_options o;
    CHECK_OK(jali_mock_defaults(&o, all[i].kind, all[i].preset, NULL));
    o.rows = 300;
    o.out = out;
    return jali_mock_write(&o, NULL, err);
}

SENTENCE(no_allocation_that_fails_leaves_a_file)
{
    UNUSED_STATE;
    char name[64];
    snprintf(name, sizeof name, "jali-mock-fault-%ld.csv", (long)getpid());
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        long n = 0;
        for (;; n++) {
            jali_err err = { 0 };
            alloc_fail_at(n);
            jali_status status = write_all(i, name, &err);
            if (!alloc_failed()) {
                CHECK_OK(status);
                break;
            }
            CHECK(status == JALI_E_NOMEM || status == JALI_E_ENGINE);
            CHECK(err.text[0] != '\0');
            assert_int_equal(access(name, F_OK), -1);
            CHECK(n < 10000);
        }
        CHECK(n > 0);
        assert_int_equal(unlink(name), 0);
    }
}

RUN_ALL(TEST(no_allocation_that_fails_leaves_a_file))
