"""Dates of HTTP (RFC 9110, section 5.6.7), in each of their three forms."""

from datetime import UTC
from email.utils import parsedate_to_datetime


def seconds_since_1970(text: str) -> float | None:
    """Return the moment that a header names, in seconds since 1970 UTC; None if it is no date.

    A date without a zone is in UTC, as HTTP has it.
    """
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):  # by what the text breaks off in
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
