/* mpi/line.c — the line between the processes of jali-tally, by MPI.
 *
 * Sums are of whole numbers, so that the order in which a network adds them does not matter:
 * rank 0 gets the same cells whatever the number of ranks.
 */
#include "mpi/line.h"
#include <limits.h>
#include <mpi.h>

enum { CHUNK = 1 << 26 }; /* items a message: MPI counts them in an int */

static size_t piece(size_t left)
{
    return left < CHUNK ? left : CHUNK;
}

static bool tell(void *self, void *bytes, size_t n)
{
    mpi_line *line = self;
    char *at = bytes;
    line->told += n;
    for (size_t some; n > 0; at += some, n -= some) {
        some = piece(n);
        if (MPI_Bcast(at, (int)some, MPI_BYTE, 0, MPI_COMM_WORLD) != MPI_SUCCESS) return false;
    }
    return true;
}

static bool reduce(uint64_t *at, size_t n, MPI_Datatype type, MPI_Op how)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (size_t some; n > 0; at += some, n -= some) {
        some = piece(n);
        if (MPI_Reduce(rank == 0 ? MPI_IN_PLACE : at, rank == 0 ? at : NULL, (int)some, type,
                       how, 0, MPI_COMM_WORLD) != MPI_SUCCESS)
            return false;
    }
    return true;
}

static bool add(void *self, int64_t *cell, size_t n)
{
    mpi_line *line = self;
    line->heard += n * sizeof *cell;
    return reduce((uint64_t *)cell, n, MPI_INT64_T, MPI_SUM);
}

static bool either(void *self, uint64_t *word, size_t n)
{
    mpi_line *line = self;
    line->heard += n * sizeof *word;
    return reduce(word, n, MPI_UINT64_T, MPI_BOR);
}

static bool gather(void *self, const void *bytes, size_t n, void *out)
{
    mpi_line *line = self;
    bool words = n % 8 == 0;
    size_t items = words ? n / 8 : n;
    MPI_Datatype type = words ? MPI_UINT64_T : MPI_BYTE;
    line->heard += n;
    return items <= INT_MAX && MPI_Gather(bytes, (int)items, type, out, (int)items, type, 0,
                                          MPI_COMM_WORLD) == MPI_SUCCESS;
}

jali_crew mpi_crew(mpi_line *line)
{
    int rank, ranks;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return (jali_crew){ .rank = (unsigned)rank,
                        .ranks = (unsigned)ranks,
                        .tell = tell,
                        .add = add,
                        .either = either,
                        .gather = gather,
                        .self = line };
}
