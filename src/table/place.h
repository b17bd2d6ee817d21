/* table/place.h — where a member stands in a JSON text. */
#ifndef JALI_TABLE_PLACE_H
#define JALI_TABLE_PLACE_H

#include <stddef.h>

/* One step down: into the member `key`, or, if key is NULL, into element `index`. */
typedef struct jali_step {
    const char *key;
    size_t index;
} jali_step;

/* The offset of the value at the end of the path (of its key, if `at_key`), or of the
 * deepest value on the way that exists. The text is JSON that a parser accepted. */
size_t jali_json_place(const char *text, size_t n, const jali_step *path, size_t steps,
                       int at_key);

#endif
