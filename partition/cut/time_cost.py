"""What it costs that ranks take different times: a vertex is pulled to where it is expected to take least.

Kept small is volume + cost x the seconds of all vertices, each at the part in which it lies.  METIS cannot weigh a
vertex differently in different parts, and refinement need not: anchors (`partition.cut.connectivity`) are paid where a
vertex is *not*, so that of vertex v in part p is cost x (max over q of s(v, q) - s(v, p)).  Their sum at all parts but
p is then cost x s(v, p) and what does not depend on p.
"""

import numpy as np
from scipy.sparse import csr_array

from partition.cut.anchors import Pull
from partition.graphs.link_graph import GraphError, Numbers

_MICROSECONDS = 1e6


def time_pull(microseconds: Numbers, cost: float) -> Pull:
    """What it costs that vertices take longer than they would elsewhere, ``cost`` a second.

    ``microseconds``, int64[v, k], are what each vertex is expected to take in each part.  Takes 16 bytes for each of
    them.  Raises GraphError if ``cost`` is no number from 0 up.
    """
    if not 0 <= cost < np.inf:
        raise GraphError(f"the time cost must be from 0 up, not {cost}; 1000 makes a second worth 1000 bytes of URLs")
    saved = csr_array(microseconds.max(axis=1, initial=0)[:, None] - microseconds)
    return Pull(saved, cost / _MICROSECONDS, (f"a time cost of {cost:g}", "microseconds"))
