"""Dates of HTTP, and how long a server asks to be left alone."""

from email.utils import formatdate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.pages.http_date import LONGEST_WAIT_SECONDS, seconds_since_1970, seconds_to_wait

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


RECEIVED = 784111777.0
"""1994-11-06 08:49:37 UTC."""


def waited(retry_after: str, **headers: str) -> float:
    return seconds_to_wait(
        {b"retry-after": retry_after, **{name.encode(): value for name, value in headers.items()}}, RECEIVED
    )


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("120", 120.0),
        (" 7 ", 7.0),
        ("0", 0.0),
        ("007", 7.0),
        ("99999999", LONGEST_WAIT_SECONDS),
        ("9" * 5000, LONGEST_WAIT_SECONDS),
        ("", 0.0),
        ("-5", 0.0),
        ("+5", 0.0),
        ("1.5", 0.0),
        ("1e3", 0.0),
        ("٣", 0.0),
        ("²", 0.0),
        ("soon", 0.0),
        ("5, 6", 0.0),
        ("Sun, 06 Nov 1994 08:50:37 GMT", 60.0),
        ("Sunday, 06-Nov-94 08:50:37 GMT", 60.0),
        ("Sun Nov  6 08:50:37 1994", 60.0),
        ("Sun, 06 Nov 1994 08:50:37 -0000", 60.0),
        ("Sun, 06 Nov 1994 09:50:37 +0100", 60.0),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 0.0),
        ("Sat, 05 Nov 1994 08:49:37 GMT", 0.0),
        ("Sun, 06 Nov 2094 08:49:37 GMT", LONGEST_WAIT_SECONDS),
        ("Sun, 99 Nov 1994 08:50:37 GMT", 0.0),
        ("Sun, 06 Nov 99999 08:50:37 GMT", 0.0),
    ],
)
def test_seconds_and_dates_of_every_form(text: str, seconds: float) -> None:
    assert waited(text) == seconds


def test_no_header_is_no_wait() -> None:
    assert seconds_to_wait({}, RECEIVED) == 0.0


def test_a_date_counts_from_the_servers_own_clock() -> None:
    assert waited("Sun, 06 Nov 1994 08:50:37 GMT", date="Sun, 06 Nov 1994 08:50:07 GMT") == 30.0
    assert waited("Sun, 06 Nov 1994 08:50:37 GMT", date="nonsense") == 60.0


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.text(), st.text(), st.floats(0, 4e9))
def test_whatever_is_sent_the_wait_is_bounded(retry_after: str, date: str, received: float) -> None:
    wait = seconds_to_wait({b"retry-after": retry_after, b"date": date}, received)
    assert 0.0 <= wait <= LONGEST_WAIT_SECONDS


@settings(deadline=None, derandomize=True)
@given(st.integers(0, 10**30))
def test_seconds_are_taken_as_they_are(seconds: int) -> None:
    assert waited(str(seconds)) == min(float(seconds), LONGEST_WAIT_SECONDS)
