"""How a crawl stands, in a file of its session that is replaced about once a second: SESSION/live.json.

It is there for those who look (``cutweb info --watch``); it is no part of what a session records, and nothing that
crawls reads it.  It is renamed into place, so whoever reads it finds it whole, and it is not forced to disk.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from crawler.exchange.verdict import Status
from sessions.storage.os_errors import naming

NAME = "live.json"
_SHORTEST_SECONDS = 1.0
_FACTS = ("run", "superstep", "epoch", "seconds")


class LiveRank(NamedTuple):
    """What is told of a rank; ``waiting`` pages are fetched and not recorded yet, ``errors`` are of all kinds."""

    pages: int
    queued: int
    in_flight: int
    waiting: int
    bytes: int
    errors: int


@dataclass(frozen=True, slots=True)
class Live:
    """How the crawl stood at the end of a superstep, ``seconds`` after its run began; ``epoch`` is the last committed.

    Superstep and epoch count from the session's beginning, what ``ranks`` have from the run's.
    """

    run: str
    superstep: int
    epoch: int
    seconds: float
    ranks: tuple[LiveRank, ...]


class LiveFile:
    """A watcher that keeps the live file of a session.  ``header`` is the session's as rank 0 keeps it up to date."""

    def __init__(self, session: Path, header: Mapping[str, Any]) -> None:
        self._path = session / NAME
        self._header = header
        self._written_at = -_SHORTEST_SECONDS

    def show(self, states: Sequence[Status], *, is_last: bool = False) -> None:
        seconds = states[0].milliseconds / 1000
        if seconds - self._written_at < _SHORTEST_SECONDS and not is_last:
            return
        self._written_at = seconds
        ranks = tuple(
            LiveRank(state.pages, state.queued, state.in_flight, state.waiting, state.bytes, sum(state.errors))
            for state in states
        )
        self._write(Live(self._header["run"], states[0].superstep, self._header["epochs"], seconds, ranks))

    def close(self) -> None:
        pass

    def _write(self, live: Live) -> None:
        partial = self._path.with_name(f".{NAME}.partial")
        content = {name: getattr(live, name) for name in _FACTS} | {"ranks": [rank._asdict() for rank in live.ranks]}
        with naming(self._path):
            partial.write_text(json.dumps(content) + "\n", encoding="utf-8")
            partial.replace(self._path)


def read_live(session: Path) -> Live | None:
    """How a crawl stands by its live file; None if it has written none.

    Raises ValueError, which names the file, if it is not what a crawl writes.
    """
    path = session / NAME
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        ranks = tuple(LiveRank(*(int(rank[name]) for name in LiveRank._fields)) for rank in content["ranks"])
        superstep, epoch = int(content["superstep"]), int(content["epoch"])
        return Live(str(content["run"]), superstep, epoch, float(content["seconds"]), ranks)
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{path}: is not what a crawl writes there ({error!r})") from error
