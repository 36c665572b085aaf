"""The models: which pages belong together, and how a session's pages are given to K parts.

`model` is what every model is, and `grouping` what one says: pages in groups that are not to be torn apart.  A page is
a group of its own, a site is one, a `prefix` group is whatever begins so.  `partition_pages` has the groups cut as the
`settings` say (`level_cut`, by `partition.cut`; two models need no graph: `url_range` cuts the sorted list of URLs,
`site_packing` packs sites by weight) and says who owns the URLs that nobody has seen; where a prefix has no page of its
own left, what lies beneath it decides.
`previous_owners` is what an earlier map says of the same pages; `rank_speeds` and `tolerances` say how much of them
each part may have.
"""
