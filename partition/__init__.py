"""Who owns which URL.

A crawl by K ranks needs one answer to "whose is this URL?", the same on every rank.  `assignment.Assignment` is that
question as a seam; a rank puts it once for each URL it has not met before, a batch at a time, and hands the URLs of
others to the link exchange.  `hashing` has the two answers that need no knowledge of the web: by the hash of the page
and by the hash of its site.  A partition computed from an earlier session is on disk as a `map`, which is an assignment
too; URLs that it does not hold are matched with its `prefixes`.
"""
