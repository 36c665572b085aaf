"""Work for machines outside the cluster: signed units of URLs go out, signed results come back (docs/work.md).

What flows, and where it stays:

    WORKLIST -> `export` -> DIR/unit-000001.unit ... and DIR/ledger.jsonl        the cluster
    unit -> `run_unit` -> RESULT                                                 a volunteer's machine, without MPI
    RESULT ... and VOLUNTEERS -> `merge` -> SESSION, a line each in the ledger   the cluster

- A **unit** (`unit`) is a text that the project's key has signed (`signed_text`, `keys`): at most `unit.MOST_URLS` URLs
  of a worklist with the options that they are fetched by, and a deadline.  `selection` says which URLs go out next: a
  site, and whatever shares an address with it by the last session (`site_addresses`), is in one unit at a time.
- A **result** (`result_file`) is a tar file: a statement that the volunteer's key has signed, with the SHA-256 of each
  file, and behind it the files of a session of one rank, which `cutweb check` would take.  `run_unit` makes it: the
  unit becomes a small worklist (`unit_worklist`), and the crawl's own rank keeps to that, alone
  (`crawler.process.sole_rank`).  So politeness, robots.txt, guarded addresses and tables are the crawl's, and none of
  it exists twice.
- The **ledger** (`ledger`) has a line for each unit that went out, and for each result that was merged or refused.
  What is out, back, late or refused follows from it (`ledger.standing`); it is only appended to, under a lock.
- **volunteers** (`volunteers`) are a file of names and public keys.
- `merge` believes nothing.  `examination` goes from what costs least to what costs most: sizes, signature, the ledger,
  the files' names and SHA-256, what they unpack to (`unpacked_sizes`), then all of `sessions.checking`, the URLs, the
  times and delays of the requests (`request_times`).  The first thing that is wrong refuses the result, under one of
  `refusals.REASONS`.  What is left becomes a session with a rank for each unit (`merged_session`).  `overlap` compares
  what two volunteers saw of the same URLs.

Nothing here grows with the web: a unit and its result are bounded, and results are unpacked on disk.  `export` holds a
number for each site of the worklist, and the URLs that it exports; `merge` 8 bytes for each URL that the results name.
`units_folder` is the worklist's note of where its units are, and `work_error` what is wrong beforehand.
"""
