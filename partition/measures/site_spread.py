"""How far sites are spread over parts: what politeness, robots.txt and connections cost grows with it."""

from dataclasses import dataclass

import numpy as np

from partition.assignment.assignment import Owners
from partition.graphs.link_graph import Numbers


@dataclass(frozen=True)
class SiteSpread:
    """Parts per site, over the sites that have pages.

    Attributes:
        mean, most: number of parts in which a site has pages.
        whole: share of the sites that lie in one part, in [0, 1].
    """

    mean: float
    most: int
    whole: float


def site_spread(sites: Numbers, parts: Owners, k: int) -> SiteSpread:
    """The spread of pages whose sites are ``sites``, int64[n], and whose parts are ``parts``, int32[n] in [0, k)."""
    pairs = np.unique(sites * k + parts)
    counts = np.unique(pairs // k, return_counts=True)[1]
    return SiteSpread(float(counts.mean()), int(counts.max()), float((counts == 1).mean()))
