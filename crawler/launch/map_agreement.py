"""The partition map of a crawl as each rank finds it on its machine: it must be the same everywhere.

Ranks name URLs to each other by their numbers in the map, and each decides for itself who owns a URL.  So before
anything is written every rank says what it holds, and rank 0 refuses the crawl if one holds no map, or another.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from crawler.config.command_line import UsageError
from partition.map.manifest import Manifest, MapError, read_manifest
from partition.map.partition_map import PartitionMap

_NO_HASHES = np.empty(0, np.uint64)


class HeldMap(NamedTuple):
    """What a rank found: the map's ``identity``, or the ``problem`` with it; neither if the crawl has no map."""

    identity: str | None
    problem: str | None


def look_at(folder: Path | None) -> HeldMap:
    """Open a map, reading all its files, and say what it is; nothing is done if there is no ``folder``.

    What looks URLs up is loaded here as well, and not while other ranks wait for this one's first links.
    """
    if folder is None:
        return HeldMap(None, None)
    try:
        table = PartitionMap.open(folder)
    except MapError as error:
        return HeldMap(None, str(error))
    table.parts_of(_NO_HASHES, [])
    return HeldMap(table.manifest.identity, None)


def agreed_map(folder: Path, held: Sequence[HeldMap]) -> Manifest:
    """The manifest of the map that all ranks hold; ``held`` is what each said, by rank.

    Raises UsageError if a rank has a problem with its map, or two ranks hold different ones.
    """
    problems = {rank: its.problem for rank, its in enumerate(held) if its.problem is not None}
    if problems:
        rank, problem = next(iter(problems.items()))
        where = "" if len(problems) == len(held) else f" (found by rank {rank} of {len(held)})"
        raise UsageError(f"--partition: {problem}{where}")
    identities = [its.identity for its in held]
    most, _ = Counter(identities).most_common(1)[0]
    for rank, identity in enumerate(identities):
        if identity != most:
            raise UsageError(
                f"--partition {folder}: rank {rank} of {len(held)} has a different partition map than the other ranks; "
                "copy one folder to all machines"
            )
    return read_manifest(folder)
