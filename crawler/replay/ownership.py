"""Who owns each URL of a recording, under a hash assignment or a partition map, told once for all."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from crawler.replay.recording import Numbers, Recording
from partition.assignment.assignment import Assignment, Owners, assignment_named
from partition.map.partition_assignment import PartitionAssignment
from partition.map.partition_map import PartitionMap

FINDER = -1
"""The owner of a URL that whoever finds it owns."""
_AT_ONCE = 1 << 16


@dataclass(frozen=True)
class Ownership:
    """An assignment to K ``ranks``, by its ``name``, of the U URLs of a recording.

    Attributes:
        owners: who owns each URL, int32[U]; `FINDER` if the map does not hold it and the rule is "discoverer".
        seed_owners: who accepts each URL as a seed, int32[U]: the same, but by prefix where ``owners`` is `FINDER`.
        numbers: the number of each URL in the map, int64[U], -1 if it has none; None without a map.
        unknown: which URLs the map does not hold, bool[U]; none without a map.
    """

    ranks: int
    name: str
    owners: Owners
    seed_owners: Owners
    numbers: Numbers | None
    unknown: npt.NDArray[np.bool_]


def ownership_by_hash(recording: Recording, name: str, ranks: int) -> Ownership:
    """The ownership under a hash assignment (`partition.assignment`).  Raises KeyError for a name that none has."""
    owners = _owners(recording, assignment_named(name, ranks))
    return Ownership(ranks, name, owners, owners, None, np.zeros(len(recording), bool))


def ownership_by_map(recording: Recording, partition: PartitionMap | Path | str, rule: str | None = None) -> Ownership:
    """The ownership under a partition map, or the map in a folder; ``rule`` for unknown URLs, None for the map's own.

    Raises MapError if the folder holds no map.
    """
    table = partition if isinstance(partition, PartitionMap) else PartitionMap.open(partition)
    assignment = PartitionAssignment(table, FINDER, rule)
    owners = _owners(recording, assignment)
    numbers = numbers_in(table, recording)
    for_seeds = assignment.for_seeds()
    seed_owners = owners if for_seeds is assignment else _owners(recording, for_seeds)
    return Ownership(table.parts, assignment.name, owners, seed_owners, numbers, numbers < 0)


def numbers_in(table: PartitionMap, recording: Recording) -> Numbers:
    """The number of each URL of a recording in a map, -1 if it has none: int64[U]."""
    numbers = np.empty(len(recording), np.int64)
    for some in _some_at_once(recording):
        numbers[some] = table.numbers(recording.hashes[some], recording.urls[some].to_pylist())
    return numbers


def _owners(recording: Recording, assignment: Assignment) -> Owners:
    """The owner of each URL."""
    owners = np.empty(len(recording), np.int32)
    for some in _some_at_once(recording):
        owners[some] = assignment.owners(recording.hashes[some], recording.urls[some].to_pylist())
    return owners


def _some_at_once(recording: Recording) -> Iterator[slice]:
    """All URLs, some at a time: as strings of Python their text takes much memory."""
    return (slice(start, start + _AT_ONCE) for start in range(0, len(recording), _AT_ONCE))
