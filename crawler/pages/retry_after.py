"""Retry-After (RFC 9110, section 10.2.3): how long a server asks us to stay away."""

from collections.abc import Mapping

from crawler.pages.http_date import seconds_since_1970

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
