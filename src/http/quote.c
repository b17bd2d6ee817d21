/* http/quote.c — signed prices: a request that its asker has seen the price of.
 *
 * The signature binds the request to the person and to an hour of the day; the key is made when
 * the server starts, so a quote dies with it. What the price is follows from the request.
 */
#define _GNU_SOURCE
#include "http/server.h"
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

enum { VARIANT = sodium_base64_VARIANT_URLSAFE_NO_PADDING };

char *http_quote_sign(const http_server *s, const http_person *who, const char *request,
                      int64_t now_ms)
{
    json_t *payload =
        json_pack("{s:s,s:s,s:I,s:s}", "vault", s->vault[who->vault].path, "by", who->name,
                  "until", (json_int_t)(now_ms + HTTP_QUOTE_MS), "request", request);
    char *text = payload == NULL ? NULL : json_dumps(payload, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(payload);
    if (text == NULL) return NULL;
    size_t n = strlen(text), room = sodium_base64_encoded_len(n + crypto_auth_BYTES, VARIANT);
    unsigned char *bytes = malloc(n + crypto_auth_BYTES);
    char *quote = malloc(room);
    if (bytes != NULL && quote != NULL) {
        crypto_auth(bytes, (const unsigned char *)text, n, s->key);
        memcpy(bytes + crypto_auth_BYTES, text, n);
        sodium_bin2base64(quote, room, bytes, n + crypto_auth_BYTES, VARIANT);
    } else {
        free(quote);
        quote = NULL;
    }
    free(bytes);
    free(text);
    return quote;
}

static char *request_of(const http_server *s, const http_person *who, const json_t *payload,
                        int64_t now_ms, const char **why)
{
    const char *by = json_string_value(json_object_get(payload, "by"));
    const char *vault = json_string_value(json_object_get(payload, "vault"));
    const char *request = json_string_value(json_object_get(payload, "request"));
    *why = "this quote is not yours; ask for your own";
    if (by == NULL || vault == NULL || request == NULL || strcmp(by, who->name) != 0 ||
        strcmp(vault, s->vault[who->vault].path) != 0)
        return NULL;
    *why = "this quote is too old; ask for a new one";
    if (json_integer_value(json_object_get(payload, "until")) < now_ms) return NULL;
    return strdup(request);
}

char *http_quote_open(const http_server *s, const http_person *who, const char *quote,
                      int64_t now_ms, const char **why)
{
    size_t room = strlen(quote), n = 0;
    unsigned char *bytes = malloc(room + 1);
    char *request = NULL;
    *why = "this is no quote of this server; ask for a new one";
    if (bytes != NULL && room <= 4 * HTTP_BODY &&
        sodium_base642bin(bytes, room, quote, room, NULL, &n, NULL, VARIANT) == 0 &&
        n > crypto_auth_BYTES &&
        crypto_auth_verify(bytes, bytes + crypto_auth_BYTES, n - crypto_auth_BYTES, s->key) ==
            0) {
        json_t *payload =
            json_loadb((const char *)bytes + crypto_auth_BYTES, n - crypto_auth_BYTES, 0, NULL);
        request = request_of(s, who, payload, now_ms, why);
        json_decref(payload);
    }
    free(bytes);
    return request;
}
