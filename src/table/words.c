/* table/words.c — a fixed set of words and the code of each.
 *
 * Open addressing, at most half full. The words are the schema's, so that a stranger's
 * cells are only ever looked up and cannot make the table slow.
 */
#include "table/words.h"
#include <xxhash.h>

typedef struct slot {
    const char *text; /* NULL: free */
    uint32_t n;
    int32_t code;
} slot;

struct jali_words {
    uint64_t lengths; /* bit min(n, 63): some word is n bytes long */
    size_t mask;
    slot *slots;
};

static uint64_t length_bit(size_t n)
{
    return (uint64_t)1 << (n < 63 ? n : 63);
}

/* Where the word is, or where it would go. */
static slot *seek(const jali_words *words, const char *text, size_t n)
{
    size_t i = (size_t)XXH3_64bits(text, n) & words->mask;
    for (;; i = (i + 1) & words->mask) {
        slot *s = &words->slots[i];
        if (s->text == NULL || (s->n == n && memcmp(s->text, text, n) == 0)) return s;
    }
}

jali_status jali_words_new(const jali_words **out, const char *const *text, const int32_t *code,
                           size_t n, jali_arena *arena, size_t *twice, jali_err *err)
{
    size_t room = 4;
    while (room < 2 * n) room *= 2;
    jali_words *words = jali_arena_take(arena, 1, sizeof *words);
    slot *slots = jali_arena_take(arena, room, sizeof *slots);
    if (words == NULL || slots == NULL) return jali_fail_memory(err);
    *words = (jali_words){ .mask = room - 1, .slots = slots };
    *twice = n;
    for (size_t i = 0; i < n; i++) {
        size_t bytes = strlen(text[i]);
        slot *s = seek(words, text[i], bytes);
        if (s->text != NULL) {
            *twice = i;
            return JALI_OK;
        }
        *s = (slot){ text[i], (uint32_t)bytes, code == NULL ? (int32_t)i : code[i] };
        words->lengths |= length_bit(bytes);
    }
    *out = words;
    return JALI_OK;
}

int32_t jali_words_find(const jali_words *words, const char *text, size_t n)
{
    if (words == NULL || (words->lengths & length_bit(n)) == 0) return -1;
    const slot *s = seek(words, text, n);
    return s->text == NULL ? -1 : s->code;
}
