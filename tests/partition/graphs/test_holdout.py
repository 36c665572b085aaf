"""What is held out, and that nothing else is missing."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partition.assignment.url_prefixes import url_key
from partition.graphs.holdout import directory_of, held_out, without
from sessions.url import url_hashes
from tests.partition.quality.support.webs import SmallWeb, webs


@pytest.mark.parametrize(
    ("key", "directory"),
    [
        ("a.example/", "a.example/"),
        ("a.example/x/y", "a.example/x/"),
        ("a.example/x/?q=1/2", "a.example/x/"),
        ("a.example:8080/x", "a.example:8080/"),
    ],
)
def test_directories_are_of_paths(key: str, directory: str) -> None:
    assert directory_of(key) == directory


@settings(deadline=None, derandomize=True)
@given(st.lists(st.integers(0, 60), min_size=1, max_size=300), st.sampled_from([0.1, 0.2, 0.5]))
def test_small_directories_are_held_out_whole(sizes: list[int], share: float) -> None:
    counts = {number: size % 7 if size < 58 else 40 for number, size in enumerate(sizes)}
    pages = [f"http://h.example/{number}/{page}" for number, count in counts.items() for page in range(count)]
    graph = SmallWeb(dict.fromkeys(pages, 1), (), ()).graph()
    left = held_out(graph, share)
    assert left.shape == (len(pages),)
    assert left.dtype == bool
    wanted = round(share * len(pages))
    assert wanted - 0.05 * len(pages) <= left.sum() <= wanted
    of_all = Counter(directory_of(url_key(page)) for page in pages)
    out = Counter(directory_of(url_key(page)) for page, is_out in zip(pages, left.tolist(), strict=True) if is_out)
    for directory, count in out.items():
        assert count == of_all[directory] or of_all[directory] > 0.05 * len(pages)


def test_what_is_held_out_does_not_depend_on_the_order() -> None:
    pages = [f"http://h.example/{number // 3}/{number}" for number in range(90)]

    def chosen(urls: list[str]) -> set[str]:
        left = held_out(SmallWeb(dict.fromkeys(urls, 1), (), ()).graph())
        return {url for url, is_out in zip(urls, left.tolist(), strict=True) if is_out}

    assert chosen(pages) == chosen(pages[::-1])
    assert len(chosen(pages)) == 18


def test_large_directories_are_held_out_by_page_whatever_page_hash_says() -> None:
    pages = [f"http://h.example/{number}" for number in range(1000)]
    left = held_out(SmallWeb(dict.fromkeys(pages, 1), (), ()).graph())
    assert left.sum() == 200
    by_rank = np.bincount((url_hashes(pages) % np.uint64(4)).astype(int)[left], minlength=4)
    assert by_rank.min() > 30


def test_without_urls_single_pages_are_held_out_whatever_their_numbers() -> None:
    graph = SmallWeb({f"http://pages.invalid/{number}": 1 for number in range(1000)}, (), ()).graph()
    assert not graph.has_urls
    left = held_out(graph)
    assert left.sum() == 200
    assert left.reshape(4, 250).sum(axis=1).min() > 30


@settings(deadline=None, derandomize=True)
@given(webs(least_pages=2), st.data())
def test_the_rest_is_the_web_without_these_pages(web: SmallWeb, data: st.DataObject) -> None:
    pages = list(web.sizes)
    left = np.array(data.draw(st.lists(st.booleans(), min_size=len(pages), max_size=len(pages))), bool)
    kept = [page for page, is_out in zip(pages, left.tolist(), strict=True) if not is_out]
    links = tuple((one, two) for one, two in web.links if one in kept and (two in kept or two in web.known))
    expected = SmallWeb({page: web.sizes[page] for page in kept}, web.known, links).graph()
    found = without(web.graph(), left)
    assert found.urls.to_pylist() == kept
    assert found.hashes.tolist() == expected.hashes.tolist()
    assert found.bytes.tolist() == expected.bytes.tolist()
    names = [found.site_names[site] for site in found.sites.tolist()]
    assert names == [expected.site_names[site] for site in expected.sites.tolist()]
    for one, two in ((found.links, expected.links), (found.known_links, expected.known_links)):
        assert one.toarray().tolist() == two.toarray().tolist()
        assert (one.indices.dtype, one.indptr.dtype) == (np.int32, np.int64)
        assert one.has_sorted_indices
