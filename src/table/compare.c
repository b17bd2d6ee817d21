/* table/compare.c — the codes that a comparison with a constant selects. */
#include "base/text.h"
#include "table/inside.h"

static jali_status refuse_type(const jali_field *f, const char *constant, jali_err *err)
{
    const char *wanted = f->type == JALI_DATE ? "a date like 2024-12-31" : "a number";
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "%s is compared with \"%.60s\", which is not %s", f->name, constant,
                     wanted);
}

static jali_status category_range(const jali_field *f, jali_compare op, const char *constant,
                                  uint64_t *from, uint64_t *to, jali_err *err)
{
    if (op != JALI_EQ)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "%s is a category and has no order; use = or IN", f->name);
    int32_t code = jali_field_word(f, constant, strlen(constant));
    if (code < 0 && f->other >= 0 && strcmp(constant, f->values[f->other]) == 0)
        code = f->other;
    if (code >= 0) {
        *from = *to = (uint64_t)code;
        return JALI_OK;
    }
    const char *near = jali_text_nearest(constant, f->values, f->n_values);
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "\"%.60s\" is not a value of %s%s%s%s", constant, f->name,
                     near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

/* A number known by bins: only its edges can be compared with, as x < edge or x >= edge. */
static jali_status binned_range(const jali_field *f, jali_compare op, const char *constant,
                                uint64_t *from, uint64_t *to, jali_err *err)
{
    jali_scaled v;
    bool exact;
    for (uint32_t b = 0; op == JALI_EQ && b < f->n_bins; b++) {
        if (strcmp(constant, f->values[b]) != 0) continue;
        *from = *to = b;
        return JALI_OK;
    }
    if (!jali_scaled_scan(&v, constant, strlen(constant), '.', f->cut[0].digits))
        return refuse_type(f, constant, err);
    int64_t at = jali_scaled_floor(&v, 1, &exact);
    uint32_t i = 0;
    while (i <= f->n_bins && f->cut[i].units < at) i++;
    bool edge = exact && i <= f->n_bins && f->cut[i].units == at;
    bool last = edge && i == f->n_bins;
    bool good = op == JALI_LT || op == JALI_GE   ? edge && !last
                : op == JALI_LE || op == JALI_GT ? last
                                                 : false;
    if (!good)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "%s is known in bins such as %s only; compare by < or >= with an edge",
                         f->name, f->values[0]);
    *from = op == JALI_GE || op == JALI_GT ? i : 0;
    *to = op == JALI_LT ? (uint64_t)i - 1 : (uint64_t)f->n_bins - 1;
    if (op == JALI_LT && i == 0) *from = 1, *to = 0;
    return JALI_OK;
}

static jali_status constant_steps(const jali_field *f, const char *constant, int64_t *steps,
                                  bool *exact, jali_err *err)
{
    jali_scaled v;
    *exact = true;
    if (f->type == JALI_DATE) {
        if (jali_date_scan(steps, constant, strlen(constant))) return JALI_OK;
        return refuse_type(f, constant, err);
    }
    if (!jali_scaled_scan(&v, constant, strlen(constant), '.', f->step.digits))
        return refuse_type(f, constant, err);
    *steps = jali_scaled_floor(&v, f->step.units, exact);
    return JALI_OK;
}

jali_status jali_field_range(const jali_field *field, jali_compare op, const char *constant,
                             uint64_t *from, uint64_t *to, jali_err *err)
{
    if (field->binned) return binned_range(field, op, constant, from, to, err);
    if (field->kind == JALI_CATEGORY) return category_range(field, op, constant, from, to, err);
    int64_t at, low = field->low, high = field->high;
    bool exact;
    JALI_TRY(constant_steps(field, constant, &at, &exact, err));
    if (op == JALI_EQ && !exact) at = high + 1; /* between two steps: no value is equal */
    int64_t first = op == JALI_EQ || (op == JALI_GE && exact) ? at
                    : op == JALI_GT || op == JALI_GE          ? at + 1
                                                              : low;
    int64_t last = op == JALI_EQ || op == JALI_LE ? at : op == JALI_LT ? at - exact : high;
    if (first < low) first = low;
    if (last > high) last = high;
    bool none = first > last;
    *from = none ? 1 : (uint64_t)(first - low);
    *to = none ? 0 : (uint64_t)(last - low);
    return JALI_OK;
}
