"""Links out of scope in two sessions of a web, by the sites that they lead from and to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sessions.session import Session

Numbers = npt.NDArray[np.int64]
SitePairs = Mapping[tuple[str, str], int]
"""Links by the site that they lead from and the one that they lead to."""


@dataclass(frozen=True)
class ExternalFigures:
    """Links out of scope from pages of each site in a and in b; pairs of sites born, gone and kept; int64[s] each."""

    a: Numbers
    b: Numbers
    born: Numbers
    gone: Numbers
    kept: Numbers


def external_figures(in_a: SitePairs, in_b: SitePairs, sites: Sequence[str]) -> ExternalFigures:
    """Compare what two sessions keep of links out of scope, counted by which of the ``sites`` has their page."""
    numbers = {site: number for number, site in enumerate(sites)}
    pairs = {"born": in_b.keys() - in_a.keys(), "gone": in_a.keys() - in_b.keys(), "kept": in_a.keys() & in_b.keys()}
    counted = {name: np.zeros(len(sites), np.int64) for name in ("a", "b", *pairs)}
    for name, links in (("a", in_a), ("b", in_b)):
        for (source, _), count in links.items():
            if source in numbers:
                counted[name][numbers[source]] += count
    for name, its in pairs.items():
        np.add.at(counted[name], [numbers[source] for source, _ in its if source in numbers], 1)
    return ExternalFigures(**counted)


def site_pairs(session: Session) -> SitePairs:
    """Return how many links out of scope lead from each site to each other, over all rows of `external_sites`.

    Memory is in proportion to the distinct pairs of sites.
    """
    table = session.read("external_sites", ["source_site", "target_site", "links"])
    sums = table.group_by(["source_site", "target_site"]).aggregate([("links", "sum")])
    columns = (sums[name].to_pylist() for name in ("source_site", "target_site", "links_sum"))
    return {(source, target): links for source, target, links in zip(*columns, strict=True)}
