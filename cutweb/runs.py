"""Crawls, replays and estimates, each run by the command of that name in processes of its own."""

import json
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from sessions.session import Session

Value = str | int | float | bool | Path | Iterable[str | int | Path] | None
_MOST_LINES = 5


class RunError(Exception):
    """A run that did not do what it was asked: its message is what the command said, ``code`` its exit code.

    2 is a request that cannot be done, 3 a session that another run has taken over, 4 a crawl that fetched nothing.
    """

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


def crawl(seeds: Sequence[str], out: Path | str, **options: Value) -> Session:
    """Crawl from ``seeds``, URLs, into the new folder ``out``, and return the session.

    ``options`` are those of ``cutweb crawl``: ``max_pages=1000`` is ``--max-pages 1000``, ``http2=False`` is
    ``--no-http2``, a list gives an option several times.  Raises RunError.
    """
    _run("crawl", [*seeds], {"out": out, **options})
    return Session.open(out)


def replay(session: Path | str, out: Path | str, **options: Value) -> Session:
    """Crawl a recorded session again into the new folder ``out``, and return the session that this makes.

    ``options`` are those of ``cutweb replay``, ``ranks`` and ``partition`` among them.  Raises RunError.
    """
    _run("replay", [str(session)], {"out": out, **options})
    return Session.open(out)


def estimate(session: Path | str, out: Path | str, **options: Value) -> dict[str, Any]:
    """Compute what a replay by any number of ranks would do, write the report into ``out``, and return its figures.

    ``options`` are those of ``cutweb replay --estimate``: ``parts="8,16"``, ``models``, ``partition``.  What is
    returned is report.json (docs/replay.md).  Raises RunError.
    """
    _run("replay", [str(session)], {"estimate": True, "out": out, **options})
    report: dict[str, Any] = json.loads((Path(out) / "report.json").read_text(encoding="utf-8"))
    return report


def _run(command: str, arguments: Sequence[str], options: dict[str, Value]) -> None:
    """Run a command and wait for its end.  Ctrl-C asks it to end in order and waits; a second one kills it."""
    # -P: a folder crawler/ in the working folder, as any Scrapy project has one, is not ours.
    line = [sys.executable, "-P", "-m", "cutweb", command, *_as_words(options), "--", *arguments]
    with subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        try:
            said = _last_lines(process)
        except KeyboardInterrupt:
            process.terminate()
            _last_lines(process)
            raise
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        message = "\n".join(said) or f"cutweb {command} ended with exit code {process.returncode}"
        raise RunError(message, process.returncode)


def _last_lines(process: "subprocess.Popen[bytes]") -> list[str]:
    """Read what a command says until it ends, and return its own messages, or else the last lines."""
    assert process.stderr is not None
    messages: deque[str] = deque(maxlen=_MOST_LINES)
    others: deque[str] = deque(maxlen=_MOST_LINES)
    for line in process.stderr:
        text = line.decode(errors="replace").rstrip()
        (messages if text.startswith("cutweb ") else others).append(text)
    process.wait()
    return [*(messages or others)]


def _as_words(options: dict[str, Value]) -> list[str]:
    """The options as words of a command line."""
    words = []
    for name, value in options.items():
        option = name.replace("_", "-")
        if isinstance(value, bool):
            words.append(f"--{option}" if value else f"--no-{option}")
        elif isinstance(value, str | int | float | Path):
            words.append(f"--{option}={value}")
        elif value is not None:
            words += [f"--{option}={one}" for one in value]
    return words
