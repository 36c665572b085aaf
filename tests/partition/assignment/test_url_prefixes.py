"""URLs as keys that prefixes own."""

from itertools import pairwise, takewhile
from urllib.parse import urlsplit

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partition.assignment.url_prefixes import shared_prefixes, site_of_key, site_prefix, url_key, url_keys
from sessions.url import canonical, site_of

SITES = st.sampled_from(["a.example", "b.example:8080", "[::1]", "[::1]:81", "xn--bcher-kva.example"])
USERS = st.sampled_from(["", "me@", "me:secret@", "a%40b@"])
RESTS = st.text("ab/?@:%20", max_size=12)
URLS = st.builds(
    lambda scheme, user, site, rest: canonical(f"{scheme}://{user}{site}/{rest}"),
    st.sampled_from(["http", "https"]),
    USERS,
    SITES,
    RESTS,
).filter(lambda url: url is not None)


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://a.example/", "a.example/"),
        ("https://a.example/", "a.example/"),
        ("https://a.example:8443/x/y?q=/@", "a.example:8443/x/y?q=/@"),
        ("http://me:secret@a.example/@x", "a.example/@x"),
        ("http://[::1]:81/x", "[::1]:81/x"),
    ],
)
def test_a_key_is_what_follows_scheme_and_userinfo(url: str, key: str) -> None:
    assert url_key(url) == key


@given(st.lists(URLS, max_size=10))
def test_keys_are_host_path_and_query(urls: list[str]) -> None:
    expected = []
    for url in urls:
        parts = urlsplit(url)
        rest = url.partition("://")[2].partition("/")[2]
        expected.append(f"{parts.netloc.rpartition('@')[2]}/{rest}")
    assert url_keys(urls) == [url_key(url) for url in urls] == expected


@given(URLS)
def test_a_key_begins_with_the_prefix_of_its_site(url: str) -> None:
    assert url_key(url).startswith(site_prefix(site_of(url)))
    assert site_of_key(url_key(url)) == site_of_key(site_prefix(site_of(url))) == site_of(url)


BEGINNINGS = st.sampled_from([b"", b"1234567", b"12345678", b"http://www.a.example/", bytes(24), bytes(25)])


@given(
    st.lists(st.builds(lambda head, tail: head + tail.encode(), BEGINNINGS, st.text("ab", max_size=20)), max_size=20)
)
def test_shared_prefixes_are_counted_in_bytes(texts: list[bytes]) -> None:
    lengths = np.array([len(text) for text in texts], np.int64)
    buffer = np.frombuffer(b"".join(texts), np.uint8)
    shared = shared_prefixes(buffer, np.cumsum(lengths) - lengths, lengths)
    expected = [
        sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
        for one, other in pairwise(texts)
    ]
    assert shared.tolist() == ([0, *expected] if texts else [])
