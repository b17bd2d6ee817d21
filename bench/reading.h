/* bench/reading.h — the time of reading columns once, which other times are held against. */
#ifndef JALI_BENCH_READING_H
#define JALI_BENCH_READING_H

#include "engine/columns.h"

enum { BENCH_ROUNDS = 9 };

/* The sum of all bytes, by vector loads. */
uint64_t bench_read_once(const jali_columns *columns);

/* Median CPU time of reading the columns (*read) and of `work`, in turns. */
double bench_in_turns(const jali_columns *columns, void (*work)(void *), void *self,
                      double *read);

#endif
