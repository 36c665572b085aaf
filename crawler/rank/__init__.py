"""A rank: its loop, how it is put together, and how it goes on with a session.

`rank` is the loop: fetch for a superstep (`pacing` says how long), exchange, and again, until the ranks agree to end.
`assembly` puts the parts together from a plan.  `crawl` runs a crawl of the live web and commits the session epoch by
epoch (`epoch_schedule`), watched by `watchers`; `silence_limit` ends ranks that wait too long for one that hangs, and
`operator_wishes` has all pause.  `resuming` fills the parts again from a session's tables.
"""
