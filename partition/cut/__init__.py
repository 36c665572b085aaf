"""Cutting: vertices to K parts, balanced in several weights, with as little across the cut as can be found.

`multilevel` is the whole of it; `effort` says how much it tries, also from starts of `kahypar` and around hubs
(`hub_core`), and the best are combined.  A descent makes the hypergraph (`partition.graphs.hypergraph`) smaller
(`coarsening`, first inside `communities`), cuts the smallest with a `portfolio` of METIS runs (`metis`, in
`silence_c_output`, on an ordinary graph: `guide_graph`), and undoes the coarsening level by level.  Each time
`refinement` mends the balance (`rebalancing`, with `swaps`) and moves vertices: all that gain (`label_propagation`),
then in the order of gain (`local_search`, with `gain_heap` and `pulls`).  `connectivity` keeps an exact account of what
is cut.  `balance` says what K parts may weigh.  Descents, candidates and vertices of a level are shared out among the
threads of a `crew`.

Where pages had owners before, `remap` gives the parts the names that keep most, `migration` anchors what was held, so
that moving has a cost, and `placement` puts what is new beside its neighbours; `recutting` makes volume and moves small
together.  Where ranks take different times for the same pages, `time_cost` anchors these in the same way (`anchors`).

METIS alone balances several weights but minimises what links cost, each time a link is met; a crawler sends a URL once.
"""
