"""What is replayed: a session's folder, or a WARC file, which is made a session for the time; and what it names."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from errno import ENOTDIR
from os import strerror
from pathlib import Path

from crawler.pages.warc_import import import_warcs
from sessions.progress import Progress, quiet
from sessions.session import Session
from sessions.storage.temporary_folder import scratch_folder

WARC_NAMES = (".warc", ".warc.gz")


def is_warc(path: Path) -> bool:
    """Is this, by its name, a WARC file rather than a session's folder?"""
    return path.name.lower().endswith(WARC_NAMES)


def name_of(path: Path) -> str:
    """What a session is called in reports: its folder's name, or its WARC file's without the ending."""
    name = path.resolve().name
    ending = next((ending for ending in reversed(WARC_NAMES) if name.lower().endswith(ending)), "")
    return name[: len(name) - len(ending)]


def folder_above(out: Path) -> Path:
    """The nearest folder above ``out`` that is there, to keep things in for the time: on the same disk, as a rule.

    Raises NotADirectoryError, which names ``out``, if it cannot be made since a file is in its way.
    """
    above = next(path for path in out.resolve().parents if path.exists())
    if not above.is_dir():
        raise NotADirectoryError(ENOTDIR, strerror(ENOTDIR), str(out))
    return above


@contextmanager
def recorded_session(
    path: Path, scratch: Path | None = None, progress: Progress = quiet, warn: Callable[[str], None] = lambda _: None
) -> Iterator[Path]:
    """The folder of the session that ``path`` is; of a WARC file, of one that is imported now and removed at the end.

    It is imported into ``scratch``, a folder that is there, or where temporary files lie.  ``warn`` is told of
    responses that cannot be read.  Raises SourceError for a file that is no WARC file or is damaged.
    """
    if not is_warc(path):
        yield path
        return
    with scratch_folder(".replay-", scratch) as folder:
        session = folder / name_of(path)
        import_warcs([path], session, progress, warn)
        yield session


def recorded_place(session: Session, name: str) -> Path:
    """The file or folder of that name: the first that is there, else the name as it stands.

    Sessions of older versions have names that were relative to the folder in which somebody worked.  That is likely
    to be the one in which the session lies, and may be the one of today.
    """
    beside = session.path.resolve().parent / name
    return beside if beside.exists() else Path(name)
