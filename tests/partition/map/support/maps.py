"""Small partition maps to test with."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from partition.assignment.url_prefixes import url_keys
from partition.map.majority_prefixes import majority_prefixes
from partition.map.manifest import Manifest, Origin
from partition.map.spilled_rows import Rows
from partition.map.write_map import write_map
from sessions.url import url_hashes

URLS = [
    f"http{'s' * (number % 2)}://s{number % 5}.example/d{number % 3}/{number}{'?q=1' * (number % 7 == 0)}"
    for number in range(200)
]


def parts_for(urls: Sequence[str], k: int) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """Some part for each URL, the same every time."""
    return np.random.default_rng(11).integers(0, k, len(urls))


def make_map(folder: Path, urls: Sequence[str] = URLS, k: int = 4, **values: Any) -> Manifest:
    """A map of ``urls`` in ``k`` arbitrary parts, with prefixes by majority; ``values`` replace arguments."""
    parts = values.pop("parts", None)
    parts = parts_for(urls, k) if parts is None else parts
    if "prefixes" not in values:
        values["prefixes"], values["prefix_parts"] = majority_prefixes(url_keys(urls), parts)
    origin = values.pop("origin", Origin("page", session="session-1", run="20260102T030405-abcdef", seed=7))
    return write_map(folder, origin, k=k, **({"urls": urls, "hashes": url_hashes(urls), "parts": parts} | values))


def batches_of(part_of: Mapping[str, int], size: int) -> Iterator[Rows]:
    """The rows of a map, so many in a batch."""
    urls = list(part_of)
    for begin in range(0, len(urls), size):
        some = urls[begin : begin + size]
        parts = np.array([part_of[url] for url in some], np.uint16)
        yield Rows(pa.array(some, pa.large_string()), url_hashes(some), parts)
