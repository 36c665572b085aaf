"""The report of replays: `entry` is one of them, `report` writes the folder.

`page` sets the page from `curves`, `rankbars`, `heatmap` and `wholetable`; `reportfiles` has the numbers for programs,
and `summary` prints the most important ones.  `afterwards` reports on a replay under MPI.
"""
