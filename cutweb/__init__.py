"""Cutweb for programs: crawl, read sessions, cut them, replay them.

    import cutweb

    session = cutweb.crawl(["https://a.example/"], "session", contact="me@a.example", scope="sites", ranks=4)
    pages = session.read("pages", ["url", "status", "bytes"]).to_pandas()
    cutweb.make_partition("session", "map", parts=8)
    report = cutweb.estimate("session", "report", parts=8, partition="map")

`crawl`, `replay` and `estimate` take the options of the commands of that name (docs/options.md, ``cutweb crawl
--help``) as keyword arguments, and run them in processes of their own: MPI begins once in a process, and a rank takes
the signals.  Everything else happens in this process.  Nothing heavy is loaded before it is used.

The package is a folder because ``py.typed`` (PEP 561) says of packages only that they are typed.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cutweb.check import check_session
    from cutweb.partitions import make_partition
    from cutweb.runs import RunError, crawl, estimate, replay
    from partition.graphs.link_graph import GraphError
    from partition.map.manifest import MapError
    from partition.map.partition_map import PartitionMap
    from sessions.session import Session, SessionError
    from sessions.version import software_version

__all__ = [
    "GraphError",
    "MapError",
    "PartitionMap",
    "RunError",
    "Session",
    "SessionError",
    "check_session",
    "crawl",
    "estimate",
    "make_partition",
    "replay",
    "software_version",
]

_PLACES = {
    "GraphError": "partition.graphs.link_graph",
    "MapError": "partition.map.manifest",
    "PartitionMap": "partition.map.partition_map",
    "RunError": "cutweb.runs",
    "Session": "sessions.session",
    "SessionError": "sessions.session",
    "check_session": "cutweb.check",
    "crawl": "cutweb.runs",
    "estimate": "cutweb.runs",
    "make_partition": "cutweb.partitions",
    "replay": "cutweb.runs",
    "software_version": "sessions.version",
}


def __getattr__(name: str) -> Any:
    """Load what is asked for, once (PEP 562)."""
    if name == "__version__":
        from sessions.version import software_version

        return software_version()
    if name not in _PLACES:
        raise AttributeError(f"module 'cutweb' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_PLACES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
