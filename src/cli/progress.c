/* cli/progress.c — one line on stderr, when it is a terminal and the work is long. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"
#include <unistd.h>

enum { SILENT_MS = 500 };

static void tell(void *self, const char *what, uint64_t done, uint64_t total)
{
    cli_meter *meter = self;
    int64_t passed = cli_now_ms() - meter->start_ms;
    if (passed < SILENT_MS) return;
    meter->shown = true;
    double rate = (double)done * 1000.0 / (double)passed;
    if (total == 0)
        fprintf(stderr, "\r\033[K%s: %.3g done, %.3g a second", what, (double)done, rate);
    else
        fprintf(stderr, "\r\033[K%s: %3.0f%%, %.3g a second, %.0f s left", what,
                100.0 * (double)done / (double)total, rate,
                rate > 0 ? (double)(total - done) / rate : 0.0);
    fflush(stderr);
}

jali_progress cli_progress(cli_call *call, cli_meter *meter)
{
    (void)call;
    *meter = (cli_meter){ .start_ms = cli_now_ms() };
    bool terminal = isatty(STDERR_FILENO) == 1;
    return (jali_progress){ .tell = terminal ? tell : NULL, .self = meter };
}

void cli_progress_end(cli_meter *meter)
{
    if (meter->shown) fprintf(stderr, "\r\033[K");
}
