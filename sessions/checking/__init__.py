"""The invariants of a session, one small function each, that `sessions.checking.check` runs in this order.

`commit_records` looks at session.json and the commit records, `run_invariants` at how they follow each other from run
to run, `rule_invariants` at the recorded rules of the operator, and `table_files` at the table files as files.
`read_tables` reads every table once: `row_invariants` holds what is true of a single row, and the columns that tie
tables together are kept for `table_invariants` (between rows and tables) and `report_invariants` (the ranks' reports).
`warc_records` reads every WARC file once and `body_invariants` ties its responses to the pages.

Every invariant yields a `problem.Problem` or several; how many of them are shown is decided by who asks.
`hash_queries` look for what stands twice or is missing, and `json_shape` for what is not as it was declared.
"""
