"""Domains found in compiled code beside those of the public-suffix library, host by host."""

from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from publicsuffixlist import PSLFILE, encode_idn
from xxhash import xxh3_64_intdigest

from sessions.url import domain_of, site_of
from sessions.url_domain import domain_hashes_of

RULES = [
    encode_idn(line.lower().strip().lstrip("!").removeprefix("*."))
    for line in Path(PSLFILE).read_text(encoding="utf-8").splitlines()
    if line.strip() and not line.startswith("//")
]
LABELS = st.sampled_from(["www", "a", "b7", "7", "city", "x-y", "com", "co"])
HOSTS = st.builds(lambda labels, rule: ".".join([*labels, rule]), st.lists(LABELS, max_size=4), st.sampled_from(RULES))
URLS = st.builds(
    lambda host, port, path: f"http://{host}{port}/{path}",
    HOSTS,
    st.sampled_from(["", ":8080"]),
    st.sampled_from(["", "a:80/b.com", "?x=http://other.example/"]),
)


def expected(urls: list[str]) -> list[int]:
    return [xxh3_64_intdigest(domain_of(site_of(url)).encode()) for url in urls]


def test_every_rule_of_the_list() -> None:
    urls = [f"http://{before}{rule}/" for rule in RULES for before in ("", "a.", "b.a.", "c.b.a.")]
    hashes, is_known = domain_hashes_of(urls)
    assert is_known.all()
    assert hashes.tolist() == expected(urls)


@settings(deadline=None, derandomize=True)
@given(st.lists(URLS))
def test_any_hosts_side_by_side(urls: list[str]) -> None:
    hashes, is_known = domain_hashes_of(urls)
    assert is_known.all()
    assert hashes.tolist() == expected(urls)


def test_addresses_and_names_of_one_label_are_their_own_domains() -> None:
    urls = [
        f"http://{host}/" for host in ("127.0.0.1", "127.0.0.1:81", "[::1]", "[::1]:81", "localhost", "localhost:80")
    ]
    hashes, is_known = domain_hashes_of(urls)
    assert is_known.all()
    assert hashes.tolist() == expected(urls)


def test_odd_hosts_are_left_to_the_library() -> None:
    urls = ["http://www.example.com/", "http://a..com/", "http://.com/", "http://a.com./", "http://A.com/", "http:///"]
    assert domain_hashes_of(urls)[1].tolist() == [True, *[False] * 5]
    assert not domain_hashes_of(["http://example.com/", "http://\u00e4.com/"])[1].any()
    assert domain_hashes_of([])[0].dtype == np.uint64
