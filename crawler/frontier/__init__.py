"""In what order a rank's URLs are fetched.

`ordering` is the seam, with its breadth-first implementation, and `orderings` know all by name (`order_settings` are
what a user may set of them); `budgets` has STAR and BEAST, in which domains have budgets.  `back_link_page`,
`priority_order` and `random_order` give the best URL first, by a key of each (`keyed_order` is what the last two
share); `back_link_sites` all URLs of the best site; `listed_first` those of a worklist, by its `priorities`.
Back-links are counted over all ranks by `back_links`, in `back_link_counts`.

URLs of any number keep to a budget of memory.  A `single_queue` is what orderings share that hold no URL back;
`url_queue` holds both ends of a queue in memory and the rest in `url_files`.  `best_first` has URLs by key: the best in
`url_slots`, ordered by a `slot_heap`, the others in queues by ranges of keys.  `site_queues` has a queue for each site,
in `url_slots` and in `block_files`.
"""
