/* base/progress.h — how far a long piece of work has come, for those who may know. */
#ifndef JALI_BASE_PROGRESS_H
#define JALI_BASE_PROGRESS_H

#include "jali.h"

/* Tells the listener, at most five times a second and once at the end. `listener` may be
 * NULL: then nothing happens, which is what every analyst's request gets. */
typedef struct jali_meter {
    const jali_progress *listener;
    const char *what;
    uint64_t total, told_ns;
} jali_meter;

void jali_meter_init(jali_meter *meter, const jali_progress *listener, const char *what,
                     uint64_t total);
void jali_meter_tell(jali_meter *meter, uint64_t done);

#endif
