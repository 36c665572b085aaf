"""How many URLs are known and not fetched while a web is crawled whose pages link at random.

Each of N pages links to S distinct pages, any set of them as likely as any other.  After n fetches a page is still
unknown if none of the n pages links to it.

Source: the thesis on Anansi (North Carolina State University, 2010), chapter 5.  Its equations have -(n + 1) where the
recurrence needs -(n - 1), and its condition for the peak has no solution with n >= 1: it takes the derivative of
(1 - S/N)^(n-1) as that of a power of n.  `peak` has the right one.
"""

from dataclasses import dataclass
from math import exp, log, log1p
from typing import NamedTuple


class Peak(NamedTuple):
    """The most URLs that wait at a time, and after how many fetches; both in the mean, and so no whole numbers."""

    fetched: float
    pending: float


@dataclass(frozen=True)
class RandomWeb:
    """A web of ``pages`` pages [N], each with links to ``links`` others [S]; 0 < S < N."""

    pages: float
    links: float

    def __post_init__(self) -> None:
        if not 0 < self.links < self.pages:
            raise ValueError(f"{self.pages} pages cannot have links to {self.links} others each")

    def pending(self, fetched: float) -> float:
        """URLs that wait after ``fetched`` fetches, at least 1 [P(n) = N - n - (1 - S/N)^(n-1) (N - S - 1)].

        Solves P(1) = S, P(n) = P(n-1) + S (N - P(n-1) - (n-1))/N - 1.
        """
        unknown = exp(-self._decay * (fetched - 1)) * (self.pages - self.links - 1)
        return self.pages - fetched - unknown

    def peak(self) -> Peak:
        """The most that wait [n_1 = 1 + ln(y (N - S - 1))/y with y = -ln(1 - S/N), about (N/S) ln S].

        A web so small that the first page knows nearly all of it has its peak after that page.
        """
        slope = self._decay * (self.pages - self.links - 1)
        fetched = 1 + log(slope) / self._decay if slope > 1 else 1.0
        return Peak(fetched, self.pending(fetched))

    @property
    def _decay(self) -> float:
        """By what a fetch lowers the logarithm of the number of unknown pages [y]."""
        return -log1p(-self.links / self.pages)
