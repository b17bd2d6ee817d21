/* http/http.h — the open door, for the program. */
#ifndef JALI_HTTP_HTTP_H
#define JALI_HTTP_HTTP_H

#include "jali.h"
#include <stdio.h>

typedef struct http_options {
    const char *const *vault;
    size_t n_vaults;
    const char *listen;      /* HOST:PORT; NULL: 127.0.0.1:8080 */
    const char *const *host; /* names that it answers to, besides its address and localhost */
    size_t n_hosts;
    const char *tls_cert, *tls_key; /* files of PEM                    */
    unsigned patience_s; /* for a request to arrive, and its reply to be taken; 0: 20 */
    FILE *log;
    void (*ready)(const char *address); /* when it listens; port 0 becomes a real one */
} http_options;

/* Serves until SIGINT or SIGTERM; then ends what was begun. */
JALI_MUST_USE jali_status http_serve(const http_options *options, jali_err *err);

#endif
