/* http/work.c — threads that spend, and the grid of time that their replies leave on.
 *
 * How long a verb takes depends on the number of rows, which is private. A reply waits for the
 * next tick of a coarse clock, so that only the tick is seen.
 */
#define _GNU_SOURCE
#include "http/server.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FORGET_MS = 10 * 60 * 1000 };

int64_t http_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int64_t next_tick(int64_t now)
{
    return (now / HTTP_GRID_MS + 1) * HTTP_GRID_MS;
}

/* ---- workers ------------------------------------------------------------------------------
 */

static void perform(http_server *s, http_job *job, char **reply, unsigned *status)
{
    jali_doc *doc = NULL;
    jali_err err = { 0 };
    jali_spend spend = { .vault = s->vault[job->person.vault].path,
                         .by = job->person.name,
                         .request = job->key,
                         .now_ms = http_now_ms(),
                         .threads = 1,
                         .hold = s->vault[job->person.vault].hold,
                         .bare = true };
    jali_status done =
        jali_vault_request(job->request, strlen(job->request), &spend, &doc, &err);
    *status = http_answer(s, &job->person, "a request that spends", done, doc, JALI_FORMAT_JSON,
                          &err, reply);
    http_log(s, (int)job->person.vault, "%s accepted a price: %s", job->person.name,
             *status == MHD_HTTP_OK ? "paid, or answered before" : "refused");
}

/* With the lock: what may be begun now. */
static http_job *next_job(http_server *s)
{
    for (http_queue *q = s->queue; q < s->queue + 2; q++) {
        http_job *job = q->first;
        if (job == NULL || q->running >= q->most) continue;
        q->first = job->next;
        if (q->first == NULL) q->last = NULL;
        q->running++;
        return job;
    }
    return NULL;
}

static void enqueue(http_server *s, http_job *job)
{
    http_queue *q = &s->queue[job->is_long];
    *(q->last == NULL ? &q->first : &q->last->next) = job;
    q->last = job;
    pthread_cond_signal(&s->wake);
}

/* With the lock. Somebody may wait who could not begin before. */
static void end(http_server *s, http_job *job, char *reply, unsigned status)
{
    job->reply = reply;
    job->status = status;
    job->state = HTTP_JOB_DONE;
    job->due_ms = next_tick(http_now_ms());
    job->forget_ms = job->due_ms + FORGET_MS;
    s->queue[job->is_long].running--;
    if (job->is_long) pthread_cond_broadcast(&s->wake);
}

static void *worker(void *self)
{
    http_server *s = self;
    pthread_mutex_lock(&s->lock);
    for (;;) {
        http_job *job = next_job(s);
        if (job == NULL) {
            if (s->stopping && s->queue[0].first == NULL && s->queue[1].first == NULL) break;
            pthread_cond_wait(&s->wake, &s->lock);
            continue;
        }
        char *reply = NULL;
        unsigned status = 0;
        pthread_mutex_unlock(&s->lock);
        perform(s, job, &reply, &status);
        pthread_mutex_lock(&s->lock);
        end(s, job, reply, status);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* ---- the clock ------------------------------------------------------------------------------
 */

static void tick(http_server *s, int64_t now)
{
    for (size_t i = 0; i < HTTP_JOBS; i++) {
        http_job *job = &s->jobs.job[i];
        if (job->state != HTTP_JOB_DONE || job->due_ms > now) continue;
        if (job->waits != NULL) {
            MHD_resume_connection(job->waits);
            job->waits = NULL;
        } else if (job->forget_ms <= now)
            http_job_clear(&s->jobs, job);
    }
}

static void *keep_time(void *self)
{
    http_server *s = self;
    bool busy = true;
    while (busy) {
        int64_t due = next_tick(http_now_ms());
        struct timespec t = { .tv_sec = due / 1000, .tv_nsec = due % 1000 * 1000000 };
        while (clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL) == EINTR) continue;
        pthread_mutex_lock(&s->lock);
        tick(s, due);
        busy = !s->stopping;
        for (size_t i = 0; !busy && i < HTTP_JOBS; i++) busy = s->jobs.job[i].waits != NULL;
        pthread_mutex_unlock(&s->lock);
        http_guests_cut(s, due);
    }
    return NULL;
}

/* ---- life
 * ------------------------------------------------------------------------------------- */

bool http_work_start(http_server *s)
{
    pthread_attr_t large;
    bool good =
        pthread_attr_init(&large) == 0 && pthread_attr_setstacksize(&large, HTTP_STACK) == 0;
    http_jobs_init(&s->jobs);
    s->queue[0].most = HTTP_WORKERS;
    s->queue[1].most = HTTP_LONG;
    for (; good && s->n_workers < HTTP_WORKERS; s->n_workers++)
        if (pthread_create(&s->worker[s->n_workers], &large, worker, s) != 0) break;
    good = good && s->n_workers > 0 && pthread_create(&s->clock, NULL, keep_time, s) == 0;
    pthread_attr_destroy(&large);
    return good;
}

/* What was charged is finished and stored: a stop loses nothing that was paid for. */
void http_work_stop(http_server *s)
{
    pthread_mutex_lock(&s->lock);
    s->stopping = true;
    pthread_cond_broadcast(&s->wake);
    pthread_mutex_unlock(&s->lock);
    for (size_t i = 0; i < s->n_workers; i++) pthread_join(s->worker[i], NULL);
    pthread_join(s->clock, NULL);
}

void http_work_clear(http_server *s)
{
    for (size_t i = 0; i < HTTP_JOBS; i++) http_job_clear(&s->jobs, &s->jobs.job[i]);
}

size_t http_work_running(http_server *s, size_t vault)
{
    size_t n = 0;
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < HTTP_JOBS; i++)
        n += s->jobs.job[i].state == HTTP_JOB_WAITS && s->jobs.job[i].person.vault == vault;
    pthread_mutex_unlock(&s->lock);
    return n;
}

