/* ledger.evident without jali: tools/ledger-replay, which is sqlite3, b2sum, openssl and, for a
 * server, psql, must say the same as jali_ledger_verify. */
#define _DEFAULT_SOURCE
#include "desk.h"
#include <sys/wait.h>

/* The exit code of the tool; the test is skipped where a part of it is not installed. */
static int replay(desk *d)
{
    char command[512];
    const char *source = getenv("JALI_SOURCE");
    const char *tools = on_server() ? "command -v psql sqlite3 b2sum basenc openssl >/dev/null"
                                    : "command -v sqlite3 b2sum basenc openssl >/dev/null";
    if (source == NULL || system(tools) != 0) {
        print_message("skipped: JALI_SOURCE, %s is missing\n", tools + 11);
        return -1;
    }
    snprintf(command, sizeof command, "%s/tools/ledger-replay %s >/dev/null 2>&1", source,
             d->file);
    return WEXITSTATUS(system(command));
}

static void fill(desk *d)
{
    desk_create(d, "1", "1e-6");
    jali_ledger *l = desk_open(d);
    desk_ask(d, l, "ana", "{\"where\":\"Chișinău, 5:x,\"}", desk_pure("0.1"));
    desk_ask(d, l, "bob", "{\"q\":2}", desk_gauss("0.001"));
    CHECK_OK(jali_ledger_close(l, NULL));
}

SENTENCE(an_auditor_without_jali_comes_to_the_same_hashes)
{
    UNUSED_STATE;
    desk d;
    fill(&d);
    int code = replay(&d);
    CHECK(desk_verify(&d).intact);
    desk_clear(&d);
    if (code < 0) skip();
    assert_int_equal(code, 0);
}

SENTENCE(and_sees_the_same_changes)
{
    UNUSED_STATE;
    static const char *const changes[] = {
        "UPDATE charges SET rho_pico = 1 WHERE seq = 4",
        "UPDATE releases SET body = '{}' WHERE seq = 3",
        "DELETE FROM releases WHERE seq = 3",
        "DELETE FROM releases WHERE seq = 5",
    };
    const char *asleep =
        on_server() ? "ALTER TABLE charges DISABLE TRIGGER USER;"
                      "ALTER TABLE releases DISABLE TRIGGER USER"
                    : "DROP TRIGGER charges_no_update; DROP TRIGGER releases_no_update;"
                      "DROP TRIGGER releases_no_delete";
    for (size_t i = 0; i < 4; i++) {
        desk d;
        fill(&d);
        desk_sql(&d, asleep);
        desk_sql(&d, changes[i]);
        int code = replay(&d);
        CHECK(!desk_verify(&d).intact);
        desk_clear(&d);
        if (code < 0) skip();
        assert_int_equal(code, 5);
    }
}

RUN_ALL(TEST(an_auditor_without_jali_comes_to_the_same_hashes), TEST(and_sees_the_same_changes))
