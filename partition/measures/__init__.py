"""What can be said of an assignment by looking at the graph and the parts alone.

`measures` is all of it: `imbalance` of loads, `traffic` between parts, how sites are spread over them;
`summed_measures` is what sums over pages tell.  `moves` compares a partition with the one before, and `next_crawl`
expects what becomes of it when pages are new.  `cut_portrait` gathers what a picture of a cut shows, its parts in the
order of a `tour`.
"""
