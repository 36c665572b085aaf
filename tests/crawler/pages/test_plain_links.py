"""Links joined by the compiled way beside ada, which decides what they lead to."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.pages.attribute_text import attribute_text
from crawler.pages.link_scan import COLUMNS
from crawler.pages.plain_links import IS_UNKNOWN, join_plain
from sessions.url import canonical, join, url_hash
from sessions.url_hash import LONGEST

UNKNOWN = "?"


def joined(base: str, text: bytes) -> str | None:
    """The URL that a text leads to, None if it leads nowhere, or UNKNOWN."""
    place = np.array([[3, 3 + len(text), *[0] * (COLUMNS - 2)]], np.int32)
    urls, ends, hashes = np.zeros(2 * LONGEST, np.uint8), np.zeros(2, np.int32), np.zeros(1, np.uint64)
    document = np.frombuffer(b"'''" + text + b"'", np.uint8)
    unknown = np.zeros((1, 2), np.int32)
    count = join_plain(document, place, 1, np.frombuffer(base.encode(), np.uint8), urls, ends, hashes, unknown)
    assert count == (hashes[0] == IS_UNKNOWN)
    if not ends[1]:
        assert unknown[:count].tolist() == place[:count, :2].tolist()
        return UNKNOWN if count else None
    url = urls[: ends[1]].tobytes().decode()
    assert hashes[0] == url_hash(url)
    return url


def oracle(base: str, text: bytes) -> str | None:
    return join(base, [attribute_text(text)])[0]


BASES = [
    "http://a.example/",
    "http://a.example/?q",
    "https://a.example:8080/dir/page?q=/x/y",
    "http://a.example/one//two/three/",
    "http://[::1]/x",
]
PLAIN = ["", "x", "/x", "?q", "#f", "x#f", "../y", "../../../y", "./", "..", ".", "..?q", "/a.b/c", "/a:b", "mailto:x"]
PLAIN += [
    "http://B.example",
    "https://b.example/x?y#z",
    "http://b.example?q",
    "a?b=1&amp;c=2",
    "a?b=1&c=2",
    "javascript:",
]
PLAIN += ["..x/y", ".x", "x/.y", "a?../b", "x//y", "1:2", "a%20b", "x&y=1", "tel:1", "x?%2e", "a?b?c", "/"]


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("text", PLAIN)
def test_what_is_plain_is_joined_as_ada_joins_it(base: str, text: str) -> None:
    assert joined(base, text.encode()) == oracle(base, text.encode())


NOT_PLAIN = [" x", "x y", "x\t", "//b.example", "HTTP://b.example", "http:x", "x/../y", "x/.", "x/%2E%2e/y", "\\x"]
NOT_PLAIN += ["http://1.2.3.4/", "http://b.example:80/", "http://xn--a.example/", "http://b.example./", "http://0x1/"]
NOT_PLAIN += ["x&copy", "x&#65;", "x&copy;", "a'b", "\u00e9", "http://u@b.example/", "x" * LONGEST, "a|b", "http://"]


@pytest.mark.parametrize("text", NOT_PLAIN)
def test_what_is_not_plain_is_left_to_ada(text: str) -> None:
    assert joined("http://a.example/dir/page", text.encode()) == UNKNOWN


PIECES = [
    "http:",
    "https:",
    "HTTP:",
    "//",
    "/",
    "/",
    "..",
    ".",
    "../",
    "?",
    "#",
    "&",
    "&amp;",
    "&copy",
    "=",
    ";",
    ":",
    "%",
]
PIECES += [
    "2e",
    "2E",
    "20",
    "a",
    "b.example",
    "B",
    "-",
    "--",
    "xn--",
    "1",
    "0x",
    "_",
    "~",
    "(",
    "@",
    "+",
    ",",
    "mailto:",
]
PIECES += [" ", "\t", "\n", "\\", "'", "|", "[", "\u00e9", "javascript:", "a1", "x" * 60, "%2e", "&lang=", "&#65;"]


@settings(max_examples=500, deadline=None)
@given(st.sampled_from(BASES), st.lists(st.sampled_from(PIECES), max_size=9).map("".join))
def test_any_text_leads_where_ada_says_or_is_not_plain(base: str, text: str) -> None:
    url = joined(base, text.encode())
    assert url in (UNKNOWN, oracle(base, text.encode()))


@settings(deadline=None)
@given(st.text(max_size=12).map(lambda text: canonical("http://a.example/" + text) or BASES[0]), st.sampled_from(PLAIN))
def test_any_base(base: str, text: str) -> None:
    url = joined(base, text.encode())
    assert url in (UNKNOWN, oracle(base, text.encode()))
