"""Stretches of the list of pages as parts, to start a cut from: `partition.models.url_range`, by all ranks."""

import numpy as np

from partition.assignment.assignment import Owners
from partition.cut.balance import Balance
from partition.shares.link_share import LinkShare


def range_parts_here(links: LinkShare, balance: Balance) -> Owners:
    """The part of each of this rank's pages, int32[n], by where its middle lies among the weights of all pages.

    What counts is the mean of all weights, each relative to its sum.  So a part may be too heavy in one weight, where
    `url_range.range_parts` finds the best compromise; whoever refines such a start mends that first.
    """
    totals = links.ranks.summed(links.weights.sum(axis=0))
    portions = (links.weights / np.maximum(totals, 1)).mean(axis=1)
    before = sum(links.ranks.together(float(portions.sum()))[: links.ranks.rank])
    middles = before + np.cumsum(portions) - portions / 2
    ends = np.cumsum(balance.shares)[:-1]
    parts: Owners = np.searchsorted(ends, middles, side="right").astype(np.int32)
    return parts
