"""Cutting by several ranks, none of which holds the whole link graph: `cutweb partition --ranks R`.

The data flows so:

1. `link_share` reads every R-th row group of the session's tables, and gives each rank a stretch of the pages, in the
   order of `page_order` (by host and path: neighbours there share most links), and all links to them.
2. `hypergraph_share` makes nets of these.  A net is on every rank that has a pin of it, with that rank's pins, and at
   *home* on one, which knows the others.
3. `shared_coarsening` has every rank make clusters of its own vertices, until the hypergraph is small enough for one
   rank; `gathered_level` then gives it whole to each, and each cuts it by `partition.cut` with a seed of its own.
4. `shared_refinement` refines the best of these level by level.  `shared_state` keeps, for each rank's nets, how many
   pins of *all* ranks lie in which part; ranks move vertices of their own in rounds, between which only changes of
   these numbers travel.  Balance and cost are exact, and a round that made things worse is undone.
5. `cut_shares` is all of that, and again inside the parts of what was found as long as it gains; stretches of the list
   of pages (`range_start`) are a start, too.  `share_measures` says how good the result is, and `map_measures` how good
   any map is for a session, looked up by the ranks that have its pages.  `cut_groups` is the same for sites and
   prefixes, which lie whole on one rank.

A rank's memory grows with links / R, but for the coarsest hypergraph, which every rank holds.  What it computes depends
on the session, the seed and R alone.  `keyed_sums` adds up what has the same key, and `earlier_names` gives parts the
names that an earlier map's had.
"""
