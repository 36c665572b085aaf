"""For how long a response may be used again, as its headers say it (RFC 9111, section 4.2)."""

import re
from collections.abc import Mapping

from crawler.pages.http_date import seconds_since_1970

_SECONDS = re.compile(r'"?(\d{1,10})"?')


def lifetime(headers: Mapping[bytes, str]) -> float | None:
    """Seconds for which a response may be used from its receipt on; None if its headers do not say.

    ``headers`` by name in lower case; of Cache-Control all lines, one after the other.  What may not be kept, or says
    it in a way that makes no sense, may be used for 0 seconds.  s-maxage goes before max-age, for what is kept serves
    all ranks; Expires is counted from Date, so it says nothing without one.
    """
    seconds = _by_cache_control(headers.get(b"cache-control", ""))
    if seconds is None:
        seconds = _by_expires(headers.get(b"expires"), headers.get(b"date"))
    if seconds is None:
        return None
    age = _SECONDS.fullmatch(headers.get(b"age", ""))
    return max(0.0, seconds - (float(age[1]) if age else 0.0))


def _by_cache_control(text: str) -> float | None:
    said: dict[str, float] = {}
    for directive in re.split(r"[,\n]", text.lower()):
        name, _, value = (part.strip() for part in directive.partition("="))
        if name in ("no-store", "no-cache") and not value:
            return 0.0
        if name in ("s-maxage", "max-age"):
            seconds = _SECONDS.fullmatch(value)
            said[name] = min(said.get(name, float("inf")), float(seconds[1]) if seconds else 0.0)
    return said.get("s-maxage", said.get("max-age"))


def _by_expires(expires: str | None, date: str | None) -> float | None:
    if expires is None:
        return None
    if (end := seconds_since_1970(expires)) is None:
        return 0.0
    if date is None or (start := seconds_since_1970(date)) is None:
        return None
    return end - start
