/* bench/intake.h — a generated table as column files, and how much memory work takes. */
#ifndef JALI_BENCH_INTAKE_H
#define JALI_BENCH_INTAKE_H

#include "engine/columns.h"
#include "jali.h"

/* Writes what `o` generates as the n columns of `folder`. Codes are the numbers of the CSV:
 * value i of an attribute is called i. */
void bench_mock_columns(const char *folder, const jali_mock_options *o,
                        const char *const *names, const uint64_t *domain, size_t n);

/* Every column mapped and checked. */
jali_columns *bench_columns_open(const char *folder);

/* By how much a process grows in work(self), once every mapped page is there. A child of its
 * own measures it: prepare(self) opens the columns there. */
double bench_growth_mb(jali_columns *(*prepare)(void *self), void (*work)(void *self),
                       void *self);

#endif
