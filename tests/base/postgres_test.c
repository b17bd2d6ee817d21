/* A connection that keeps no password, against a real server (tests/support/postgres). */
#define _POSIX_C_SOURCE 200809L
#include "base/postgres.h"
#include "unit.h"
#include <stdlib.h>

SENTENCE(a_password_is_refused_and_not_repeated)
{
    UNUSED_STATE;
    static const char *const bad[] = { "postgresql://ana:s3cret@host/db",
                                       "host=h password=s3cret",
                                       "postgresql://host/db?password=s3cret",
                                       "postgresql://host/db?sslpassword=s3cret" };
    jali_err err;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(jali_pg_check_server(bad[i], "--ledger", &err) == JALI_E_USAGE);
        CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_CURATOR, "--ledger holds a password");
        CHECK(strstr(err.text, "s3cret") == NULL);
    }
}

SENTENCE(what_is_not_a_connection_string_is_refused_and_not_repeated)
{
    UNUSED_STATE;
    static const char *const bad[] = { "s3cret", "postgresql://ana:s3cret@[host/db",
                                       "host=h nonsense=s3cret", "mysql://s3cret@h/db" };
    char longer[JALI_PG_MAX_SERVER + 2];
    jali_err err;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(jali_pg_check_server(bad[i], "--ledger", &err) == JALI_E_USAGE);
        CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_CURATOR, "is not a connection string");
        CHECK(strstr(err.text, "s3cret") == NULL);
    }
    memset(longer, 'x', sizeof longer - 1);
    memcpy(longer, "host=", 5);
    longer[sizeof longer - 1] = '\0';
    CHECK(jali_pg_check_server(longer, "--ledger", &err) == JALI_E_USAGE);
}

SENTENCE(the_usual_strings_pass)
{
    UNUSED_STATE;
    static const char *const good[] = { "postgresql://", "postgres://ana@db.example/budget",
                                        "service=budget", "host=/run/pg user=jali",
                                        "postgresql:///x?host=/run/pg&sslmode=verify-full" };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        CHECK_OK(jali_pg_check_server(good[i], "--ledger", NULL));
}

SENTENCE(a_server_is_reached_through_its_socket)
{
    UNUSED_STATE;
    PGconn *link = NULL;
    CHECK_OK(jali_pg_connect(&link, "postgresql://", NULL));
    CHECK(PQserverVersion(link) >= 150000);
    assert_string_equal(PQparameterStatus(link, "client_encoding"), "UTF8");
    PQfinish(link);
}

SENTENCE(a_server_that_is_away_is_one_sentence)
{
    UNUSED_STATE;
    PGconn *link = NULL;
    jali_err err;
    CHECK(jali_pg_connect(&link, "host=/nowhere/at/all", &err) == JALI_E_ENGINE);
    CHECK_REFUSED(err, JALI_E_ENGINE, JALI_FOR_CURATOR,
                  "cannot connect to the PostgreSQL server");
    CHECK(link == NULL && strchr(err.text, '\n') == NULL);
    CHECK(jali_pg_connect(&link, "dbname=nobody_made_it", &err) == JALI_E_ENGINE);
    CHECK_REFUSED(err, JALI_E_ENGINE, JALI_FOR_CURATOR, "nobody_made_it");
}

RUN_ALL(TEST(a_password_is_refused_and_not_repeated),
        TEST(what_is_not_a_connection_string_is_refused_and_not_repeated),
        TEST(the_usual_strings_pass), TEST(a_server_is_reached_through_its_socket),
        TEST(a_server_that_is_away_is_one_sentence))
