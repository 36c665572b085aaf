"""From a command line to running ranks, and to the words at the end.

`start_ranks` makes this process a rank of an MPI run, or calls mpiexec (`launched_ranks`).  Before MPI begins ranks say
in a folder that they have come (`arrivals`), and nobody waits for others beyond a limit (`start_limit`).  Rank 0 makes
a `plan`, or a `resume_plan` that takes a session over; both make all `checks` before anything is written
(`earlier_ranks`: nobody else crawls the session; `map_agreement`: every rank has the same partition map; `scratch`:
there is such a folder; `common_ground`: all see one folder by one version; `order_checks`, `worklist_checks` and
`rule_checks`).  Of a session that goes on rank 0 tells the others what they need (`told_session`), and all look whether
its tables are `undamaged`.  `operator_wish` is how a crawl is paused or stopped from outside.  `remaining_limits` is
what earlier runs of a session left of its limits.  `closing_message` says why a run ended, or could not go on, and what
to do next.  `working_together` is for ranks that do not crawl: those of `cutweb partition --ranks`.
"""
