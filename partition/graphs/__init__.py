"""Graphs of what a session downloaded, for cutting and for measuring cuts.

`link_graph` reads a session into one `LinkGraph`: its pages and the distinct links between them, directed, as they
stand.  Everything else is made from that.  `page_weights` are the kinds of weight that its pages can have, of which
`site_seconds` reads one from a table.  `weighted_graph` folds it into the undirected graph that METIS cuts, whose
vertices are pages, or groups of pages (sites, URL prefixes).  `hypergraph` turns it into the hypergraph in which each
page's URL is sent once to every part that links to it; a partition is best measured there, and refined there.
`group_sums` add up by group.  `page_rank` is of a graph in memory, and a `holdout` a session without some of its pages.
"""
