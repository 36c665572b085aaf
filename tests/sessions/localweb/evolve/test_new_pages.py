"""New pages, and the links that are drawn for them."""

from collections import Counter

import lxml.html
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions.localweb.evolve.copying_model import LinkCopier
from sessions.localweb.evolve.new_pages import Newsroom
from sessions.localweb.generate.link_graph import Ints

LINKS = [("http://a.example/?x=1&y=2", "One & two"), ("http://b.example/", "Three")]


def test_a_page_has_its_links_and_is_ascii() -> None:
    html = Newsroom(1, 8000).page(7, "a.example", "2024-01-08", LINKS, np.random.default_rng(1))
    tree = lxml.html.fromstring(html)
    assert [(a.get("href"), a.text) for a in tree.xpath("//a")] == LINKS
    assert html.isascii()
    assert html == Newsroom(1, 8000).page(7, "a.example", "2024-01-08", LINKS, np.random.default_rng(1))
    assert html != Newsroom(2, 8000).page(7, "a.example", "2024-01-08", LINKS, np.random.default_rng(1))
    assert html != Newsroom(1, 8000).page(7, "a.example", "2024-01-08", LINKS, np.random.default_rng(2))


def test_sizes_have_the_mean_asked_for() -> None:
    newsroom, rng = Newsroom(1, 9000), np.random.default_rng(1)
    sizes = [len(newsroom.page(n, "a.example", "2024-01-08", LINKS, rng)) for n in range(300)]
    assert np.mean(sizes) == pytest.approx(9000, rel=0.1)


@pytest.mark.parametrize("length", [0, 40, 41, 4000])
def test_text_is_as_long_as_asked_for_and_never_empty(length: int) -> None:
    newsroom, rng = Newsroom(1, 9000), np.random.default_rng(1)
    texts = {newsroom.sentences(length, rng) for _ in range(20)}
    assert {len(text) for text in texts} == {max(length, 20)}
    assert len(texts) == 20
    assert not any(set(text) & set("<>&\n") for text in texts)


# Drawing links: what may be drawn, and that what is popular stays popular.

SITES, PER_SITE = 3, 20
PAGES = SITES * PER_SITE
SITE = [page // PER_SITE for page in range(PAGES)]
MEMBERS = [np.arange(site * PER_SITE, (site + 1) * PER_SITE) for site in range(SITES)]


def to_front(page: int) -> Ints:
    """Every page links to its site's first three."""
    return np.arange(3) + SITE[page] * PER_SITE


@settings(deadline=None, derandomize=True)
@given(
    st.integers(0, PAGES - 1),
    st.integers(0, 30),
    st.sets(st.integers(0, PAGES - 1)),
    st.sets(st.integers(0, PAGES - 1)),
    st.integers(0, 99),
)
def test_targets_are_distinct_alive_and_new(page: int, links: int, taken: set[int], dead: set[int], seed: int) -> None:
    exists = [other not in dead for other in range(PAGES)]
    members = [own[[exists[other] for other in own]] for own in MEMBERS]
    if not any(map(len, members)):
        return
    copier = LinkCopier(members, SITE, exists, to_front, np.random.default_rng(seed))
    drawn = copier.draw(page, to_front(page), links, taken)
    assert len(drawn) == len(set(drawn)) <= links
    assert not {page, *taken, *dead} & set(drawn)


def test_popular_pages_of_the_same_site_are_preferred() -> None:
    copier = LinkCopier(MEMBERS, SITE, [True] * PAGES, to_front, np.random.default_rng(1))
    drawn = Counter(copier.draw(PER_SITE + 9, to_front(PER_SITE + 9), 1, set())[0] for _ in range(2000))
    front = sum(drawn[page] for page in range(PER_SITE, PER_SITE + 3))
    assert front > 1500
    assert sum(count for page, count in drawn.items() if SITE[page] != 1) == 0
    assert len(drawn) > PER_SITE - 3


def test_a_small_site_links_abroad_for_want_of_pages() -> None:
    copier = LinkCopier(MEMBERS, SITE, [True] * PAGES, to_front, np.random.default_rng(1))
    drawn = copier.draw(0, to_front(0), 40, set())
    assert len(drawn) > 30
    assert {SITE[page] for page in drawn} == {0, 1, 2}
