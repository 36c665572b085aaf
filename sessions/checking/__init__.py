"""The invariants of a session, one small function each, that `sessions.check` runs in this order.

`shape` looks at session.json and the commit records, `succession` at how they follow each other from run to run, and
`files` at the table files as files.  `batches` reads every table once: `rows` holds what is true of a single row, and
the columns that tie tables together are kept for `across` (between rows and tables) and `counters` (the ranks'
reports).  `records` reads every WARC file once and `bodies` ties its responses to the pages.

Every invariant yields `Problem`s; how many of them are shown is decided by who asks.
"""
