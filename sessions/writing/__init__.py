"""How a session grows.

`commit` claims a folder, commits epochs and takes a session over for a run that goes on with it; `truncate` removes
what earlier runs left uncommitted.  `recorder` writes one rank's tables and WARC files; `merging` makes few table files
of many while it does (`sessions.compacting` does when nobody crawls).  An `atomic_folder` is there whole or not at all.
A session in which `nothing_fetched` was put on record is set aside.
"""
