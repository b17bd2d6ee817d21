/* http/server.h — what one server holds. A client of jali.h: see README.md. */
#ifndef JALI_HTTP_SERVER_H
#define JALI_HTTP_SERVER_H

#include "jali.h"
#include <jansson.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum {
    HTTP_VAULTS = 64,
    HTTP_THREADS = 8,
    HTTP_SESSION_SETS = 1024, /* a power of two                          */
    HTTP_SESSION_WAYS = 8,    /* sessions that share a set               */
    HTTP_ADDRESSES = 4096,    /* of strangers who showed wrong tokens    */
    HTTP_LINES = 512,         /* of the journal that curators see        */
    HTTP_LINE = 240,
    HTTP_WORKERS = 32, /* who waits for the disk waits together, and shares its commit */
    HTTP_LONG = 4,     /* of them at most at verbs that compute for long               */
    HTTP_JOBS = 4096,
    HTTP_ASKERS = 256,     /* chains of people with jobs in flight */
    HTTP_JOBS_EACH = 1024, /* of one person that nobody has looked at: others want some, too */
    HTTP_BODY = 1 << 16,   /* bytes of a request                      */
    HTTP_ID = 33,          /* 24 random bytes as text, with its end   */
    HTTP_KEY = 32,
    HTTP_QUOTE_MS = 10 * 60 * 1000,     /* how long a price stands                 */
    HTTP_SESSION_MS = 12 * 3600 * 1000, /* a browser's                         */
    HTTP_BEARER_MS = 15 * 60 * 1000,    /* how long a checked token is believed */
    HTTP_GRID_MS = 250,
    HTTP_STACK = 16 << 20, /* the SQL parser is recursive             */
    HTTP_PIECES = 8        /* words of a path                         */
};

/* ---- people --------------------------------------------------------------------------- */

/* Somebody who has shown a token of a vault. */
typedef struct http_person {
    size_t vault; /* whose token it was: it opens that vault and no other */
    char name[JALI_NAME];
    jali_role role;
} http_person;

/* Found by a keyed hash of the secret that its holder shows, which is not kept itself. */
typedef struct http_session {
    unsigned char print[HTTP_KEY];
    char csrf[HTTP_ID];   /* "": a program's, which shows its token each time */
    char public_part[16]; /* of the token: jali_t3_                           */
    uint64_t stamp;       /* of the tokens, when it was checked               */
    uint64_t entry;       /* its entry among them                             */
    int64_t until_ms;     /* past: a free place                               */
    http_person person;
} http_session;

/* An address that showed wrong tokens. */
typedef struct http_stranger {
    uint64_t print;
    unsigned tries; /* that it has left */
    int64_t since_ms;
} http_stranger;

/* ---- work ------------------------------------------------------------------------------ */

typedef struct http_exchange http_exchange;

typedef enum http_job_state { HTTP_JOB_FREE, HTTP_JOB_WAITS, HTTP_JOB_DONE } http_job_state;

/* A request that spends: done by a worker, told on the grid. */
typedef struct http_job {
    char id[HTTP_ID];
    http_job_state state;
    http_person person; /* who may ask for it */
    char *request;      /* JSON               */
    char key[HTTP_ID];  /* idempotency        */
    unsigned status;    /* of the reply       */
    char *reply;
    int64_t due_ms, forget_ms;
    bool is_long;                    /* it computes; the others wait for the disk */
    bool told;                       /* its asker has seen the end: its place may be taken */
    struct MHD_Connection *waits;    /* suspended until due; NULL: it will be polled */
    struct http_job *next;           /* in the queue */
    struct http_job *chain;          /* of its id, or of the free ones */
    struct http_job *before, *after; /* among those whose end was seen */
} http_job;

/* How many jobs somebody has that he did not look at. */
typedef struct http_asker {
    http_person person;
    unsigned unseen;
    struct http_asker *next;
} http_asker;

