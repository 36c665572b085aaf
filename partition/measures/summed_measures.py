"""What can be said of a partition by sums over its pages, so that nobody has to hold all of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from partition.choices import BALANCED
from partition.cut.balance import Balance
from partition.graphs.link_graph import Numbers
from partition.measures.imbalance import imbalance
from partition.measures.traffic import Traffic


@dataclass(frozen=True)
class SummedMeasures:
    """Some of `partition.measures.measures.Measures`.

    Attributes:
        imbalances: of storage and requests, by name: max / mean - 1.
        excesses: by how much the worst part is beyond the tolerance of each balanced weight (`Balance.excesses`).
        excess: `Balance.excess`, 0 if the balance is kept and no part is empty.
        pages: traffic over the links between downloaded pages.
    """

    imbalances: dict[str, float]
    excesses: dict[str, float]
    excess: float
    pages: Traffic


def summed_measures(loads: Numbers, balance: Balance, balanced: Sequence[str], pages: Traffic) -> SummedMeasures:
    """Measure parts that have so much storage and so many requests, int64[k, 2]; ``balanced`` names the weights."""
    every, shares = np.arange(balance.parts, dtype=np.int32), balance.shares.tolist()
    imbalances = {name: imbalance(loads[:, place], every, balance.parts, shares) for place, name in enumerate(BALANCED)}
    own = loads[:, [BALANCED.index(name) for name in balanced]]
    excesses = dict(zip(balanced, balance.excesses(own, every).tolist(), strict=True))
    requests = loads[:, BALANCED.index("requests")]
    return SummedMeasures(imbalances, excesses, balance.excess_of(own, requests), pages)
