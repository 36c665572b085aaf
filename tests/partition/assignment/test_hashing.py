"""Assignments by hash."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partition.assignment import hashing as module
from partition.assignment.assignment import assignment_named, assignments_for
from partition.assignment.hashing import DomainHash, PageHash, SiteHash
from partition.assignment.ring import PageRing, SiteRing
from partition.choices import ASSIGNMENTS
from sessions.url import domain_of, site_of, url_hash, url_hashes

NAMES = sorted(ASSIGNMENTS)
SITES = st.sampled_from(["a.example", "b.example", "a.example:8080", "[::1]", "xn--bcher-kva.example"])
URLS = st.builds("{}://{}/{}".format, st.sampled_from(["http", "https"]), SITES, st.integers(0, 99))
MANY_SITES = [f"http://s{number}.example/" for number in range(10_000)]


@given(st.sampled_from(NAMES), st.integers(1, 300), st.lists(URLS, max_size=30))
def test_every_url_has_one_owner_that_does_not_depend_on_its_company(name: str, ranks: int, urls: list[str]) -> None:
    owners = assignment_named(name, ranks).owners(url_hashes(urls), urls)
    assert owners.dtype == np.int32
    assert len(owners) == len(urls)
    assert all(0 <= owner < ranks for owner in owners.tolist())
    another = assignment_named(name, ranks)
    one_by_one = [another.owners(url_hashes([url]), [url]).item() for url in reversed(urls)]
    assert one_by_one[::-1] == owners.tolist()


@given(st.integers(1, 300), st.lists(URLS, max_size=30))
def test_a_site_stays_whole_by_site_hash(ranks: int, urls: list[str]) -> None:
    owners = SiteHash(ranks).owners(url_hashes(urls), urls).tolist()
    owner_of: dict[str, int] = {}
    for url, owner in zip(urls, owners, strict=True):
        assert owner_of.setdefault(site_of(url), owner) == owner


@given(st.integers(1, 300), st.lists(URLS, max_size=30))
def test_a_domain_stays_whole_by_domain_hash(ranks: int, urls: list[str]) -> None:
    owners = DomainHash(ranks).owners(url_hashes(urls), urls).tolist()
    assert owners == [url_hash(domain_of(site_of(url))) % ranks for url in urls]


def test_hosts_and_ports_of_a_domain_have_one_owner() -> None:
    urls = ["http://a.co.uk/", "https://www.a.co.uk:8443/x", "http://a.b.a.co.uk/", "http://b.co.uk/"]
    owners = [DomainHash(ranks).owners(url_hashes(urls), urls).tolist() for ranks in range(1, 65)]
    assert all(len(set(found[:3])) == 1 for found in owners)
    assert any(found[3] != found[0] for found in owners)


@given(st.integers(1, 300), st.lists(URLS, max_size=30))
def test_page_hash_is_the_hash_modulo_k(ranks: int, urls: list[str]) -> None:
    owners = PageHash(ranks).owners(url_hashes(urls), urls).tolist()
    assert owners == [url_hash(url) % ranks for url in urls]


@pytest.mark.parametrize("name", [name for name in NAMES if "ring" not in name])
@pytest.mark.parametrize("ranks", [2, 3, 16, 64])
def test_ten_thousand_sites_spread_evenly(name: str, ranks: int) -> None:
    """Chi square has ranks - 1 degrees of freedom; ten and five standard deviations above its mean is far out."""
    owners = assignment_named(name, ranks).owners(url_hashes(MANY_SITES), MANY_SITES)
    counts = np.bincount(owners, minlength=ranks)
    expected = len(MANY_SITES) / ranks
    chi_square = float(((counts - expected) ** 2 / expected).sum())
    freedom = ranks - 1
    assert chi_square < freedom + 10 + 5 * (2 * freedom) ** 0.5
    assert chi_square > max(0.0, freedom - 5 * (2 * freedom) ** 0.5)


def test_pages_of_one_site_spread_by_page_hash() -> None:
    urls = [f"http://a.example/{number}" for number in range(10_000)]
    counts = np.bincount(PageHash(16).owners(url_hashes(urls), urls), minlength=16)
    assert counts.min() > 500
    assert counts.max() < 750


def test_owners_never_change() -> None:
    """The ranks of one session must agree, and so must the runs of one that is resumed."""
    urls = [f"http://s{number}.example/{number}" for number in range(8)]
    assert PageHash(5).owners(url_hashes(urls), urls).tolist() == [4, 3, 1, 0, 2, 2, 3, 4]
    assert SiteHash(5).owners(url_hashes(urls), urls).tolist() == [4, 1, 4, 0, 2, 0, 3, 4]
    assert DomainHash(5).owners(url_hashes(urls), urls).tolist() == [4, 1, 4, 0, 2, 0, 3, 4]
    assert PageRing(5).owners(url_hashes(urls), urls).tolist() == [0, 4, 0, 4, 3, 2, 4, 2]
    assert SiteRing(5).owners(url_hashes(urls), urls).tolist() == [4, 3, 2, 2, 2, 1, 0, 0]


def test_what_is_remembered_of_sites_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SITES_REMEMBERED", 10)
    assignment = SiteHash(7)
    hashes = url_hashes(MANY_SITES[:100])
    first = assignment.owners(hashes, MANY_SITES[:100]).tolist()
    assert len(assignment._sites._known) <= 10
    assert assignment.owners(hashes, MANY_SITES[:100]).tolist() == first
    assert first == SiteHash(7).owners(hashes, MANY_SITES[:100]).tolist()


@pytest.mark.parametrize("name", NAMES)
def test_an_assignment_knows_its_name_and_size(name: str) -> None:
    assignment = assignment_named(name, 7)
    assert (assignment.name, assignment.ranks) == (name, 7)


def test_pages_without_urls_go_by_their_hashes_alone() -> None:
    assert assignments_for(has_urls=True) == tuple(ASSIGNMENTS)
    assert assignments_for(has_urls=False) == ("page-hash", "page-ring")


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(ValueError, match="no assignment by hash 'page'; there are page-hash, site-hash"):
        assignment_named("page", 2)
