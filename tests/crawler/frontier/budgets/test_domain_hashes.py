"""The pay-level domains of URLs as hashes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xxhash import xxh3_64_intdigest

from crawler.frontier.budgets.domain_hashes import domain_hash_of_site, domain_hashes
from sessions.url import canonical, domain_of, site_of


@pytest.mark.parametrize(
    ("url", "domain"),
    [
        ("http://example.com/", "example.com"),
        ("https://a.b.example.co.uk/x?y", "example.co.uk"),
        ("http://www.example.com:8080/", "example.com"),
        ("http://127.0.0.1:81/a", "127.0.0.1"),
        ("http://[::1]:81/a", "[::1]"),
        ("http://localhost/", "localhost"),
        ("http://co.uk/", "co.uk"),
        ("http://me.github.io/", "me.github.io"),
    ],
)
def test_all_hosts_of_a_domain_have_its_hash(url: str, domain: str) -> None:
    assert canonical(url) == url
    (hashed,) = domain_hashes([url])
    assert hashed == xxh3_64_intdigest(domain.encode()) == domain_hash_of_site(site_of(url))


def test_no_urls_have_no_domains() -> None:
    assert domain_hashes([]).dtype == np.uint64
    assert not len(domain_hashes([]))


HOSTS = st.lists(st.sampled_from(["a", "b", "com", "co", "uk", "github", "io", "7"]), min_size=1, max_size=4)
URLS = st.builds(
    lambda labels, port: f"https://{'.'.join(labels)}{port}/p", HOSTS, st.sampled_from(["", ":80", ":8443"])
)


@settings(deadline=None, derandomize=True)
@given(st.lists(URLS))
def test_the_hash_is_that_of_the_domain(urls: list[str]) -> None:
    assert domain_hashes(urls).tolist() == [xxh3_64_intdigest(domain_of(site_of(url)).encode()) for url in urls]


def test_long_domains_and_odd_hosts_are_looked_up_one_by_one() -> None:
    odd = ["http://a..example.com/", "http://Example.COM/", "http://ä.example.com/", f"http://{'x' * 250}.com/"]
    urls = ["http://www.example.com/", *odd]
    assert domain_hashes(urls).tolist() == [xxh3_64_intdigest(domain_of(site_of(url)).encode()) for url in urls]
