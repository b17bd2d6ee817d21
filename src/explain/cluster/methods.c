/* explain/cluster/methods.c — the methods that there are.
 *
 * No claim: a table. Each method's file has its own.
 */
#include "explain/cluster/methods.h"
#include "base/text.h"

const jali_method *const jali_methods[] = { &jali_method_refined, &jali_method_dpm,
                                            &jali_method_lsh,     &jali_method_lloyd,
                                            &jali_method_cover,   &jali_method_grid,
                                            &jali_method_modes,   &jali_method_rules,
                                            &jali_method_given,   NULL };

jali_status jali_method_find(const char *name, const jali_method **out, jali_err *err)
{
    const char *names[64];
    size_t n = 0;
    for (; jali_methods[n] != NULL; n++) {
        names[n] = jali_methods[n]->name;
        if (strcmp(name, names[n]) != 0) continue;
        *out = jali_methods[n];
        return JALI_OK;
    }
    const char *near = jali_text_nearest(name, names, n);
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "there is no method \"%.40s\"%s%s%s; jali cluster --help lists them", name,
                     near == NULL ? "" : " (did you mean \"", near == NULL ? "" : near,
                     near == NULL ? "" : "\"?)");
}
