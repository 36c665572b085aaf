"""Who owns a URL: the `Assignment` seam, and the two assignments that need no earlier session.

`hashing` assigns by the hash of the page or of its site.  `url_prefixes` writes URLs as keys whose prefixes can own.
The assignment by a partition map is in `partition.map`.
"""
