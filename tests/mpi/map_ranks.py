"""Run under mpiexec by test_map_writing.py: ranks write a map together, each with a share of its rows."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest
from mpi4py import MPI

from partition.communication.ranks import Ranks
from partition.map import write_map
from partition.map.manifest import MapError, Origin
from partition.map.partition_map import PartitionMap
from partition.map.write_map import build_map
from sessions.url import url_hashes
from tests.partition.map.support.maps import URLS, batches_of, parts_for

PART_OF = dict(zip(URLS, parts_for(URLS, 4).tolist(), strict=True))


def build(folder: Path, ranks: Ranks, shard_urls: int, share: dict[str, int]) -> None:
    rows = batches_of(share, 7)
    build_map(folder, Origin("page"), k=4, rows=rows, prefixes=None, ranks=ranks, shard_urls=shard_urls)


def check_written(folder: Path, ranks: Ranks, shard_urls: int, share: dict[str, int]) -> None:
    build(folder, ranks, shard_urls, share)
    table = PartitionMap.open(folder)
    assert table.parts_of(url_hashes(URLS), URLS).tolist() == list(PART_OF.values())
    assert table.urls_of(table.numbers(url_hashes(URLS), URLS)) == URLS


def check_refused(folder: Path, ranks: Ranks, shard_urls: int, share: dict[str, int]) -> None:
    """All ranks raise what one of them met."""
    if ranks.rank == 0:
        folder.mkdir()
        (folder / "mine").write_text("x")
    with pytest.raises(MapError, match="not empty"):
        build(folder, ranks, shard_urls, share)
    if ranks.rank == ranks.size - 1:
        share = dict.fromkeys(share, 4)
    with pytest.raises(ValueError, match=r"parts of URLs are not one in \[0, 4\)"):
        build(folder.with_name("none"), ranks, shard_urls, share)


def die_in(step: str, ranks: Ranks) -> None:
    """Let the last rank die, without a word, when it comes to a step of the writing."""
    if ranks.rank == ranks.size - 1:
        setattr(write_map, step, lambda *_: os._exit(9))


def main() -> None:
    folder, shard_urls = Path(sys.argv[1]), int(sys.argv[2])
    ranks = Ranks(MPI.COMM_WORLD, round_bytes=1 << 10)
    # Shares are uneven, and the first rank has nothing if there are others.
    owners = np.minimum(np.arange(len(URLS)) ** 2 // 150, max(0, ranks.size - 2)) + (ranks.size > 1)
    share = {url: PART_OF[url] for url, owner in zip(URLS, owners.tolist(), strict=True) if owner == ranks.rank}
    if len(sys.argv) > 3:
        die_in(sys.argv[3], ranks)
    check_written(folder, ranks, shard_urls, share)
    check_refused(folder.with_name("refused"), ranks, shard_urls, share)
    print(f"rank {ranks.rank} is done", flush=True)


try:
    main()
except BaseException:
    import traceback

    traceback.print_exc()
    MPI.COMM_WORLD.Abort(1)
