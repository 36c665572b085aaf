"""Servers that ask to be asked later: 429 and 503 with Retry-After (RFC 9110, section 10.2.3) of all kinds."""

from email.utils import formatdate

from tests.hostile.answers import answer
from tests.hostile.evil import Ask, End, Place, Record, Steps, evil, fetched

QUEUED = Record("queued", "...")


def asks_later(name: str, says: str, after: str | None, status: str, *records: Record) -> None:
    """An evil that always asks to be asked later."""

    def handler(_ask: Ask) -> Steps:
        yield answer(b"later", *([] if after is None else [f"Retry-After: {after}"]), status=status)
        yield End.KEEP

    handler.__name__, handler.__doc__ = name, says
    evil(*records, place=Place.ALONE)(handler)


UNAVAILABLE, TOO_MANY = "503 Service Unavailable", "429 Too Many Requests"
asks_later("retry_after_a_second", "503, again in a second.", "1", UNAVAILABLE, fetched(503))
asks_later(
    "retry_after_a_date", "503, again at a date that is past.", formatdate(0, usegmt=True), UNAVAILABLE, fetched(503)
)
asks_later("retry_after_ages", "503, again in 3,000 years.", "99999999999", UNAVAILABLE, fetched(503), QUEUED)
asks_later(
    "retry_after_overflow", "503, after a number that is too large.", "9" * 400, UNAVAILABLE, fetched(503), QUEUED
)
asks_later("retry_after_junk", "503, after what is no time.", "soon; \x1b[31m", UNAVAILABLE, fetched(503))
asks_later("retry_after_negative", "429, again before now.", "-100", TOO_MANY, fetched(429))
asks_later("too_many_without_a_time", "429, without a time.", None, TOO_MANY, fetched(429))
asks_later("too_many_for_a_second", "429, again in a second.", "1", TOO_MANY, fetched(429))


@evil(fetched(), fetched(503), place=Place.ALONE)
def unavailable_once(ask: Ask) -> Steps:
    """503 at first, a page to whoever comes again."""
    yield answer(b"later", "Retry-After: 0", status=UNAVAILABLE) if ask.number == 1 else answer()
    yield End.KEEP
