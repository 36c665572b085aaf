"""Whether a session is whole."""

from pathlib import Path

from sessions.checking import check
from sessions.checking.check import Findings


def check_session(session: Path | str) -> Findings:
    """Check a session: every file, row, record and counter, as ``cutweb check`` does, and return what was found.

    ``is_good`` says whether all is right, ``problems`` what is not.  Raises SessionError if ``session`` is not a
    session, or of a format that this version does not read.
    """
    return check.check_session(Path(session))
