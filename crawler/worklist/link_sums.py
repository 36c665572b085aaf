"""What the links of each page amount to: how many it has, how many of them are new, and who links to whom.

The links of a visit are the distinct targets of the page in the session and folder where the visit was recorded, other
than the page itself, and without redirects.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from crawler.worklist.fetches import NO_VISIT
from crawler.worklist.sorted_streams import SortedLookup, group_starts, summed, whole_groups
from crawler.worklist.table_share import MOST_RANKS, TableShare
from sessions.schema import REDIRECT
from sessions.url import Hashes

LINKS = pa.schema([("hash", pa.uint64()), ("target", pa.uint64()), ("place_of_links", pa.uint32())])
"""Links, by the ``hash`` of their source; ``place_of_links`` names session and folder."""
LINK_KEYS = ("hash", "target")

LINK_SUMS = pa.schema([("hash", pa.uint64()), ("latest", pa.int64()), ("both", pa.int64()), ("either", pa.int64())])
"""How many links a page had at its latest visit, at both of its last two visits, and at either of them."""
IN_DEGREES = pa.schema([("hash", pa.uint64()), ("in_degree", pa.int64())])


class Counted(NamedTuple):
    """Sums over some links, sorted by hash and each hash once (those of a page may go on in the next ones).

    ``sources`` and ``targets`` are the ends of the links of the latest visits among them, sorted by source.
    """

    sums: pa.RecordBatch
    sources: Hashes
    targets: Hashes


def read_links(share: TableShare) -> Iterator[pa.RecordBatch]:
    """Yield this rank's share of all links but redirects and those of a page to itself.

    Raises SessionError, which names file and row, if a table is damaged.
    """
    for rows in share.read("links", ["source", "target", "flags"], ["source", "target"]):
        sources, targets = rows.batch["source"].to_numpy(), rows.batch["target"].to_numpy()
        flags = rows.batch["flags"].fill_null(0).to_numpy()
        is_link = (sources != targets) & (flags & REDIRECT == 0)
        sources, targets = sources[is_link], targets[is_link]
        places = np.full(len(sources), rows.session * MOST_RANKS + rows.rank, np.uint32)
        yield pa.RecordBatch.from_arrays([pa.array(column) for column in (sources, targets, places)], schema=LINKS)


def count_links(links: Iterable[pa.RecordBatch], facts: SortedLookup) -> Iterator[Counted]:
    """Count links sorted by `LINK_KEYS`; ``facts`` are those of all fetches."""
    for batch in whole_groups(links, *LINK_KEYS):
        sources, targets = batch["hash"].to_numpy(), batch["target"].to_numpy()
        was_fetched, of_source = facts.rows(sources)
        places = batch["place_of_links"].to_numpy()
        starts = group_starts(batch, *LINK_KEYS)
        is_latest, is_previous = (
            _any_in_group(was_fetched & (places != NO_VISIT) & (places == of_source[name].to_numpy()), starts)
            for name in ("latest", "previous")
        )
        sources, targets = sources[starts], targets[starts]
        columns = [sources, is_latest, is_latest & is_previous, is_latest | is_previous]
        counted = [
            pa.array(column.astype(field.type.to_pandas_dtype()))
            for column, field in zip(columns, LINK_SUMS, strict=True)
        ]
        sums = summed(pa.RecordBatch.from_arrays(counted, schema=LINK_SUMS))
        yield Counted(sums, sources[is_latest], targets[is_latest])


def _any_in_group(mask: npt.NDArray[np.bool_], starts: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    return np.logical_or.reduceat(mask, starts) if len(starts) else mask[:0]


def in_degrees(targets: Hashes) -> pa.RecordBatch:
    """Return how often each target stands among some: records of `IN_DEGREES`, sorted."""
    ordered = np.sort(targets)
    batch = pa.RecordBatch.from_arrays(
        [pa.array(ordered), pa.array(np.ones(len(ordered), np.int64))], schema=IN_DEGREES
    )
    return summed(batch)
