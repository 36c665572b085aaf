"""What is said when a run cannot go on because of its session's folder: full, read-only, vanished, another run's."""

import errno
from pathlib import Path

from crawler.process.problems import problem_of
from sessions.session import Session, SessionError
from sessions.writing.commit import FencedError

_OF_FILES = {
    *(errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO, errno.EACCES, errno.EPERM),
    *(errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ESTALE, errno.ENODEV, errno.ENXIO),
    *(errno.EMFILE, errno.ENFILE, errno.ENAMETOOLONG, errno.ENOTEMPTY, errno.EREMOTEIO),
}


def reason_of(error: BaseException) -> str | None:
    """Why a run ends, in one line, if files are to blame, as they may be on any machine; None if the program is."""
    if isinstance(error, SessionError):
        return str(error)
    return problem_of(error) if isinstance(error, OSError) and error.errno in _OF_FILES else None


def what_is_left(error: BaseException, folder: Path | None) -> str:
    """What there still is of the session, as the end of a sentence, and how to go on with it."""
    if folder is None or isinstance(error, FencedError):
        return ""
    try:
        session = Session.open(folder)
    except SessionError as unreadable:
        return f"; the session cannot be read any more ({unreadable})"
    count = len(session.epochs)
    kept = f"everything up to epoch {count} is kept" if count else "no epoch was committed"
    further = f"; once that is mended, go on with: cutweb crawl --resume {folder}" if session.seeds else ""
    return f"; {kept}{further}"
