"""Telling that a session is damaged, in the same words wherever its tables are read."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from sessions.session import SessionError


@contextmanager
def damage_told(session: Path) -> Iterator[None]:
    """Within it, whatever reading a damaged session raises becomes a SessionError that names its folder."""
    try:
        yield
    except MemoryError:  # Arrow's is an ArrowException as well
        raise
    except (KeyError, TypeError, ValueError, OSError, pa.ArrowException) as error:
        raise SessionError(f"{session} is damaged ({error}); cutweb check tells more") from error