typedef struct http_jobs {
    http_job job[HTTP_JOBS];
    http_job *bucket[HTTP_JOBS]; /* by id */
    http_job *free, *first_seen, *last_seen;
    http_asker *asker[HTTP_ASKERS];
} http_jobs;

/* First come, first served; at most so many at once. */
typedef struct http_queue {
    http_job *first, *last;
    unsigned running, most;
} http_queue;

typedef struct http_vault {
    const char *path, *name; /* name: the last part of the path */
    jali_hold *hold;
    atomic_uint_fast64_t replies[6]; /* [2]: of status 200 to 299, and so on */
} http_vault;

/* A line of the journal: of one vault's curator, or (vault -1) of all. */
typedef struct http_line {
    int64_t ms;
    int vault;
    char text[HTTP_LINE];
} http_line;

/* A connection that is being read from or written to. */
typedef struct http_guest {
    struct http_guest *before, *after;
    int fd;
    int64_t until_ms; /* then it is cut off; 0: we are the slow ones */
} http_guest;

typedef struct http_server {
    size_t n_vaults;
    http_vault vault[HTTP_VAULTS];
    struct MHD_Daemon *daemon;
    bool tls;
    unsigned char key[HTTP_KEY]; /* signs quotes; lives as long as the server */
    FILE *log;                   /* the curator's                             */
    atomic_uint_fast64_t reference;

    int64_t since_ms;
    const char *listen; /* NULL: 127.0.0.1:8080 */
    const char *const *host;
    size_t n_hosts; /* 0: see host.c */

    pthread_mutex_t people; /* guards session[] and stranger[] */
    http_session session[HTTP_SESSION_SETS][HTTP_SESSION_WAYS];
    http_stranger stranger[HTTP_ADDRESSES];
    pthread_mutex_t checker; /* one token is checked at a time: 64 MB */
    atomic_int checking;     /* threads that wait for it               */

    pthread_mutex_t journal; /* guards line[] */
    http_line line[HTTP_LINES];
    size_t n_lines; /* ever written */

    pthread_mutex_t guests;
    http_guest *guest;
    int64_t patience_ms;
    atomic_int open; /* requests that have no reply yet */

    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t wake;
    http_jobs jobs;
    http_queue queue[2]; /* [1]: long ones */
    bool stopping;
    pthread_t worker[HTTP_WORKERS], clock;
    size_t n_workers;
    struct http_cache *cache;
} http_server;

/* ---- one request ------------------------------------------------------------------------ */

struct http_exchange {
    http_server *server;
    struct MHD_Connection *connection;
    char *body;
    size_t n_body;
    bool too_large;
    char path[512];
    size_t n_pieces;
    const char *piece[HTTP_PIECES];
    const char *method;
    const http_session *session; /* a copy */
    http_session own;
    http_guest *guest;
    http_job *job; /* whose end we wait for */
    char job_id[HTTP_ID];
    /* the reply */
    unsigned status;
    char *reply; /* owned */
    size_t n_reply;
    const char *type;
    char cookie[256];
    char file[64];   /* the name of a download; "": it is shown */
    char allow[64];  /* Allow: the methods that are done here   */
    unsigned wait_s; /* Retry-After; 0: none                    */
    bool is_static, zipped, suspended;
};

/* exchange.c */
enum MHD_Result http_handle(void *self, struct MHD_Connection *connection, const char *url,
                            const char *method, const char *version, const char *data,
                            size_t *n, void **exchange);
void http_done(void *self, struct MHD_Connection *connection, void **exchange,
               enum MHD_RequestTerminationCode why);
/* Replies with JSON; takes the value. */
void http_reply_json(http_exchange *x, unsigned status, json_t *value);
/* One sentence, and its place in the text of the request if it has one. */
void http_reply_error(http_exchange *x, unsigned status, const char *sentence,
                      const jali_err *err);
