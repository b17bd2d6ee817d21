/* tally/groups.c — which of a few public groups a record belongs to, as a label.
 *
 * Every column has a table from code to the set of groups that want it, one bit a group; a
 * record's group is the bit that all its columns agree on. The same work for every row.
 */
#include "tally/groups.h"
#include "base/text.h"
#include "engine/codes.h"
#include <inttypes.h>

enum { TABLE_DOMAIN = 65536, EVERYBODY = 0xffff };

typedef struct column {
    const uint16_t *table; /* NULL: the domain is too large, codes are compared */
    uint64_t code[JALI_GROUPS_MAX];
} column;

typedef struct labeller {
    size_t n_columns;
    unsigned n;
    column column[JALI_GROUPS_COLUMNS];
    const uint16_t *direct; /* one column: code to label at once */
} labeller;

#define LOOK_UP(type, what)                                                                    \
    for (size_t i = 0; i < rows; i++) out[i] what table[((const type *)codes)[i]]

static void look_up(const uint16_t *table, const void *codes, unsigned width, size_t rows,
                    uint16_t *out)
{
    if (width == 1)
        LOOK_UP(uint8_t, =);
    else if (width == 2)
        LOOK_UP(uint16_t, =);
    else
        LOOK_UP(uint32_t, =);
}

static void narrow(const uint16_t *table, const void *codes, unsigned width, size_t rows,
                   uint16_t *out)
{
    if (width == 1)
        LOOK_UP(uint8_t, &=);
    else if (width == 2)
        LOOK_UP(uint16_t, &=);
    else
        LOOK_UP(uint32_t, &=);
}

static void compare(const labeller *l, const column *c, const void *codes, unsigned width,
                    size_t rows, uint16_t *out)
{
    for (size_t i = 0; i < rows; i++) {
        uint64_t code = jali_code_at(codes, width, i);
        unsigned wanted = 0;
        for (unsigned g = 0; g < l->n; g++) wanted |= (unsigned)(c->code[g] == code) << g;
        out[i] &= (uint16_t)wanted;
    }
}

static void label(void *self, const jali_block *block, uint16_t *out)
{
    const labeller *l = self;
    if (l->direct != NULL) {
        look_up(l->direct, block->codes[0], block->width[0], block->rows, out);
        return;
    }
    for (size_t i = 0; i < block->rows; i++) out[i] = EVERYBODY;
    for (size_t k = 0; k < l->n_columns; k++) {
        const column *c = &l->column[k];
        if (c->table != NULL)
            narrow(c->table, block->codes[k], block->width[k], block->rows, out);
        else
            compare(l, c, block->codes[k], block->width[k], block->rows, out);
    }
    /* The bit behind the last group is everybody else's. */
    for (size_t i = 0; i < block->rows; i++)
        out[i] = (uint16_t)__builtin_ctz(out[i] | 1u << l->n);
}

/* The same as SQL: groups are apart, so the order in which they are asked for is free. */
static bool write_sql(const void *from, const char *const *code, jali_text *out)
{
    const labeller *l = from;
    jali_text_add(out, "CASE");
    for (unsigned g = 0; g < l->n; g++) {
        jali_text_add(out, " WHEN true");
        for (size_t k = 0; k < l->n_columns; k++)
            jali_text_format(out, " AND %s = %" PRIu64, code[k], l->column[k].code[g]);
        jali_text_format(out, " THEN %u", g);
    }
    jali_text_format(out, " ELSE %u END", l->n);
    return true;
}

static bool equal(const jali_groups *groups, unsigned g, unsigned h)
{
    for (size_t k = 0; k < groups->n_columns; k++)
        if (groups->code[g][k] != groups->code[h][k]) return false;
    return true;
}

static jali_status check(const jali_groups *groups, jali_err *err)
{
    if (groups->n == 0 || groups->n > JALI_GROUPS_MAX ||
        groups->n_columns > JALI_GROUPS_COLUMNS)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "a question compares 1 to %d groups of at most %d columns",
                         JALI_GROUPS_MAX, JALI_GROUPS_COLUMNS);
    for (unsigned g = 0; g < groups->n; g++)
        for (size_t k = 0; k < groups->n_columns; k++)
            if (groups->code[g][k] >= groups->domain[k])
                return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                                 "a group is not in the domain of \"%.100s\"",
                                 groups->column[k]);
    for (unsigned g = 0; g < groups->n; g++)
        for (unsigned h = 0; h < g; h++)
            if (equal(groups, g, h))
                return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                                 "a question names the same group twice; add its weights up");
    return JALI_OK;
}

/* wanted[c]: the groups that want code c, or with `direct` the label itself. */
static const uint16_t *table_of(const jali_groups *groups, size_t k, bool direct,
                                jali_arena *arena)
{
    uint16_t *table = jali_arena_take(arena, (size_t)groups->domain[k] + 1, sizeof *table);
    if (table == NULL) return NULL;
    for (uint64_t c = 0; direct && c < groups->domain[k]; c++) table[c] = (uint16_t)groups->n;
    for (unsigned g = 0; g < groups->n; g++) {
        uint16_t *at = &table[groups->code[g][k]];
        *at = direct ? (uint16_t)g : (uint16_t)(*at | 1u << g);
    }
    return table;
}

jali_status jali_groups_label(jali_label *out, const jali_groups *groups, jali_arena *arena,
                              jali_err *err)
{
    JALI_TRY(check(groups, err));
    labeller *l = jali_arena_take(arena, 1, sizeof *l);
    jali_groups *copy = jali_arena_take(arena, 1, sizeof *copy);
    const char **names = jali_arena_take(arena, JALI_GROUPS_COLUMNS, sizeof *names);
    if (l == NULL || copy == NULL || names == NULL) return jali_fail_memory(err);
    *copy = *groups;
    l->n_columns = groups->n_columns;
    l->n = groups->n;
    bool direct = groups->n_columns == 1 && groups->domain[0] <= TABLE_DOMAIN;
    for (size_t k = 0; k < groups->n_columns; k++) {
        names[k] = groups->column[k];
        for (unsigned g = 0; g < groups->n; g++) l->column[k].code[g] = groups->code[g][k];
        if (groups->domain[k] > TABLE_DOMAIN) continue;
        l->column[k].table = table_of(groups, k, direct, arena);
        if (l->column[k].table == NULL) return jali_fail_memory(err);
    }
    if (direct) l->direct = l->column[0].table;
    *out = (jali_label){ .labels = groups->n + 1,
                         .n = groups->n_columns,
                         .columns = names,
                         .label = label,
                         .self = l,
                         .sql = write_sql,
                         .from = l,
                         .made = JALI_LABEL_GROUPS,
                         .of = copy };
    return JALI_OK;
}
