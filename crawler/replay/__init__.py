"""A crawl whose pages come from a recorded session (docs/replay.md).

`command` is ``cutweb replay``.  Under MPI, `plan` makes of what is asked for (`command_line`, `replay_options`,
`settings`) a plan, and `replay_rank` puts the crawl's own rank together around a `recording` of the session (`source`,
`recording_seeds`): the web is a `recordedweb`, which answers at once, or has a clock that the ranks share
(`virtualtime`).  The `course` of it can be read from the session when it has ended.  `warnings` are what a reader has
to know before the figures.

Without MPI (`single_process`) the same course is computed for any number of ranks (`estimating`, `estimation`), from
the `ownership` of every URL; with a clock, the ranks are coroutines of one process (`simulation`).  `as_crawl` has the
options of the crawl that either is.  From a course come the figures (`measuring`) and the report (`reporting`).
`foresight` replays later sessions under partitions of earlier ones; `advice` recommends a partition for the next crawl,
by its `costs` in `trials` of what that may find; `advice_answer` and `advice_page` say so.
"""
