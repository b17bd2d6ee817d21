/* mpi/line.h — the line between the processes of jali-tally, by MPI. */
#ifndef JALI_MPI_LINE_H
#define JALI_MPI_LINE_H

#include "jali.h"

typedef struct mpi_line {
    uint64_t told, heard; /* bytes that rank 0 sent to one other rank, and got from one */
} mpi_line;

/* After MPI_Init: a crew over everybody. *line must outlive it. */
jali_crew mpi_crew(mpi_line *line);

#endif
