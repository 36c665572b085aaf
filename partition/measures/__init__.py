"""What can be said of an assignment by looking at the graph and the parts alone.

`measures` is all of it: `imbalance` of loads, `traffic` between parts, `numbered_bytes` where known URLs travel as
numbers, `site_spread` of sites over parts; `summed_measures` is what sums over pages tell.  `moves` compares a
partition with the one before.  `cut_portrait` gathers what a picture of a cut shows, its parts in the order
of a `tour`.
"""
