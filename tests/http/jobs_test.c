/* http/jobs.c: found by id and by its owner only, places taken again in the order seen. */
#define _GNU_SOURCE
#include "http/server.h"
#include "unit.h"
#include <stdlib.h>

/* Ids that share their chain unless their last letters are looked at. */
static unsigned made;

void http_random_id(char out[static HTTP_ID])
{
    snprintf(out, HTTP_ID, "same%028u", made++);
}

static http_jobs *fresh(void)
{
    http_jobs *jobs = calloc(1, sizeof *jobs);
    CHECK(jobs != NULL);
    http_jobs_init(jobs);
    made = 0;
    return jobs;
}

static void drop(http_jobs *jobs)
{
    for (size_t i = 0; i < HTTP_JOBS; i++) http_job_clear(jobs, &jobs->job[i]);
    for (size_t i = 0; i < HTTP_ASKERS; i++) CHECK(jobs->asker[i] == NULL);
    size_t n = 0;
    for (const http_job *job = jobs->free; job != NULL; job = job->chain) n++;
    assert_int_equal(n, HTTP_JOBS);
    CHECK(jobs->first_seen == NULL && jobs->last_seen == NULL);
    free(jobs);
}

static http_person person(size_t vault, const char *name)
{
    http_person who = { .vault = vault, .role = JALI_ANALYST };
    snprintf(who.name, sizeof who.name, "%s", name);
    return who;
}

SENTENCE(a_job_is_found_by_its_owner_only)
{
    UNUSED_STATE;
    http_jobs *jobs = fresh();
    http_person eve = person(0, "eve"), bob = person(0, "bob"), other = person(1, "eve");
    http_job *first = http_job_new(jobs, &eve), *second = http_job_new(jobs, &bob);
    CHECK(first != NULL && second != NULL && first != second);
    CHECK(http_job_find(jobs, &eve, first->id) == first);
    CHECK(http_job_find(jobs, &bob, second->id) == second);
    CHECK(http_job_find(jobs, &bob, first->id) == NULL);
    CHECK(http_job_find(jobs, &other, first->id) == NULL);
    CHECK(http_job_find(jobs, &eve, "same") == NULL && http_job_find(jobs, &eve, "") == NULL);
    char id[HTTP_ID];
    memcpy(id, first->id, sizeof id);
    http_job_clear(jobs, first);
    CHECK(http_job_find(jobs, &eve, id) == NULL);
    CHECK(http_job_find(jobs, &bob, second->id) == second);
    drop(jobs);
}

SENTENCE(one_person_cannot_take_all_places_and_what_was_seen_does_not_count)
{
    UNUSED_STATE;
    http_jobs *jobs = fresh();
    http_person eve = person(0, "eve"), bob = person(0, "bob");
    http_job *mine[HTTP_JOBS_EACH];
    for (size_t i = 0; i < HTTP_JOBS_EACH; i++) CHECK((mine[i] = http_job_new(jobs, &eve)));
    CHECK(http_job_new(jobs, &eve) == NULL);
    CHECK(http_job_new(jobs, &bob) != NULL);
    http_job_see(jobs, mine[7]);
    http_job_see(jobs, mine[7]); /* seen twice counts once */
    CHECK(http_job_new(jobs, &eve) != NULL);
    CHECK(http_job_new(jobs, &eve) == NULL);
    drop(jobs);
}

SENTENCE(a_full_table_gives_away_what_was_seen_first_and_never_what_was_not)
{
    UNUSED_STATE;
    http_jobs *jobs = fresh();
    http_job *all[HTTP_JOBS];
    char id[2][HTTP_ID];
    http_person who[4] = { person(0, "a"), person(0, "b"), person(0, "c"), person(0, "d") },
                late = person(0, "late");
    for (size_t i = 0; i < HTTP_JOBS; i++) CHECK((all[i] = http_job_new(jobs, &who[i % 4])));
    CHECK(http_job_new(jobs, &late) == NULL);
    memcpy(id[0], all[5]->id, HTTP_ID);
    memcpy(id[1], all[2]->id, HTTP_ID);
    http_job_see(jobs, all[5]);
    http_job_see(jobs, all[2]);
    http_job_see(jobs, all[9]);
    http_job_clear(jobs, all[9]); /* from the end of the line */
    CHECK(http_job_new(jobs, &late) == all[9]);
    CHECK(http_job_new(jobs, &late) == all[5] && http_job_find(jobs, &who[1], id[0]) == NULL);
    CHECK(http_job_find(jobs, &who[2], id[1]) == all[2]);
    CHECK(http_job_new(jobs, &late) == all[2]);
    CHECK(http_job_new(jobs, &late) == NULL);
    drop(jobs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_job_is_found_by_its_owner_only),
        TEST(one_person_cannot_take_all_places_and_what_was_seen_does_not_count),
        TEST(a_full_table_gives_away_what_was_seen_first_and_never_what_was_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
