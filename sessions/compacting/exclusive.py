"""One process at a time compacts a session."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

from sessions.session import Session, SessionError, epoch_path


@contextmanager
def compacting_alone(session: Session) -> Iterator[None]:
    """Within it no other process compacts the session, as far as its file system knows locks.

    The lock is on the session's last commit record and ends with the process, however that ends.  Raises SessionError
    if another process has it, or the session has got another record since it was opened.
    """
    try:
        descriptor = os.open(epoch_path(session.path, session.last_epoch), os.O_RDWR)  # NFS locks what one may write
    except FileNotFoundError as error:
        raise changed_meanwhile(session) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise SessionError(f"{session.path}: another process is compacting it; wait until it has ended") from error
        except OSError:  # a file system without locks: the commit record still lets only one of two succeed
            pass
        if Session.open(session.path).last_epoch != session.last_epoch:
            raise changed_meanwhile(session)
        yield
    finally:
        os.close(descriptor)


def changed_meanwhile(session: Session) -> SessionError:
    """Return what to raise where somebody else has created the next commit record of a session."""
    return SessionError(
        f"{session.path}: another run has taken it over, or compacted it, meanwhile; it is as that left it"
    )
