/* audit/cases_random.c — neighbouring tables and questions that nobody thought of, from a seed.
 *
 * A case is its number: the same on every machine. Its numbers come from a generator of its
 * own, because nothing here is noise. The tables are small, and their cells often at the
 * bounds, beyond them or missing, since that is where mistakes are.
 */
#include "audit/cases.h"
#include "base/text.h"
#include <stdarg.h>

enum { GROUPS = 3, KINDS = 2, LOW = -20, HIGH = 80, MAX_ROWS = 9, ID = 77, MAX_M = 3 };

typedef struct chance {
    uint64_t state;
} chance;

/* splitmix64 */
static uint64_t roll(chance *c, uint64_t sides)
{
    uint64_t z = c->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (z ^ (z >> 31)) % sides;
}

/* ---- tables --------------------------------------------------------------------------- */

static void add_number(jali_text *t, chance *c)
{
    switch (roll(c, 8)) {
    case 0:
    case 1:
        jali_text_format(t, ",%d", LOW);
        break;
    case 2:
    case 3:
        jali_text_format(t, ",%d", HIGH);
        break;
    case 4:
        jali_text_add(t, ",");
        break;
    case 5:
        jali_text_add(t, roll(c, 2) == 0 ? ",999999" : ",-999999");
        break;
    default:
        jali_text_format(t, ",%d", LOW + (int)roll(c, HIGH - LOW + 1));
    }
}

static void add_row(jali_text *t, chance *c)
{
    if (roll(c, 10) > 0) jali_text_format(t, "%c", (int)('a' + roll(c, GROUPS)));
    jali_text_add(t, ",");
    if (roll(c, 10) > 0) jali_text_format(t, "%c", (int)('u' + roll(c, KINDS)));
    add_number(t, c);
    add_number(t, c);
    jali_text_add(t, "\n");
}

/* `m` is 0 where every row is a person. */
static void add_rows(jali_text *t, chance *c, unsigned m)
{
    uint64_t n = 1 + roll(c, MAX_ROWS);
    jali_text_add(t, m == 0 ? "g,k,x,y\n" : "id,g,k,x,y\n");
    for (uint64_t i = 0; i < n; i++) {
        if (m > 0) jali_text_format(t, "%d,", (int)roll(c, 5));
        add_row(t, c);
    }
}

/* Everybody's rows, perhaps more than are kept. */
static void add_person(jali_text *t, chance *c, unsigned m)
{
    uint64_t n = m == 0 ? 1 : 1 + roll(c, m + 2);
    for (uint64_t i = 0; i < n; i++) {
        if (m > 0) jali_text_format(t, "%d,", ID);
        add_row(t, c);
    }
}

static void add_schema(jali_text *t, unsigned m)
{
    jali_text_add(t, "{\"name\":\"t\",");
    if (m > 0) jali_text_format(t, "\"jali\":{\"person\":\"id\",\"rowsPerPerson\":%u},", m);
    jali_text_add(t, "\"fields\":[");
    if (m > 0)
        jali_text_add(t, "{\"name\":\"id\",\"type\":\"integer\",\"constraints\":"
                         "{\"minimum\":0,\"maximum\":99}},");
    jali_text_format(
        t,
        "{\"name\":\"g\",\"type\":\"string\",\"constraints\":{\"enum\":[\"a\",\"b\",\"c\"]}},"
        "{\"name\":\"k\",\"type\":\"string\",\"constraints\":{\"enum\":[\"u\",\"v\"]}},"
        "{\"name\":\"x\",\"type\":\"integer\",\"constraints\":{\"minimum\":%d,\"maximum\":%d}},"
        "{\"name\":\"y\",\"type\":\"integer\",\"constraints\":{\"minimum\":%d,\"maximum\":%d}}"
        "]}",
        LOW, HIGH, LOW, HIGH);
}

/* ---- questions ------------------------------------------------------------------------ */

static void say(const char **words, ...)
{
    va_list more;
    size_t n = 0;
    while (words[n] != NULL) n++;
    va_start(more, words);
    for (const char *w; n < JALI_AUDIT_WORDS - 1 && (w = va_arg(more, const char *)) != NULL;)
        words[n++] = w;
    va_end(more);
}

static const char *pick(chance *c, size_t n, const char *const *from)
{
    return from[roll(c, n)];
}

