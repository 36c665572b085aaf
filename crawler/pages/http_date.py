"""Dates of HTTP (RFC 9110, section 5.6.7), in each of their three forms, and Retry-After (section 10.2.3)."""

from collections.abc import Mapping
from datetime import UTC


def seconds_since_1970(text: str) -> float | None:
    """Return the moment that a header names, in seconds since 1970 UTC; None if it is no date.

    A date without a zone is in UTC, as HTTP has it.
    """
    from email.utils import parsedate_to_datetime  # a rank's first request need not wait for that

    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):  # by what the text breaks off in
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


LONGEST_WAIT_SECONDS = 3600.0
"""Longer is not waited within a session."""


def seconds_to_wait(headers: Mapping[bytes, str], received: float) -> float:
    """The seconds that Retry-After asks for, at most `LONGEST_WAIT_SECONDS`; 0 where it is missing or means nothing.

    A date counts from the response's Date, or else from the time ``received``, in seconds since 1970 UTC.
    """
    text = headers.get(b"retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return min(float(text[:20]), LONGEST_WAIT_SECONDS)
    until = seconds_since_1970(text)
    if until is None:
        return 0.0
    now = seconds_since_1970(headers.get(b"date", ""))
    return min(max(0.0, until - (received if now is None else now)), LONGEST_WAIT_SECONDS)
