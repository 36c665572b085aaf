"""New pages: their links, their size, and that nothing but the seed and the generator decides."""

import lxml.html
import numpy as np
import pytest

from sessions.localweb.evolve.new_pages import Newsroom

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
