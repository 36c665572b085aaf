"""URL identity."""

import can_ada
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xxhash import xxh3_64_intdigest

from sessions.url import LONGEST_URL, canonical, domain_of, host_of, join, origin_of, site_of, url_hash, url_hashes

# pieces that URLs are made of, and that parsers trip over
PIECES = st.one_of(
    st.sampled_from(["http:", "https:", "HTTP:", "//", "/", "\\", "?", "#", "@", ":", ".", "./", "..", ";x=1"]),
    st.sampled_from(["a.example", "EXAMPLE.org", "[::1]", "127.1", "0x7f.1", "bücher.example", "80", "443", "8080"]),
    st.sampled_from(["%7e", "%zz", "é", "☃", "user:pass", " ", "\t", "\n", ""]),
)
TEXTS = st.one_of(st.text(max_size=30), st.lists(PIECES, max_size=8).map("".join))
URLS = st.one_of(TEXTS, TEXTS.map("http://".__add__), TEXTS.map("https://a.example/".__add__))


@given(URLS)
def test_canonical_is_canonical(url: str) -> None:
    form = canonical(url)
    if form is not None:
        assert canonical(form) == form
        assert form.startswith(("http://", "https://"))
        assert form.isascii()
        assert "#" not in form


@given(URLS)
def test_canonical_is_what_the_standard_says_without_fragment_and_user(url: str) -> None:
    form = canonical(url)
    try:
        parsed = can_ada.parse(url)
    except ValueError:
        assert form is None
        return
    if parsed.protocol in ("http:", "https:"):
        parsed.hash = parsed.username = parsed.password = ""
        assert form == parsed.href
    else:
        assert form is None


@given(URLS.filter(canonical), URLS)
def test_join_agrees_with_canonical(base: str, reference: str) -> None:
    """An absolute link is itself, whatever the base; what is joined is canonical."""
    (joined,) = join(base, [reference])
    if joined is not None:
        assert canonical(joined) == joined
    absolute = canonical(reference)
    if absolute is not None and reference.lower().startswith(("http://", "https://")):
        assert joined == absolute


# ada forgets an empty query: "" on http://a.example/? leads to http://a.example/, where the standard keeps the ?
@given(URLS.filter(lambda url: not (canonical(url) or "?").endswith("?")))
def test_an_empty_link_leads_to_the_page_itself(base: str) -> None:
    assert join(base, ["", "#top"]) == [canonical(base)] * 2


@given(URLS.filter(canonical))
def test_a_page_is_on_its_site(url: str) -> None:
    form = canonical(url)
    assert form is not None
    site = site_of(form)
    assert site == can_ada.parse(form).host
    assert host_of(site) == can_ada.parse(form).hostname
    assert domain_of(site) in host_of(site)
    assert domain_of(domain_of(site)) == domain_of(site)


@given(URLS.filter(canonical))
def test_robots_txt_lies_on_the_same_origin(url: str) -> None:
    form = canonical(url)
    assert form is not None
    robots = origin_of(form) + "/robots.txt"
    assert canonical(robots) == robots
    assert can_ada.parse(robots).origin == can_ada.parse(form).origin
    assert can_ada.parse(robots).pathname == "/robots.txt"


@given(st.lists(URLS, max_size=5))
def test_hashes_of_a_batch(urls: list[str]) -> None:
    encodable = [url for url in urls if url.isascii()]
    hashes = url_hashes(encodable)
    assert hashes.dtype == np.uint64
    assert (
        hashes.tolist()
        == [url_hash(url) for url in encodable]
        == [xxh3_64_intdigest(url.encode()) for url in encodable]
    )


def test_the_hash_never_changes() -> None:
    """Sessions on disk depend on it."""
    assert url_hash("http://a.example/") == 0xD9ADADF2D37A6499


@pytest.mark.parametrize(
    ("url", "form"),
    [
        ("HTTP://A.Example", "http://a.example/"),
        ("https://a.example:443/x#y", "https://a.example/x"),
        ("http://a.example:443/", "http://a.example:443/"),
        ("http://a.example/a/./b/../c", "http://a.example/a/c"),
        ("http://a.example/%7euser?q=a b", "http://a.example/%7euser?q=a%20b"),
        ("http://bücher.example/ü", "http://xn--bcher-kva.example/%C3%BC"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("  http://a.example/\n", "http://a.example/"),
        ("http:\\\\a.example\\b", "http://a.example/b"),
        ("http://a.example/?#", "http://a.example/?"),
        ("ftp://a.example/", None),
        ("javascript:alert(1)", None),
        ("/relative", None),
        ("http://", None),
        ("http://a b/", None),
        ("", None),
    ],
)
def test_canonical_forms(url: str, form: str | None) -> None:
    assert canonical(url) == form


def test_joining() -> None:
    links = ["b", "/c", "//d.example", "?q", "mailto:x@a.example", "http://[", "https:e", "http:f", " g "]
    assert join("http://a.example/x/y?z", links) == [
        "http://a.example/x/b",
        "http://a.example/c",
        "http://d.example/",
        "http://a.example/x/y?q",
        None,
        None,
        "https://e/",
        "http://a.example/x/f",
        "http://a.example/x/g",
    ]
    assert join("no base", ["http://a.example/", "b"]) == [None, None]


@pytest.mark.parametrize(
    ("url", "site", "host", "domain"),
    [
        ("http://www.a.example.co.uk/", "www.a.example.co.uk", "www.a.example.co.uk", "example.co.uk"),
        ("http://www.example.org:8080/x@y", "www.example.org:8080", "www.example.org", "example.org"),
        ("https://127.0.0.1:8443/", "127.0.0.1:8443", "127.0.0.1", "127.0.0.1"),
        ("http://[::1]:8080/?a@b", "[::1]:8080", "[::1]", "[::1]"),
        ("http://[::1]/", "[::1]", "[::1]", "[::1]"),
        ("http://localhost/", "localhost", "localhost", "localhost"),
        ("http://co.uk/", "co.uk", "co.uk", "co.uk"),
    ],
)
def test_sites_and_domains(url: str, site: str, host: str, domain: str) -> None:
    assert canonical(url) == url
    assert site_of(url) == site
    assert host_of(site) == host
    assert domain_of(site) == domain


def test_an_origin_has_the_port_and_no_user() -> None:
    assert origin_of("https://user@a.example:8443/x?y") == "https://a.example:8443"


def test_a_url_that_is_too_long_is_none() -> None:
    longest = "http://a.example/" + "x" * (LONGEST_URL - len("http://a.example/"))
    assert canonical(longest) == longest
    assert canonical(longest + "x") is None
    assert join("http://a.example/", ["/y", longest + "x"]) == ["http://a.example/y", None]


def test_text_that_is_no_unicode_is_no_url() -> None:
    assert canonical("http://a.example/\ud800") is None
    assert join("http://a.example/", ["x", "\ud800", "y"]) == ["http://a.example/x", None, "http://a.example/y"]
    assert join("http://\udc80/", ["x"]) == [None]
