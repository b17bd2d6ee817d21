/* base/progress.c — how far a long piece of work has come, for those who may know. */
#define _POSIX_C_SOURCE 200809L
#include "base/progress.h"
#include "base/banned.h"

enum { NS_BETWEEN = 200000000 };

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void jali_meter_init(jali_meter *meter, const jali_progress *listener, const char *what,
                     uint64_t total)
{
    *meter = (jali_meter){ listener, what, total, listener == NULL ? 0 : now_ns() };
}

void jali_meter_tell(jali_meter *meter, uint64_t done)
{
    if (meter->listener == NULL || meter->listener->tell == NULL) return;
    uint64_t now = now_ns();
    if (done < meter->total && now - meter->told_ns < NS_BETWEEN) return;
    meter->told_ns = now;
    meter->listener->tell(meter->listener->self, meter->what, done, meter->total);
}
