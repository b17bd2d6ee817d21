/* http/cache.c — pages of stored releases, which never change. */
#include "http/server.h"
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { PLACES = 1024, LARGEST = 1 << 20, KEY = 256 };

struct http_cache {
    pthread_mutex_t lock;
    struct {
        char key[KEY];
        char *text;
        size_t n;
    } place[PLACES];
};

struct http_cache *http_cache_new(void)
{
    struct http_cache *c = calloc(1, sizeof *c);
    if (c != NULL) pthread_mutex_init(&c->lock, NULL);
    return c;
}

void http_cache_free(struct http_cache *cache)
{
    if (cache == NULL) return;
    for (size_t i = 0; i < PLACES; i++) free(cache->place[i].text);
    pthread_mutex_destroy(&cache->lock);
    free(cache);
}

static size_t place_of(const char *key)
{
    return XXH3_64bits(key, strlen(key)) % PLACES;
}

char *http_cache_get(struct http_cache *cache, const char *key, size_t *n)
{
    size_t i = place_of(key);
    char *copy = NULL;
    pthread_mutex_lock(&cache->lock);
    if (cache->place[i].text != NULL && strcmp(cache->place[i].key, key) == 0) {
        copy = malloc(cache->place[i].n + 1);
        if (copy != NULL) memcpy(copy, cache->place[i].text, cache->place[i].n + 1);
        *n = cache->place[i].n;
    }
    pthread_mutex_unlock(&cache->lock);
    return copy;
}

void http_cache_put(struct http_cache *cache, const char *key, const char *text, size_t n)
{
    size_t i = place_of(key);
    if (n > LARGEST || strlen(key) >= KEY) return;
    char *copy = malloc(n + 1);
    if (copy == NULL) return;
    memcpy(copy, text, n);
    copy[n] = '\0';
    pthread_mutex_lock(&cache->lock);
    free(cache->place[i].text);
    cache->place[i].text = copy;
    cache->place[i].n = n;
    snprintf(cache->place[i].key, KEY, "%s", key);
    pthread_mutex_unlock(&cache->lock);
}
