"""Which content type counts: the cases of the Fetch standard's tests for "extract a MIME type"."""

from time import thread_time

import pytest

from crawler.pages.content_type import essence_of, type_that_counts


@pytest.mark.parametrize(
    ("listed", "counts"),
    [
        ("text/html", "text/html"),
        ("text/plain, text/html", "text/html"),
        ("text/html, nonsense", "text/html"),
        ("text/html, */*", "text/html"),
        ("text/html, ", "text/html"),
        (", text/html", "text/html"),
        ("text/html;charset=gbk, text/html", "text/html; charset=gbk"),
        ("text/html;charset=gbk, text/html;charset=koi8-r", "text/html;charset=koi8-r"),
        ("text/html;charset=gbk;a=b, text/html;x=y", "text/html; charset=gbk;x=y"),
        ('text/html;charset=gbk, text/html;x=",text/html', 'text/html; charset=gbk;x=",text/html'),
        ("text/html;charset=gbk, text/plain, text/html", "text/html"),
        ('text/html;x="a,b"', 'text/html;x="a,b"'),
        ("html, */*", "html, */*"),
    ],
)
def test_the_last_valid_type_of_a_list_counts(listed: str, counts: str) -> None:
    assert type_that_counts(listed) == counts


@pytest.mark.parametrize(
    ("content_type", "essence"),
    [
        ("Text/HTML ; charset=x", "text/html"),
        ("  image/svg+xml", "image/svg+xml"),
        ("html", ""),
        ("text/", ""),
        ("/html", ""),
        ("text/html x", ""),
        ("", ""),
    ],
)
def test_type_and_subtype(content_type: str, essence: str) -> None:
    assert essence_of(content_type) == essence


LONG = {
    "escaped": 'text/html,"' + '\\"' * 40_000 + "\\",
    "open": "text/html" + ',"\\' * 30_000,
    "names": 'a/b;x="' * 15_000,
}


@pytest.mark.parametrize("header", LONG.values(), ids=LONG)
def test_no_header_takes_long(header: str) -> None:
    before = thread_time()
    type_that_counts(header)
    assert thread_time() - before < 3.0
