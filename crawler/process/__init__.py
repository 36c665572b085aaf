"""What every process of Cutweb needs, whatever it does.

Signals: `stop_signals` for ranks, which `end_at_once` ends at the second one, `exit_on_signal` for commands with C code
in the way, and `killed_after` where no handler runs; `exit_codes` are what a crawl leaves with, `process_tree` is what
a process has started.  Limits: `file_limits`; what is used: `usage`.  MPI: `mpi_environment` tells whether this process
is a rank, `mpi_wait` waits for others asleep, `common_clock` dates what they write, `attendance` says to threads beside
the loop where a rank waits, a `sole_rank` needs no MPI, and `shared_memory` is what killed ranks leave behind.  Words:
`terminal` is the one way to standard output and standard error, on which `console`, `printing` and `progress_line`
stand; `problems` are said in one line, answers in `answer_lines`.
"""
