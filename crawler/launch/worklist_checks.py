"""What rank 0 checks of a worklist before a crawl by it begins, or goes on: every row, and whom it leads to."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from crawler.config.command_line import UsageError
from crawler.network.contact import first_beyond_loopback
from crawler.process.progress_line import ProgressLine
from crawler.worklist.manifest import WorklistError
from crawler.worklist.rows import KINDS
from crawler.worklist.worklist import Worklist, open_worklist
from sessions.url import canonical


class CheckedWorklist(NamedTuple):
    """A worklist that a crawl can keep to: who it is, and what the last session that it lists has begun with.

    ``beyond`` is the first URL that leads beyond this machine, None if all stay here.
    """

    identity: str
    seeds: tuple[str, ...]
    last_session: Path
    beyond: str | None


def checked_worklist(path: Path, connect_to: Sequence[str]) -> CheckedWorklist:
    """Read a whole worklist.  Raises UsageError, which names file and row, if a crawl cannot keep to it.

    ``connect_to`` are values of that option.
    """
    try:
        worklist = open_worklist(path)
        if not worklist.manifest.has_urls:
            raise UsageError(f"--worklist {path}: has no URLs: it was made of sessions that were imported without them")
        with ProgressLine() as progress:
            progress.say(f"checking {path}")
            worklist.check()
            urls = _canonical_urls(worklist)
            beyond = first_beyond_loopback(urls, connect_to)
            for _ in urls:  # those behind it are looked at, too
                pass
        return CheckedWorklist(worklist.identity, worklist.seeds, Path(worklist.last_session.path), beyond)
    except WorklistError as error:
        raise UsageError(f"--worklist {error}") from error


def check_same(recorded: str | None, identity: str, path: Path) -> None:
    """Raise UsageError if a session that goes on was begun with another worklist than the one at ``path``."""
    if recorded != identity:
        raise UsageError(
            f"--worklist {path}: is another list ({identity}) than the session was begun with ({recorded}); put that "
            "one back, or begin a new session"
        )


def _canonical_urls(worklist: Worklist) -> Iterator[str]:
    for kind in KINDS:
        for placed in worklist.rows(kind):
            for row, url in enumerate(placed.batch["url"].to_pylist()):
                if canonical(url) != url:
                    raise UsageError(f"{placed.place(row)}: not an http(s) URL in canonical form: {url}")
                yield url