/* ---- jobs
 * ------------------------------------------------------------------------------------- */

/* Questions in SQL are counted in a moment; the others may take minutes. */
static bool is_long(const char *request)
{
    json_t *value = json_loads(request, 0, NULL);
    const char *verb = json_string_value(json_object_get(value, "verb"));
    const bool quick = verb != NULL && strcmp(verb, "ask") == 0;
    json_decref(value);
    return !quick;
}

void http_work_submit(http_exchange *x, char *request, const char *key, bool wait)
{
    http_server *s = x->server;
    const bool takes_long = is_long(request);
    pthread_mutex_lock(&s->lock);
    http_job *job = s->stopping ? NULL : http_job_new(&s->jobs, &x->session->person);
    if (job != NULL) {
        job->request = request;
        job->is_long = takes_long;
        job->waits = wait ? x->connection : NULL;
        snprintf(job->key, sizeof job->key, "%s", key);
        memcpy(x->job_id, job->id, sizeof x->job_id);
        if (wait) {
            x->suspended = true;
            MHD_suspend_connection(x->connection);
        }
        enqueue(s, job);
    }
    pthread_mutex_unlock(&s->lock);
    if (job == NULL) {
        free(request);
        http_reply_error(x, MHD_HTTP_SERVICE_UNAVAILABLE,
                         "the server is busy, or has too many jobs of yours that you did not "
                         "look at; nothing was spent; try again",
                         NULL);
    } else if (!wait)
        http_reply_json(x, MHD_HTTP_ACCEPTED,
                        json_pack("{s:i,s:s,s:s,s:s}", "jali", 1, "kind", "job", "job",
                                  x->job_id, "state", "running"));
}

/* Who waited for it has it now, and will not poll: its place is for the next. */
void http_work_forget(http_server *s, const http_person *who, const char *id)
{
    pthread_mutex_lock(&s->lock);
    http_job *job = http_job_find(&s->jobs, who, id);
    if (job != NULL && job->state == HTTP_JOB_DONE) http_job_clear(&s->jobs, job);
    pthread_mutex_unlock(&s->lock);
}

bool http_work_look(http_server *s, const http_person *who, const char *id,
                    http_job_state *state, unsigned *status, char **reply)
{
    pthread_mutex_lock(&s->lock);
    http_job *job = http_job_find(&s->jobs, who, id);
    if (job != NULL) {
        bool told = job->state == HTTP_JOB_DONE && job->due_ms <= http_now_ms();
        if (told) http_job_see(&s->jobs, job);
        *state = told ? HTTP_JOB_DONE : HTTP_JOB_WAITS;
        *status = told ? job->status : MHD_HTTP_ACCEPTED;
        *reply = told && job->reply != NULL ? strdup(job->reply) : NULL;
    }
    pthread_mutex_unlock(&s->lock);
    return job != NULL;
}
