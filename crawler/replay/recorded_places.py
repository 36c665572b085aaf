"""Where the files and folders lie that a session names in its configuration."""

from pathlib import Path

from sessions.session import Session


def recorded_place(session: Session, name: str) -> Path:
    """The file or folder of that name: the first that is there, else the name as it stands.

    Sessions of older versions have names that were relative to the folder in which somebody worked.  That is likely
    to be the one in which the session lies, and may be the one of today.
    """
    beside = session.path.resolve().parent / name
    return beside if beside.exists() else Path(name)
