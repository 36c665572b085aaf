"""A crawl whose pages come from a recorded session (docs/replay.md).

`command` is ``cutweb replay``.  Under MPI, `planning` makes of what is asked for (`asking`, `options`) a plan, and
`replaying` puts the crawl's own rank together around a `recording`: the web is a `recordedweb`, which answers at once,
or a `virtualweb`, whose time the ranks share (`commontime`).  What came of it is read from the session as a `course`
when it has ended (`afterwards`).  The `estimate` computes the same course for any number of ranks in one process.
From a course come `measures` and the `report`; `foresight` replays later sessions under partitions of earlier ones, and
`advice` recommends one for the next crawl.
"""
