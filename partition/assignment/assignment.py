"""The seam between URLs and ranks."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from partition.choices import ASSIGNMENTS
from sessions.url import Hashes

Owners = npt.NDArray[np.int32]


class Assignment(Protocol):
    """Says which rank owns each URL of a batch.

    A rank asks once for every URL it has not met before, a batch at a time; every rank must get the same answer for
    the same URL, or pages would be fetched twice or not at all.  One exception is made by intent, and bears it in its
    name: under "discoverer" the rank that asks owns a URL that no map holds, and pages are fetched twice.
    """

    name: str
    ranks: int

    def owners(self, hashes: Hashes, urls: Sequence[str]) -> Owners:
        """The owning rank of each URL: int32[n] in [0, ranks), for hashes uint64[n] and their n canonical URLs."""
        ...

    def asked_by(self, rank: int) -> "Assignment":
        """Return the same assignment as ``rank`` asks it, which matters only where discoverers own what they find."""
        ...


class HashAssignment(Assignment, Protocol):
    """An assignment that needs no earlier session and is the same on every rank, whoever asks.

    ``unit`` is what is hashed and therefore kept whole: "page", "site" or "domain".  Pages that were imported as bare
    numbers have neither sites nor domains.
    """

    unit: str

    def __init__(self, ranks: int) -> None:
        """For K = ``ranks``."""


def assignment_named(name: str, ranks: int) -> HashAssignment:
    """The assignment by hash of that name for K = ``ranks``.  Raises ValueError for a name not in `ASSIGNMENTS`."""
    kind: type[HashAssignment] = ASSIGNMENTS.load(name)
    return kind(ranks)


def assignments_for(*, has_urls: bool) -> tuple[str, ...]:
    """The names of the assignments by hash that pages with URLs, or without any, allow."""
    return tuple(name for name in ASSIGNMENTS if has_urls or ASSIGNMENTS.load(name).unit == "page")
