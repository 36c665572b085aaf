"""In what order a rank's URLs are fetched.

`ordering` is the seam, with its breadth-first implementation; `budgets` has another, STAR and BEAST, in which domains
have budgets.  Queues of any length keep to a budget of memory: `url_queue` holds both ends in memory and the rest in
`url_files`.
"""
