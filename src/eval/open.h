/* eval/open.h — clusterings that are not private, as methods: for public vaults only.
 *
 * door/ looks here after the table of private methods, and refuses these for a vault with
 * somebody to protect.
 */
#ifndef JALI_EVAL_OPEN_H
#define JALI_EVAL_OPEN_H

#include "explain/cluster/cluster.h"

extern const jali_method *const jali_open_methods[]; /* ends with NULL */

/* The method of that name among both tables; refused with the nearest. */
JALI_MUST_USE jali_status jali_any_method_find(const char *name, const jali_method **out,
                                               jali_err *err);

#endif
