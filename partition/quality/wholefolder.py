"""A folder that is there whole or not at all."""

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sessions.session import SessionError, check_claimable
from sessions.tables import sync_folder


class ReportError(Exception):
    """A report that cannot be made; the message is one line that names what is wrong."""


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """A new folder beside ``folder`` that takes its place if all goes well, and is removed with all in it if not.

    ``folder`` must be absent or empty.  Raises ReportError if it is not, or cannot be written.
    """
    place = folder.resolve()
    try:
        check_claimable(folder)
        place.parent.mkdir(parents=True, exist_ok=True)
        partial = place.with_name(f".{place.name}.{secrets.token_hex(4)}.partial")
        partial.mkdir()
    except SessionError as error:
        raise ReportError(str(error)) from error
    except (OSError, ValueError) as error:
        raise ReportError(f"{folder}: {getattr(error, 'strerror', None) or error}") from error
    try:
        yield partial
        partial.rename(place)
        sync_folder(place.parent)
    except OSError as error:
        raise ReportError(f"{folder}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
