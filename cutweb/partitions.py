"""Partition maps from sessions."""

from pathlib import Path

from partition.choices import default_rule
from partition.make_partition import in_memory
from partition.map.partition_map import PartitionMap
from partition.models.settings import Settings
from partition.twoma.learner import LearnerSettings
from sessions.progress import say_nothing


def make_partition(
    session: Path | str,
    out: Path | str,
    *,
    parts: int,
    model: str = "page",
    unknown: str | None = None,
    previous_map: Path | str | None = None,
    site_seconds: Path | str | None = None,
    settings: Settings | None = None,
    learning: LearnerSettings | None = None,
) -> PartitionMap:
    """Cut a session's links into ``parts`` parts, write the map into the folder ``out``, and return it opened.

    ``model`` says which pages stay together, ``unknown`` who owns URLs that the map does not hold, ``previous_map``
    whose owners pages are left to where that costs little, ``learning`` how the model ``twoma`` learns, or with
    ``settings.time_cost`` who says at which ranks sites are tried; all as in ``cutweb partition``, with its defaults.
    ``settings.balance`` are the weights that are balanced, by default ``{"storage": None, "requests": None}``; in
    ``{"requests": None, "links": 0.1}`` links have a tolerance of their own.  ``site_seconds`` is the table of
    ``--seconds``.  ``out`` is absent or empty, and is whole or absent afterwards.  Raises SessionError, GraphError or
    MapError, or TimesError if nothing can be learnt from the session.
    """
    in_memory.make_partition(
        Path(session),
        model,
        parts,
        Path(out),
        settings or Settings(),
        unknown=unknown or default_rule(model),
        previous=None if previous_map is None else Path(previous_map),
        site_seconds=None if site_seconds is None else Path(site_seconds),
        learning=learning,
        progress=say_nothing,
    )
    return PartitionMap.open(Path(out))
