"""Dates of HTTP."""

from email.utils import formatdate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.pages.http_date import seconds_since_1970

NOVEMBER_1994 = 784111777.0


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("Sun, 06 Nov 1994 08:49:37 GMT", NOVEMBER_1994),
        ("Sunday, 06-Nov-94 08:49:37 GMT", NOVEMBER_1994),
        ("Sun Nov  6 08:49:37 1994", NOVEMBER_1994),
        ("Sun, 06 Nov 1994 08:49:37 -0000", NOVEMBER_1994),
        ("Sun, 06 Nov 1994 09:49:37 +0100", NOVEMBER_1994),
        ("Mon, 01 Jan 2001 00:00:00 +2359", 978220860.0),
        ("Fri, 31 Dec 9999 23:59:59 -2359", 253402387139.0),
        ("", None),
        ("0", None),
        ("soon", None),
        ("Sun, 99 Nov 1994 08:49:37 GMT", None),
        ("Sun, 06 Nov 99999 08:49:37 GMT", None),
    ],
)
def test_forms_of_dates(text: str, seconds: float | None) -> None:
    assert seconds_since_1970(text) == seconds


@given(st.integers(0, 253402300799))
def test_a_date_is_read_as_it_was_written(seconds: int) -> None:
    assert seconds_since_1970(formatdate(seconds, usegmt=True)) == seconds


@settings(deadline=None, max_examples=300)
@given(st.text())
def test_whatever_is_sent_is_a_date_or_none(text: str) -> None:
    moment = seconds_since_1970(text)
    assert moment is None or abs(moment) < 1e12
