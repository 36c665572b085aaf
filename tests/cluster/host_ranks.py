"""Run as ranks: prints for each rank a line with its number and the name of its host."""

import socket

from mpi4py import MPI

comm = MPI.COMM_WORLD
for rank, host in enumerate(comm.gather(socket.gethostname()) or ()):
    print(rank, host)
