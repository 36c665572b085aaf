"""How many pages were fetched under each cap: caps hold for the session, not for each of its runs."""

from collections import Counter
from collections.abc import Callable, Iterable

import pyarrow as pa

from crawler.politeness.messages import keeper_of
from crawler.politeness.page_caps import (
    ADDRESS_CAP,
    DOMAIN_CAP,
    PREFIX_CAP,
    SITE_CAP,
    Account,
    Caps,
    PageCaps,
    network_of,
)
from sessions.url import domain_of

COLUMNS = ("url", "site", "ip")
"""Those of the pages table that have to be read."""


def recount_pages(batches: Iterable[pa.RecordBatch], limits: PageCaps, caps: Caps, *, rank: int, ranks: int) -> None:
    """Count the pages in rows of the pages table under those accounts whose gatekeeper is ``rank`` of ``ranks``.

    The rows of all ranks are needed: a site's pages may have been fetched by any.
    """
    if limits.is_everything:
        return
    for batch in batches:
        if limits.by_name:
            of_names = _own(batch, "site", domain_of, rank, ranks)
            _count_sites(of_names, limits, caps)
            if limits.per_prefix is not None:
                prefixes = Counter(map(limits.prefix_of, of_names.column("url").to_pylist()))
                _count(caps, PREFIX_CAP, prefixes)
        if limits.by_address:
            known = batch.filter(batch.column("ip").is_valid())
            ips = _own(known, "ip", network_of, rank, ranks).column("ip")
            _count(caps, ADDRESS_CAP, Counter(map(network_of, ips.to_pylist())))


def _count_sites(pages: pa.RecordBatch, limits: PageCaps, caps: Caps) -> None:
    sites = Counter(pages.column("site").to_pylist())
    if limits.per_site is not None:
        _count(caps, SITE_CAP, sites)
    if limits.per_domain is not None:
        domains: Counter[str] = Counter()
        for site, count in sites.items():
            domains[domain_of(site)] += count
        _count(caps, DOMAIN_CAP, domains)


def _count(caps: Caps, cap: str, pages: Counter[str]) -> None:
    for key, count in pages.items():
        caps.count(Account(cap, key), count)


def _own(batch: pa.RecordBatch, column: str, kept_under: Callable[[str], str], rank: int, ranks: int) -> pa.RecordBatch:
    """The rows whose accounts this rank keeps."""
    values = batch.column(column).dictionary_encode()
    is_own = [keeper_of(kept_under(value), ranks) == rank for value in values.dictionary.to_pylist()]
    return batch.filter(pa.array(is_own, pa.bool_()).take(values.indices))
