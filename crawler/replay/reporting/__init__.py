"""The report of replays: `entry` is one of them, `report` writes the folder.

`html_page` sets the page from `curves`, `rank_bars`, `heatmap` and `full_table`; `report_files` has the numbers for
programs, and `summary` prints the most important ones.  An `answer` stands first, and `clock` says what time was
reckoned by.  `replay_report` reports on a replay under MPI.
"""
