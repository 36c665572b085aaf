"""In what order a rank's URLs are fetched.

`ordering` is the seam, with its breadth-first implementation; `budgets` has another, STAR and BEAST, in which domains
have budgets.  `back_link_page`, `priority_order` and `random_order` give the best URL first, by a key of each;
`back_link_sites` all URLs of the best site.  Back-links are counted over all ranks by `back_links`.

URLs of any number keep to a budget of memory.  `url_queue` holds both ends of a queue in memory and the rest in
`url_files`.  `best_first` has URLs by key: the best in `url_slots`, ordered by a `slot_heap`, the others in queues by
ranges of keys.  `site_queues` has a queue for each site, in `url_slots` and in `block_files`.
"""
