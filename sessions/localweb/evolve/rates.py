"""How fast an evolving web turns over: the rates per day, and each page's own share of them.

No two pages are alike.  A page's rates are drawn from its URL, so that it keeps them over a whole series of
webs, and their spread is what was measured (docs/evolving-web.md has the sources and the arithmetic):

- Lives.  A page's death is a Poisson event whose rate is exponentially distributed over the pages, with the mean
  ``deaths``; so 1 / (1 + deaths * t) of the pages live on after t days.  New pages are shorter-lived than those
  that one finds: the sum of two such rates keeps the mixture as it is, for then births make up for deaths.
- Edits.  Nearly half of the pages never change, a fifth does so daily.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import isfinite

import numpy as np
import numpy.typing as npt
from xxhash import xxh3_64_intdigest

Floats = npt.NDArray[np.float64]

_LIFE, _SECOND_LIFE, _EDITS = 1, 2, 3
EDITED = ((0.48, 0.0), (0.12, 1 / 60), (0.18, 1 / 7), (0.22, 1.0))
"""Shares of the pages and how often each is edited, per day, when the mean is that of the table."""


@dataclass(frozen=True)
class Rates:
    """Mean rates per day.

    ``births``: pages born, per living page; ``deaths``: pages that die, per living page; ``edits``: edits, per page
    (many to some pages, none to others); ``link_edits``: links replaced, per link of a page, which happens when a page
    is edited (a link that is replaced twice is new once, so fewer are new than were replaced); ``new_sites``: sites
    born, per living site; ``site_deaths``: sites that die with all their pages, per living site.  Raises ValueError for
    rates that are negative, not finite or beyond 10, or for link edits without enough edits to happen in.
    """

    births: float = 0.0114
    deaths: float = 0.0114
    edits: float = 0.25
    link_edits: float = 0.042
    new_sites: float = 0.0007
    site_deaths: float = 0.0007

    def __post_init__(self) -> None:
        for rate in fields(self):
            value = getattr(self, rate.name)
            if not (isfinite(value) and 0 <= value <= 10):
                name = rate.name.replace("_", "-")
                raise ValueError(f"the rate of {name} must be between 0 and 10 a day, but is {value:g}")
        if self.link_edits > self.edits:
            raise ValueError(
                f"links change when pages are edited: the rate of link-edits ({self.link_edits:g}) must not be "
                f"larger than that of edits ({self.edits:g})"
            )

    @property
    def link_edits_per_edit(self) -> float:
        """The share of a page's links that one edit replaces."""
        return self.link_edits / self.edits if self.edits else 0.0

    def death_rates(self, urls: Sequence[str], is_born: npt.NDArray[np.bool_]) -> Floats:
        """Each page's own rate of death per day: float64[len(urls)]; ``is_born`` says which pages evolution made."""
        lives = _exponential(urls, _LIFE)
        lives[is_born] += _exponential([url for url, born in zip(urls, is_born, strict=True) if born], _SECOND_LIFE)
        return self.deaths * lives

    def edit_rates(self, urls: Sequence[str]) -> Floats:
        """Each page's own number of edits per day: float64[len(urls)]."""
        shares, often = np.array(EDITED).T
        group = np.searchsorted(np.cumsum(shares)[:-1], _uniform(urls, _EDITS), side="right")
        own: Floats = often[group] * (self.edits / float(shares @ often))
        return own


def _uniform(urls: Sequence[str], purpose: int) -> Floats:
    """A number from 0 up to 1 that only the URL and the purpose determine."""
    digests = (xxh3_64_intdigest(url.encode(), seed=purpose) >> 11 for url in urls)
    return np.fromiter(digests, dtype=np.float64, count=len(urls)) * 2.0**-53


def _exponential(urls: Sequence[str], purpose: int) -> Floats:
    return -np.log1p(-_uniform(urls, purpose))
