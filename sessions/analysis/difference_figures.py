"""The figures of `sessions.analysis.difference`: what each counts, by site, in total and for machines."""

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt

from sessions.analysis.external_difference import ExternalFigures

Numbers = npt.NDArray[np.int64]

BINS = ("0", *(f"({step / 10:g},{(step + 1) / 10:g}]" for step in range(10)))
"""The bins of change: none at all, and ten of equal width, each with its upper bound."""


@dataclass(frozen=True)
class PageFigures:
    """Pages of each site in a and in b, and what became of them; int64[s] each."""

    a: Numbers
    b: Numbers
    born: Numbers
    gone: Numbers
    kept: Numbers
    changed: Numbers
    unchanged: Numbers
    unknown: Numbers
    broken: Numbers
    mended: Numbers
    born_seen: Numbers
    gone_seen: Numbers
    good_in_a: Numbers
    good_in_b: Numbers
    redirects_in_a: Numbers
    redirects_in_b: Numbers
    errors_in_a: Numbers
    errors_in_b: Numbers


@dataclass(frozen=True)
class LinkFigures:
    """Links from pages of each site in a and in b, and what became of them; int64[s] each."""

    a: Numbers
    b: Numbers
    born: Numbers
    gone: Numbers
    kept: Numbers
    born_on_kept: Numbers
    gone_on_kept: Numbers


@dataclass(frozen=True)
class ByteFigures:
    """Bytes of the pages of each site, int64[s] each: born, gone, and of the kept ones in a and in b."""

    born: Numbers
    gone: Numbers
    kept_in_a: Numbers
    kept_in_b: Numbers


@dataclass(frozen=True)
class ChangeFigures:
    """Kept pages of each site by how much they changed, int64[s, 11] each; the columns are `BINS`."""

    size: Numbers
    links: Numbers
    text: Numbers


@dataclass(frozen=True)
class Difference:
    """How session b differs from session a, over the s sites that have pages in either.

    Attributes:
        a, b: the sessions' folders.
        a_fetched, b_fetched: when the last of the pages was fetched, UTC; None where no page has a time.
        sites: names of the sites, ascending.
        pages, links, bytes, change, external: what is counted, by site in that order.
    """

    a: str
    b: str
    a_fetched: datetime | None
    b_fetched: datetime | None
    sites: list[str]
    pages: PageFigures
    links: LinkFigures
    bytes: ByteFigures
    change: ChangeFigures
    external: ExternalFigures

    @property
    def age(self) -> timedelta | None:
        """Time from a to b, negative if b was fetched first; None if a date is not known."""
        return self.b_fetched - self.a_fetched if self.a_fetched and self.b_fetched else None

    def total(self) -> dict[str, dict[str, Any]]:
        """The figures summed over all sites: ``{"pages": {"a": int, ...}, ..., "change": {"size": [ints], ...}}``."""
        return {
            group: {name: figure.sum(axis=0).tolist() for name, figure in figures.items()}
            for group, figures in self._groups().items()
        }

    def by_site(self) -> dict[str, dict[str, dict[str, Any]]]:
        """The figures of each site, each in the form of `total`."""
        groups = {
            group: {name: figure.tolist() for name, figure in figures.items()}
            for group, figures in self._groups().items()
        }
        return {
            site: {group: {name: figure[row] for name, figure in groups[group].items()} for group in groups}
            for row, site in enumerate(self.sites)
        }

    def as_dict(self) -> dict[str, Any]:
        """All of it for machines: dates in ISO 8601, the age in days, figures in total and by site."""
        return {
            "a": {"session": self.a, "fetched": self.a_fetched and self.a_fetched.isoformat()},
            "b": {"session": self.b, "fetched": self.b_fetched and self.b_fetched.isoformat()},
            "days": None if self.age is None else self.age / timedelta(days=1),
            "bins": list(BINS),
            "total": self.total(),
            "sites": self.by_site(),
        }

    def _groups(self) -> dict[str, dict[str, Numbers]]:
        return {group: asdict(getattr(self, group)) for group in ("pages", "links", "bytes", "change", "external")}
