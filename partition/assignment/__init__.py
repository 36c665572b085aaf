"""Who owns a URL: the `Assignment` seam, and the assignments that need no earlier session.

`hashing` assigns by the hash of the page, of its site or of its domain, modulo K; `ring` by the hash of the page or of
its site on a ring, where few move when K changes.  `assignment` has the seam, and finds them by the names in
`partition.choices.ASSIGNMENTS`.  `url_prefixes` writes URLs as keys whose prefixes can own.  The assignment by a
partition map is in `partition.map`.
"""
