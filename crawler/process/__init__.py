"""What every process of Cutweb needs, whatever it does.

Signals: `stop_signals` for ranks, `exit_on_signal` for commands with C code in the way.  Limits: `file_limits`.  MPI:
`mpi_environment` tells whether this process is a rank, `mpi_wait` waits for others asleep, and a `sole_rank` needs no
MPI.  Words: `terminal` is the one way to standard output and standard error, on which `console`, `printing`,
`progress_line` and `refusing` stand.
"""
