"""Partition maps in which the parts have nothing to do with the web."""

import random
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

from partition.assignment.url_prefixes import url_keys
from partition.map.majority_prefixes import majority_prefixes
from partition.map.manifest import Origin
from partition.map.write_map import write_map
from sessions.url import url_hashes


def known_among(pages: Collection[str]) -> set[str]:
    """What the crawl before found: six tenths of the pages."""
    return set(random.Random(5).sample(sorted(pages), len(pages) * 6 // 10))


def write_random_map(folder: Path, known: Collection[str], ranks: int, **values: Any) -> None:
    """A map of three shards, of the ``known`` URLs, for so many ranks; ``values`` go to `partition.map.write_map`."""
    urls = sorted(known)
    parts = np.random.default_rng(ranks).integers(0, ranks, len(urls))
    prefixes, prefix_parts = majority_prefixes(url_keys(urls), parts)
    write_map(
        folder,
        Origin("page", session="session-1"),
        k=ranks,
        urls=urls,
        hashes=url_hashes(urls),
        parts=parts,
        prefixes=prefixes,
        prefix_parts=prefix_parts,
        shard_urls=-(-len(urls) // 3),
        **values,
    )
