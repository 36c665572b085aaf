"""A process that dies while it writes a map, before any of its operations on files, leaves no map, or the whole one."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from partition.map.manifest import MANIFEST, MapError
from partition.map.partition_map import PartitionMap
from scripts.crash.journal import Journal
from sessions.url import url_hashes
from tests.partition.map.support.maps import URLS, make_map, parts_for

SHARD_URLS = 80
SOME = URLS[:150]


def write(folder: Path) -> None:
    make_map(folder / "map", SOME, shard_urls=SHARD_URLS)


def operations(folder: Path) -> list[str]:
    """The kinds of all operations that an undisturbed writing tries."""
    folder.mkdir()
    kinds: list[str] = []
    with Journal(folder, lambda kind, _path: kinds.append(kind)).kept():
        write(folder)
    return kinds


def at(fuse: int, what: Callable[[], object]) -> Callable[[str, str], None]:
    """Do something before the operation after ``fuse`` others."""
    left = [fuse]

    def before(_kind: str, _path: str) -> None:
        left[0] -= 1
        if left[0] < 0:
            what()

    return before


def is_whole(folder: Path) -> bool:
    table = PartitionMap.open(folder / "map")
    return table.parts_of(url_hashes(SOME), SOME).tolist() == parts_for(SOME, 4).tolist()


def test_killed_before_any_operation(tmp_path: Path) -> None:
    kinds = operations(tmp_path / "undisturbed")
    assert {"create", "write", "mkdir", "unlink", "rename", "fsync"} <= set(kinds)
    whole = 0
    for fuse in range(len(kinds) + 1):
        folder = tmp_path / str(fuse)
        folder.mkdir()
        child = os.fork()
        if child == 0:  # what is killed cleans nothing up
            with Journal(folder, at(fuse, lambda: os._exit(9))).kept():
                write(folder)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == (9 if fuse < len(kinds) else 0)
        if (folder / "map").exists():
            assert is_whole(folder)
            whole += 1
        else:
            assert whole == 0, "a map that was there is there no more"
            write(folder)  # what was left does not disturb the next attempt
            assert is_whole(folder)
    assert whole >= 2


@pytest.mark.parametrize("error", [28, 5])
def test_a_disk_that_fails_at_any_operation(tmp_path: Path, error: int) -> None:
    def fail() -> None:
        raise OSError(error, os.strerror(error))

    kinds = operations(tmp_path / "undisturbed")
    for fuse in range(len(kinds)):
        folder = tmp_path / str(fuse)
        folder.mkdir()
        with Journal(folder, at(fuse, fail)).kept(), pytest.raises(MapError, match=os.strerror(error)) as caught:
            write(folder)
        assert "\n" not in str(caught.value)
        if (folder / "map" / MANIFEST).exists():
            assert is_whole(folder)
