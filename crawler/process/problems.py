"""What has gone wrong, in one line."""

from pathlib import Path


def problem_of(error: Exception, about: Path | None = None) -> str:
    """Return in one line what has gone wrong; ``about`` is named where the error itself names nothing.

    An error of the operating system names a file at most, one for want of memory nothing; any other says it itself.
    """
    if isinstance(error, OSError):
        place, reason = error.filename or about, error.strerror or error
    elif isinstance(error, MemoryError):
        place, reason = about, "not enough memory"
    else:
        return str(error)
    return f"{place}: {reason}" if place else str(reason)
