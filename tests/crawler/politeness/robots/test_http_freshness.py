"""For how long a response may be used again."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from crawler.politeness.robots.http_freshness import lifetime

DATE = "Sun, 06 Nov 1994 08:49:37 GMT"
AN_HOUR_LATER = "Sun, 06 Nov 1994 09:49:37 GMT"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({b"cache-control": ""}, None),
        ({b"cache-control": "public, must-revalidate"}, None),
        ({b"cache-control": "max-age=600"}, 600.0),
        ({b"cache-control": "Max-Age = 600"}, 600.0),
        ({b"cache-control": 'max-age="600"'}, 600.0),
        ({b"cache-control": "max-age=600, s-maxage=60"}, 60.0),
        ({b"cache-control": "s-maxage=6000, max-age=600"}, 6000.0),
        ({b"cache-control": "public\nmax-age=600"}, 600.0),
        ({b"cache-control": "max-age=600\nmax-age=60"}, 60.0),
        ({b"cache-control": "max-age=0"}, 0.0),
        ({b"cache-control": "max-age=soon"}, 0.0),
        ({b"cache-control": "max-age=-1"}, 0.0),
        ({b"cache-control": "max-age"}, 0.0),
        ({b"cache-control": "max-age=600, no-store"}, 0.0),
        ({b"cache-control": "no-cache"}, 0.0),
        ({b"cache-control": "NO-CACHE, max-age=600"}, 0.0),
        ({b"cache-control": 'no-cache="set-cookie", max-age=600'}, 600.0),
        ({b"cache-control": "max-age=600", b"age": "100"}, 500.0),
        ({b"cache-control": "max-age=600", b"age": "1000"}, 0.0),
        ({b"cache-control": "max-age=600", b"age": "old"}, 600.0),
        ({b"expires": AN_HOUR_LATER, b"date": DATE}, 3600.0),
        ({b"expires": DATE, b"date": AN_HOUR_LATER}, 0.0),
        ({b"expires": "Sunday, 06-Nov-94 09:49:37 GMT", b"date": "Sun Nov  6 08:49:37 1994"}, 3600.0),
        ({b"expires": AN_HOUR_LATER}, None),
        ({b"expires": AN_HOUR_LATER, b"date": "today"}, None),
        ({b"expires": "0", b"date": DATE}, 0.0),
        ({b"expires": "-1"}, 0.0),
        ({b"expires": AN_HOUR_LATER, b"date": DATE, b"age": "600"}, 3000.0),
        ({b"expires": AN_HOUR_LATER, b"date": DATE, b"cache-control": "max-age=60"}, 60.0),
        ({b"age": "600"}, None),
    ],
)
def test_the_headers_say_it(headers: dict[bytes, str], seconds: float | None) -> None:
    assert lifetime(headers) == seconds


NAMES = st.sampled_from([b"cache-control", b"expires", b"date", b"age"])
TEXTS = st.one_of(
    st.text(max_size=30),
    st.sampled_from([DATE, AN_HOUR_LATER, "Sun, 06 Nov 99999 08:49:37 GMT", "max-age=", "no-store", "9" * 400, "²"]),
)


@settings(deadline=None, derandomize=True)
@given(st.dictionaries(NAMES, TEXTS))
@example({b"expires": "Fri, 31 Dec 9999 23:59:59 -2359", b"date": DATE})
@example({b"expires": "Mon, 01 Jan 0001 00:00:00 +2359", b"date": DATE})
def test_no_headers_do_harm(headers: dict[bytes, str]) -> None:
    seconds = lifetime(headers)
    assert seconds is None or 0.0 <= seconds < float("inf")
