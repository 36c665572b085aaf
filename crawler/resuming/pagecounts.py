"""How many pages of a site were fetched: caps hold for the session, not for each of its runs."""

from collections import Counter
from collections.abc import Iterable

import pyarrow as pa

from crawler.caps import Caps
from crawler.politeness.placing import keeper_of

COLUMNS = ("url", "site")
"""Those of the pages table that have to be read."""


def recount_pages(batches: Iterable[pa.RecordBatch], caps: Caps, *, rank: int, ranks: int) -> None:
    """Count the pages in rows of the pages table of those sites whose gatekeeper is ``rank`` of ``ranks``.

    The rows of all ranks are needed: a site's pages may have been fetched by any.
    """
    prefix_of = caps.prefix
    if prefix_of is None:
        return
    for batch in batches:
        sites = batch.column("site").dictionary_encode()
        is_own = [keeper_of(site, ranks) == rank for site in sites.dictionary.to_pylist()]
        own = batch.filter(pa.array(is_own, pa.bool_()).take(sites.indices))
        pages = zip(own.column("site").to_pylist(), map(prefix_of, own.column("url").to_pylist()), strict=True)
        for (site, prefix), count in Counter(pages).items():
            caps.count(site, prefix, count)