/* A document in a format, or what went wrong; frees the document. */
void http_reply_doc(http_exchange *x, jali_status status, jali_doc *doc, jali_format format,
                    const jali_err *err);
/* The same for a reply that is not being written yet: status and text, free()d by the caller.
 */
unsigned http_answer(http_server *s, const http_person *who, const char *doing,
                     jali_status status, jali_doc *doc, jali_format format, const jali_err *err,
                     char **text);

/* handle.h has what leads from here to the vaults. */
void http_route(http_exchange *x);

/* openapi.c: new reference; NULL: no memory. */
json_t *http_openapi(void);

/* person.c */
void http_random_id(char out[static HTTP_ID]);
/* Finds who is asking: by cookie or bearer token. False: nobody; the reply is written. */
bool http_identify(http_exchange *x);
void http_login(http_exchange *x);
void http_logout(http_exchange *x);
void http_present(http_exchange *x);

/* guard.c: strangers who guess. May this address have a token checked now, alone? False: the
 * reply says when. Who entered must leave, and say whether the token was one of ours. */
bool http_guard_enter(http_exchange *x);
void http_guard_leave(http_exchange *x, bool known);

/* quote.c: a price that its holder can accept for a while. */
char *http_quote_sign(const http_server *s, const http_person *who, const char *request,
                      int64_t now_ms);
/* The request inside, free()d by the caller; NULL with a sentence. */
char *http_quote_open(const http_server *s, const http_person *who, const char *quote,
                      int64_t now_ms, const char **why);

/* jobs.c; with the lock. A new one waits to be done, has its id, and belongs to `who`; NULL:
 * there is no room, or too many of this person's were not looked at. */
void http_jobs_init(http_jobs *jobs);
http_job *http_job_new(http_jobs *jobs, const http_person *who);
http_job *http_job_find(http_jobs *jobs, const http_person *who, const char *id);
void http_job_see(http_jobs *jobs, http_job *job); /* its asker was told the end */
void http_job_clear(http_jobs *jobs, http_job *job);

/* work.c */
bool http_work_start(http_server *s);
/* Finishes what is queued; the replies stay for those who wait, until they are cleared. */
void http_work_stop(http_server *s);
void http_work_clear(http_server *s);
/* Queues a request. With `wait` the connection is suspended until its grid time. Takes it. */
void http_work_submit(http_exchange *x, char *request, const char *key, bool wait);
/* Copies what is known about a job of this person. False: there is none. */
bool http_work_look(http_server *s, const http_person *who, const char *id,
                    http_job_state *state, unsigned *status, char **reply);

void http_work_forget(http_server *s, const http_person *who, const char *id);

size_t http_work_running(http_server *s, size_t vault);

/* patience.c: who sends or takes too slowly is cut off. */
void http_guest_comes(void *self, struct MHD_Connection *connection, void **guest,
                      enum MHD_ConnectionNotificationCode what);
/* A new deadline; working: none, because it is our turn. */
void http_guest_wait(http_server *s, http_guest *guest, bool working);
void http_guests_cut(http_server *s, int64_t now_ms);

/* journal.c: what curators see of their server. vault -1: of all. */
void http_log(http_server *s, int vault, const char *fmt, ...) JALI_PRINTF(3, 4);
json_t *http_journal(http_server *s, size_t vault);

/* cache.c: stored releases never change, so their pages are kept. */
struct http_cache *http_cache_new(void);
void http_cache_free(struct http_cache *cache);
char *http_cache_get(struct http_cache *cache, const char *key, size_t *n);
void http_cache_put(struct http_cache *cache, const char *key, const char *text, size_t n);

/* confine.c: no core, no debugger, no writing outside the vaults. A sentence for the log. */
const char *http_confine(const http_server *s);

/* page.c: a file of the embedded page, as it is or zipped; NULL: no such file. */
const unsigned char *http_page(const char *name, bool zip, size_t *n, const char **type,
                               bool *zipped);

int64_t http_now_ms(void);

#endif
