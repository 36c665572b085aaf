"""What the log of a fake web says of the rests between visits."""

from collections.abc import Sequence
from itertools import pairwise

from sessions.url import site_of
from tests.crawler.support.fake_web import FakeWeb, Seen


def gaps(visits: Sequence[Seen]) -> list[float]:
    """The time from the end of each request to the beginning of the next."""
    return [round(after.began - before.ended, 6) for before, after in pairwise(visits)]


def rests(web: FakeWeb, site: str) -> list[float]:
    """The time from the end of each request to a site to the beginning of the next; never negative."""
    return gaps([seen for seen in web.log if site_of(seen.url) == site])


def are(actual: list[float], *expected: float) -> bool:
    """Do rests last as long as these, in seconds?  Each is a little longer: see `crawler.politeness.delays`."""
    return len(actual) == len(expected) and all(
        0 <= one - other < 0.005 for one, other in zip(actual, expected, strict=True)
    )
