/* audit/sheet.c — outputs as rows of features: every number and word that they print. */
#include "audit/audit.h"
#include "base/json.h"
#include "base/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

static jali_status make_room(jali_sheet *sheet, jali_err *err)
{
    if (sheet->rows < sheet->room) return JALI_OK;
    size_t room = sheet->room == 0 ? 256 : 2 * sheet->room;
    bool *with = realloc(sheet->with, room * sizeof *with);
    if (with == NULL) return jali_fail_memory(err);
    sheet->with = with;
    for (size_t i = 0; i < sheet->n_names; i++) {
        jali_feature *column = realloc(sheet->column[i], room * sizeof *column);
        if (column == NULL) return jali_fail_memory(err);
        sheet->column[i] = column;
    }
    sheet->room = room;
    return JALI_OK;
}

void jali_sheet_clear(jali_sheet *sheet)
{
    for (size_t i = 0; i < sheet->n_names; i++) free(sheet->column[i]);
    free(sheet->with);
    jali_arena_clear(&sheet->arena);
    *sheet = (jali_sheet){ 0 };
}

/* A feature that no output had before: absent in all of them. */
static bool add_name(jali_sheet *sheet, const char *path)
{
    if (sheet->n_names == JALI_AUDIT_FEATURES) return false;
    const char *name = jali_arena_text(&sheet->arena, path);
    jali_feature *column = calloc(sheet->room, sizeof *column);
    if (name == NULL || column == NULL) {
        free(column);
        return false;
    }
    sheet->column[sheet->n_names] = column;
    sheet->name[sheet->n_names++] = name;
    return true;
}

/* The place of a feature; NULL when there are too many already, or no memory. */
static jali_feature *place(jali_sheet *sheet, const char *path)
{
    size_t i = sheet->next;
    if (i >= sheet->n_names || strcmp(sheet->name[i], path) != 0)
        for (i = 0; i < sheet->n_names && strcmp(sheet->name[i], path) != 0;) i++;
    if (i == sheet->n_names && !add_name(sheet, path)) return NULL;
    sheet->next = i + 1;
    return &sheet->column[i][sheet->rows];
}

static void put_word(jali_sheet *sheet, const char *path, const char *word)
{
    jali_feature *f = place(sheet, path);
    char *end;
    if (f == NULL) return;
    double number = strtod(word, &end);
    if (end != word && *end == '\0')
        *f = (jali_feature){ .kind = 'n', .number = number };
    else
        *f = (jali_feature){ .kind = 'w', .word = XXH3_64bits(word, strlen(word)) };
}

static void put_number(jali_sheet *sheet, const char *path, double number)
{
    jali_feature *f = place(sheet, path);
    if (f != NULL) *f = (jali_feature){ .kind = 'n', .number = number };
}

/* Which words stand in a list, in which order: the first text of each member. */
static void put_order(jali_sheet *sheet, const char *path, const json_t *list)
{
    uint64_t print = 0;
    json_t *member, *inner;
    const char *key;
    size_t i, words = 0;
    json_array_foreach(list, i, member)
    {
        const char *word = json_string_value(member);
        json_object_foreach(member, key, inner)
        {
            if (word == NULL) word = json_string_value(inner);
        }
        if (word == NULL) continue;
        print = XXH3_64bits_withSeed(word, strlen(word), print);
        words++;
    }
    jali_feature *f = words < 2 ? NULL : place(sheet, path);
    if (f != NULL) *f = (jali_feature){ .kind = 'w', .word = print };
}

/* Ids, charges and budgets are not released values; their differences would be bugs of the
 * kind that the audit of silence looks for, not this one. */
static void walk(jali_sheet *sheet, const char *path, const json_t *value)
{
    char below[256];
    const char *key;
    json_t *member;
    size_t i;
    if (json_is_object(value)) {
        json_object_foreach((json_t *)value, key, member)
        {
            snprintf(below, sizeof below, "%s.%s", path, key);
            walk(sheet, below, member);
        }
    } else if (json_is_array(value)) {
        snprintf(below, sizeof below, "%s.size", path);
        put_number(sheet, below, (double)json_array_size(value));
        snprintf(below, sizeof below, "%s.order", path);
        put_order(sheet, below, value);
        json_array_foreach(value, i, member)
        {
            snprintf(below, sizeof below, "%s[%zu]", path, i);
            walk(sheet, below, member);
        }
    } else if (json_is_string(value)) {
        put_word(sheet, path, json_string_value(value));
    } else if (json_is_number(value)) {
        put_number(sheet, path, json_number_value(value));
    } else {
        put_word(sheet, path, json_is_true(value) ? "yes" : json_is_false(value) ? "no" : "-");
    }
}

jali_status jali_sheet_add(jali_sheet *sheet, bool with, const jali_output *output,
                           jali_err *err)
{
    json_t *value;
    JALI_TRY(make_room(sheet, err));
    for (size_t i = 0; i < sheet->n_names; i++)
        sheet->column[i][sheet->rows] = (jali_feature){ 0 };
    sheet->next = 0;
    sheet->with[sheet->rows] = with;
    put_number(sheet, "exit", output->exit_code);
    put_word(sheet, "stderr", output->err);
    value = json_loads(output->out, JSON_REJECT_DUPLICATES, NULL);
    if (value == NULL)
        put_word(sheet, "stdout", output->out);
    else
        walk(sheet, "", value);
    json_decref(value);
    sheet->rows++;
    return JALI_OK;
}

bool jali_output_paid(const jali_output *output, jali_loss *loss)
{
    json_t *value = json_loads(output->out, JSON_REJECT_DUPLICATES, NULL);
    const json_t *paid = json_object_get(value, "paid");
    bool good = paid != NULL && jali_loss_from_json(loss, paid, "paid", NULL) == JALI_OK;
    json_decref(value);
    return good;
}
