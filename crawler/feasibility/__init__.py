"""Whether a web can be crawled: reckoned from what a session cost a page, for `cutweb feasibility` and docs/scale.md.

`page_costs` reads off a session what a page cost.  `random_web` says how many URLs wait at a time, `cluster_needs` what
ranks need of memory, disk and network; it goes by `drum_overhead_model` and `budget_disk_model`, what IRLbot's paper
says of the disk.  `volunteer_needs` has the reckoning of Anansi's thesis.  `reckoning` brings a session, a number of
pages and one of ranks together.
"""