#define PICK(c, ...)                                                                           \
    pick(c, sizeof(const char *[]){ __VA_ARGS__ } / sizeof(char *),                            \
         (const char *[]){ __VA_ARGS__ })

static void ask(jali_audit_case *k, chance *c)
{
    k->verb = "ask";
    say(k->command, "ask", "VAULT",
        PICK(c, "SELECT g, SUM(x), COUNT(*) FROM t GROUP BY g",
             "SELECT k, AVG(y) FROM t GROUP BY k", "SELECT g, k, COUNT(*) FROM t GROUP BY g, k",
             "SELECT COUNT(x), SUM(y) FROM t WHERE x >= 40 OR k = 'u'",
             "SELECT SUM(x) FROM t WHERE NOT (g = 'a' AND x > 70) AND y IS NOT NULL"),
        NULL);
}

static void why(jali_audit_case *k, chance *c)
{
    k->verb = "why";
    say(k->prepare, "ask", "VAULT",
        PICK(c, "SELECT g, AVG(x) FROM t GROUP BY g", "SELECT g, SUM(x) FROM t GROUP BY g",
             "SELECT g, COUNT(*) FROM t GROUP BY g"),
        "--epsilon", "1", NULL);
    say(k->command, "why", "VAULT", "r1", PICK(c, "a > b", "b > c", "a + b > 2 * c", "a > 3"),
        NULL);
}

static void profile(jali_audit_case *k, chance *c)
{
    k->verb = "profile";
    say(k->command, "profile", "VAULT",
        PICK(c, "{\"rules\":[\"g = 'a'\",\"g = 'b'\"]}", "{\"rules\":[\"x < 0\",\"y > 70\"]}",
             "{\"rules\":[\"k = 'u' AND x > 0\"]}"),
        "--columns", "g", "k", "--method", PICK(c, "all", "paper"), NULL);
}

static void contrast(jali_audit_case *k, chance *c)
{
    k->verb = "contrast";
    say(k->command, "contrast", "VAULT", "plan", "--columns", "x,y", "--cells", "256",
        "--centres", PICK(c, "1", "2"), "--objective", PICK(c, "median", "means"), NULL);
    if (roll(c, 2) == 0) say(k->command, "--tight", NULL);
}

static void cluster(jali_audit_case *k, chance *c)
{
    k->verb = "cluster";
    say(k->command, "cluster", "VAULT", "--columns", PICK(c, "x,y", "x", "y,g:onehot"),
        "--clusters", "2", "--method", PICK(c, "refined", "lloyd", "lsh"), NULL);
}

static void (*const verbs[])(jali_audit_case *, chance *) = { ask,      why,     profile,
                                                              contrast, cluster, ask };

jali_status jali_case_random(jali_audit_case *out, unsigned number, jali_arena *arena,
                             jali_err *err)
{
    chance c = { .state = number };
    jali_text schema = { 0 }, rows = { 0 }, person = { 0 };
    unsigned m = (unsigned)roll(&c, MAX_M + 1);
    bool pure = roll(&c, 2) == 0;
    *out = (jali_audit_case){ .delta = pure ? "0" : "1e-6", .runs = JALI_RUNS_RANDOM };
    add_schema(&schema, m);
    add_rows(&rows, &c, m);
    add_person(&person, &c, m);
    verbs[number % (sizeof verbs / sizeof *verbs)](out, &c);
    say(out->command, pure ? "--epsilon" : "--rho", pure ? "2" : "1", NULL);
    jali_status status =
        schema.failed || rows.failed || person.failed ? jali_fail_memory(err) : JALI_OK;
    if (status == JALI_OK) {
        out->name = jali_arena_format(arena, "random.%u", number);
        out->tries =
            jali_arena_format(arena, "%s: a table and a person from a seed", out->verb);
        out->schema = jali_arena_text(arena, schema.at);
        out->rows = jali_arena_text(arena, rows.at);
        out->person = jali_arena_text(arena, person.at);
        if (out->name == NULL || out->tries == NULL || out->schema == NULL ||
            out->rows == NULL || out->person == NULL)
            status = jali_fail_memory(err);
    }
    jali_text_clear(&schema);
    jali_text_clear(&rows);
    jali_text_clear(&person);
    return status;
}
