"""Who owns which URL: from a session's link graph to a map that every rank of the next crawl reads.

A crawl by K ranks needs one answer to "whose is this URL?", the same on every rank: `assignment` is that question as a
seam, with the two answers that need no knowledge of the web.  A computed answer goes through these rooms: `graphs`
reads a session's links, `models` say which pages stay together, `cut` gives them to K parts, and `map` puts the result
on disk, where it is an assignment again.  `make_partition` is the whole way.  Where a session is too large for one
process, `shares` has several ranks cut it, which talk to each other by `communication`.  `twoma` has no look at links:
it learns from measured seconds at which rank each site belongs.

`measures` says how good an assignment is, `picture` shows one, `quality` reports on all models, `export` writes graphs
for other programs, and `report` has the pieces of which report pages are made.
"""
