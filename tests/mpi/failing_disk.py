"""A crawl whose disk fails: ``python failing_disk.py WORD ERRNO SESSION crawl ...``.

Once the session's first epoch is committed, no file or folder whose path has WORD in it can be written, made or
renamed; with the word "gone" the session's folder vanishes.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path

from crawler.main import main

_WRITING = os.O_WRONLY | os.O_RDWR
_EVENTS = {"open", "os.link", "os.mkdir", "os.rename"}


def fail(word: str, number: int, session: Path) -> None:
    """From now on the disk fails."""
    is_done = False

    def on_event(event: str, details: tuple[object, ...]) -> None:
        nonlocal is_done
        if event not in _EVENTS or is_done or not (session / "epochs" / "000001.json").exists():
            return
        if word == "gone":
            is_done = True
            with suppress(FileNotFoundError):  # another rank was first
                session.rename(session.with_name("elsewhere"))
        elif event == "open" and not details[2] & _WRITING:  # type: ignore[operator]
            return
        elif any(word in os.fsdecode(path) for path in details if isinstance(path, str | bytes | os.PathLike)):
            raise OSError(number, os.strerror(number), os.fspath(details[0]))  # type: ignore[call-overload]

    sys.addaudithook(on_event)


if __name__ == "__main__":
    fail(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
    sys.argv[1:] = sys.argv[4:]
    sys.exit(main())
