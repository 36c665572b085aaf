"""What it costs the disk to hold back URLs beyond their domain's budget: the paper's model of two methods.

Domains have budgets B(x): so many of a domain's URLs may be crawled in one pass, the others are kept on disk and read
again in later passes.  Each of them costs a reading and a writing a pass.  The naive method has one queue for all of
them, which it reads anew in every pass; BEAST has j queues of which each is read once, and doubles j.  All sizes are
decimal.

Source: H.-T. Lee, D. Leonard, X. Wang, D. Loguinov, "IRLbot: Scaling to 6 Billion Pages and Beyond", WWW 2008,
section 6, Theorems 4 and 5.
"""

from dataclasses import dataclass
from math import ceil, log2


@dataclass(frozen=True)
class Crawl:
    """A crawl under budgets, by default as in the paper's example; its letters in brackets."""

    rate: float = 3_100.0
    """Pages downloaded in a second [S]."""
    url_bytes: float = 110.0
    """The mean URL as text [b]."""
    unique_urls: float = 6.5
    """URLs not seen before that a page brings, its own included [L]."""
    budget: float = 11.0
    """Mean budget of a domain, in pages [E(B)]."""
    domains: float = 33e6
    """Domains [V]."""


def passes(crawl: Crawl, pages: float) -> float:
    """How often the budgets of all domains have to be spent for so many pages [a = max(1, N/(E(B)V))]."""
    return max(1.0, pages / (crawl.budget * crawl.domains))


def naive_disk_rate(crawl: Crawl, pages: float) -> float:
    """Bytes/s read and written if what waits is read anew in every pass [2Sb(L - 1)a].  Theorem 4.

    That is the rate in the last pass; it grows with the crawl and has no limit.
    """
    return _urls_rate(crawl) * (crawl.unique_urls - 1) * passes(crawl, pages)


def beast_disk_rate(crawl: Crawl, pages: float) -> float:
    """Bytes/s that BEAST reads and writes [2Sb(2a/(1 + a) (L - 1) + 1)].  Theorem 5.

    Below `beast_disk_limit`, whatever the number of pages.
    """
    again = passes(crawl, pages)
    return _urls_rate(crawl) * (2 * again / (1 + again) * (crawl.unique_urls - 1) + 1)


def beast_disk_limit(crawl: Crawl) -> float:
    """Bytes/s that BEAST never reaches [2Sb(2L - 1)]."""
    return _urls_rate(crawl) * (2 * crawl.unique_urls - 1)


def beast_queues(crawl: Crawl, pages: float) -> int:
    """Queues that BEAST has in the end, if it starts with one and doubles [2^(ceil(log2(a + 1)) - 1)].  Theorem 5.

    1 + 2 + 4 + ... + j queues, each of one pass, are enough for a passes, and those before the last doubling are not.
    """
    return 1 << (ceil(log2(passes(crawl, pages) + 1)) - 1)


def _urls_rate(crawl: Crawl) -> float:
    """Bytes/s if each page's URL is written once and read once."""
    return 2 * crawl.rate * crawl.url_bytes
