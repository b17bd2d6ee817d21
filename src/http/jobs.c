/* http/jobs.c — the jobs of all people: found by id, few of each person's unseen.
 *
 * Everything here is called with the server's lock. A job is found by a chain of its id's hash,
 * a free place is on a list, and how many jobs a person did not look at is counted, not
 * searched: with a thousand jobs in flight each look would otherwise pass over all of them.
 */
#include "http/server.h"
#include <stdlib.h>
#include <string.h>

void http_jobs_init(http_jobs *jobs)
{
    for (size_t i = 0; i < HTTP_JOBS; i++) {
        jobs->job[i].chain = jobs->free;
        jobs->free = &jobs->job[i];
    }
}

/* ---- who asks ---- */

static bool same_person(const http_person *a, const http_person *b)
{
    return a->vault == b->vault && strcmp(a->name, b->name) == 0;
}

static http_asker **asker_at(http_jobs *jobs, const http_person *who)
{
    size_t hash = who->vault;
    for (const char *p = who->name; *p != '\0'; p++) hash = hash * 31 + (unsigned char)*p;
    http_asker **at = &jobs->asker[hash % HTTP_ASKERS];
    while (*at != NULL && !same_person(&(*at)->person, who)) at = &(*at)->next;
    return at;
}

static bool count_in(http_jobs *jobs, const http_person *who)
{
    http_asker **at = asker_at(jobs, who);
    if (*at == NULL) *at = calloc(1, sizeof **at);
    if (*at == NULL) return false;
    (*at)->person = *who;
    if ((*at)->unseen >= HTTP_JOBS_EACH) return false;
    (*at)->unseen++;
    return true;
}

static void count_out(http_jobs *jobs, const http_person *who)
{
    http_asker **at = asker_at(jobs, who), *asker = *at;
    if (asker == NULL || --asker->unseen > 0) return;
    *at = asker->next;
    free(asker);
}

/* ---- places ---- */

/* Ids are random: any of their bytes will do. */
static http_job **chain_of(http_jobs *jobs, const char *id)
{
    size_t hash = 0;
    for (size_t i = 0; i < 4 && id[i] != '\0'; i++) hash = hash * 64 + (unsigned char)id[i];
    return &jobs->bucket[hash % HTTP_JOBS];
}

http_job *http_job_find(http_jobs *jobs, const http_person *who, const char *id)
{
    http_job *job = *chain_of(jobs, id);
    while (job != NULL && strcmp(job->id, id) != 0) job = job->chain;
    return job != NULL && same_person(&job->person, who) ? job : NULL;
}

static void leave_seen(http_jobs *jobs, http_job *job)
{
    *(job->before == NULL ? &jobs->first_seen : &job->before->after) = job->after;
    *(job->after == NULL ? &jobs->last_seen : &job->after->before) = job->before;
}

void http_job_see(http_jobs *jobs, http_job *job)
{
    if (job->told) return;
    job->told = true;
    count_out(jobs, &job->person);
    job->before = jobs->last_seen;
    *(job->before == NULL ? &jobs->first_seen : &job->before->after) = job;
    jobs->last_seen = job;
}

void http_job_clear(http_jobs *jobs, http_job *job)
{
    if (job->state == HTTP_JOB_FREE) return;
    http_job **at = chain_of(jobs, job->id);
    while (*at != job) at = &(*at)->chain;
    *at = job->chain;
    if (job->told)
        leave_seen(jobs, job);
    else
        count_out(jobs, &job->person);
    free(job->request);
    free(job->reply);
    *job = (http_job){ .state = HTTP_JOB_FREE, .chain = jobs->free };
    jobs->free = job;
}

/* A free place, or that of the first whose end was seen; one that nobody asked for stays. Who
 * has many that he did not look at gets none: stored answers are free, so he could take all. */
http_job *http_job_new(http_jobs *jobs, const http_person *who)
{
    if (jobs->free == NULL && jobs->first_seen != NULL) http_job_clear(jobs, jobs->first_seen);
    if (jobs->free == NULL || !count_in(jobs, who)) return NULL;
    http_job *job = jobs->free;
    jobs->free = job->chain;
    *job = (http_job){ .state = HTTP_JOB_WAITS, .person = *who };
    http_random_id(job->id);
    http_job **at = chain_of(jobs, job->id);
    job->chain = *at;
    *at = job;
    return job;
}
