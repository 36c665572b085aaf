"""A session written again without some sites: what a takedown asks for.

`forget` writes it, epoch by epoch, so that runs, epochs and books are those of the session, less what is gone, and a
crawl can go on with it.  `gone` says which URLs these are.  `bodies` writes the WARC files: a body that pages of other
sites refer to moves to the first of these (`heirs`).  `rows` writes the tables, and `books` takes what is gone from the
ranks' counters.
"""
