"""A rank's log (``--log-json``): SESSION/log/rank-RRRR-RUN.jsonl, one JSON object a line, one line an event.

It is written by `logging`, whose records carry the time.  Each line is handed to the operating system at once.
"""

import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from crawler.exchange.verdict import Status
from crawler.monitoring.events import EVENTS, say
from sessions.visible import visible_json

FOLDER = "log"


def log_path(session: Path, rank: int, run: str) -> Path:
    """Where a rank's log lies."""
    return session / FOLDER / f"rank-{rank:04d}-{run}.jsonl"


@contextmanager
def event_log(session: Path, rank: int, run: str) -> Iterator[None]:
    """Within it, events of this process are written to the log of a rank.

    So is the error that ends it, if one does.  A log that cannot be written raises OSError where something was said.
    """
    path = log_path(session, rank, run)
    path.parent.mkdir(exist_ok=True)
    handler = _Handler(path, encoding="utf-8")
    handler.setFormatter(_Line(rank, run))
    level_before = EVENTS.level
    EVENTS.addHandler(handler)
    EVENTS.setLevel(logging.INFO)
    try:
        yield
    except BaseException as error:
        with suppress(OSError):  # the log's own, perhaps; there is one already
            say("error", error=f"{type(error).__name__}: {error}")
        raise
    finally:
        EVENTS.setLevel(level_before)
        EVENTS.removeHandler(handler)
        with suppress(OSError):  # a disk that is full: what could not be written has raised by now
            handler.close()


class LoggedSupersteps:
    """A watcher that says how a ``rank`` stands at the end of each superstep, and that it was asked to stop."""

    def __init__(self, rank: int) -> None:
        self._rank = rank
        self._is_stopping = False

    def show(self, states: Sequence[Status], *, is_last: bool = False) -> None:
        state = states[self._rank]
        say(
            "superstep ended",
            superstep=state.superstep,
            seconds=state.milliseconds / 1000,
            pages=state.pages,
            bytes=state.bytes,
            queued=state.queued,
            in_flight=state.in_flight,
            waiting=state.waiting,
            failed=state.failed,
            filtered=state.filtered,
            errors=sum(state.errors),
        )
        if state.is_stopping and not self._is_stopping:
            self._is_stopping = True
            say("stop asked for")

    def close(self) -> None:
        pass


class _Handler(logging.FileHandler):
    """Appends to a file; what cannot be written is an error like any other."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        error = sys.exc_info()[1]
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror, self.baseFilename) from error
        raise


class _Line(logging.Formatter):
    """Writes events of a rank as JSON."""

    def __init__(self, rank: int, run: str) -> None:
        super().__init__()
        self._names = {"run": run, "rank": rank}

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        event = {"time": time, **self._names, "event": record.getMessage(), **getattr(record, "fields", {})}
        return visible_json(event)
