/* http/patience.c — who sends or takes too slowly is cut off.
 *
 * The library ends connections on which nothing moves; a byte now and then would hold one for
 * ever. So a request must arrive whole within the server's patience, counted from the opening
 * of the connection or from the reply before, and its reply must be taken within the same time.
 */
#define _GNU_SOURCE
#include "http/server.h"
#include <stdlib.h>
#include <sys/socket.h>

static void comes(http_server *s, struct MHD_Connection *connection, void **guest)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    http_guest *g = info == NULL ? NULL : calloc(1, sizeof *g);
    *guest = g;
    if (g == NULL) return;
    g->fd = info->connect_fd;
    g->until_ms = http_now_ms() + s->patience_ms;
    pthread_mutex_lock(&s->guests);
    g->after = s->guest;
    if (g->after != NULL) g->after->before = g;
    s->guest = g;
    pthread_mutex_unlock(&s->guests);
}

static void goes(http_server *s, http_guest *g)
{
    if (g == NULL) return;
    pthread_mutex_lock(&s->guests);
    if (g->before != NULL)
        g->before->after = g->after;
    else
        s->guest = g->after;
    if (g->after != NULL) g->after->before = g->before;
    pthread_mutex_unlock(&s->guests);
    free(g);
}

void http_guest_comes(void *self, struct MHD_Connection *connection, void **guest,
                      enum MHD_ConnectionNotificationCode what)
{
    if (what == MHD_CONNECTION_NOTIFY_STARTED)
        comes(self, connection, guest);
    else
        goes(self, *guest);
}

void http_guest_wait(http_server *s, http_guest *guest, bool working)
{
    if (guest == NULL) return;
    pthread_mutex_lock(&s->guests);
    guest->until_ms = working ? 0 : http_now_ms() + s->patience_ms;
    pthread_mutex_unlock(&s->guests);
}

/* The descriptor is the library's: we only say that nothing more will come. It is closed after
 * its guest has gone from the list, so it is nobody else's here. */
void http_guests_cut(http_server *s, int64_t now_ms)
{
    pthread_mutex_lock(&s->guests);
    for (http_guest *g = s->guest; g != NULL; g = g->after)
        if (g->until_ms != 0 && g->until_ms <= now_ms) {
            shutdown(g->fd, SHUT_RDWR);
            g->until_ms = 0;
        }
    pthread_mutex_unlock(&s->guests);
}
