"""Partition maps from sessions."""

from pathlib import Path

from partition import make_partition as cutting
from partition.choices import DEFAULT_RULE
from partition.map.partition_map import PartitionMap
from partition.models.partition_pages import Settings


def _quiet(_words: str) -> None:
    """Say nothing of the progress."""


def make_partition(
    session: Path | str,
    out: Path | str,
    *,
    parts: int,
    model: str = "page",
    unknown: str = DEFAULT_RULE,
    previous_map: Path | str | None = None,
    site_seconds: Path | str | None = None,
    settings: Settings | None = None,
) -> PartitionMap:
    """Cut a session's links into ``parts`` parts, write the map into the folder ``out``, and return it opened.

    ``model`` says which pages stay together, ``unknown`` who owns URLs that the map does not hold, ``previous_map``
    whose owners pages are left to where that costs little; all as in ``cutweb partition``.  ``settings.balance`` are
    the weights that are balanced, by default ``{"storage": None, "requests": None}``; in ``{"requests": None, "links":
    0.1}`` links have a tolerance of their own.  ``site_seconds`` is the table of ``--seconds``.  ``out`` is absent or
    empty, and is whole or absent afterwards.  Raises SessionError, GraphError or MapError.
    """
    cutting.make_partition(
        Path(session),
        model,
        parts,
        Path(out),
        settings or Settings(),
        unknown=unknown,
        previous=None if previous_map is None else Path(previous_map),
        site_seconds=None if site_seconds is None else Path(site_seconds),
        progress=_quiet,
    )
    return PartitionMap.open(Path(out))
