"""URL-seen, against a dict."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.seen import Seen
from sessions.url import url_hash
from tests.crawler.batches import batch_of

URLS = [f"http://a.example/{number}" for number in range(12)]
FINDS = st.lists(st.tuples(st.sampled_from(URLS), st.integers(0, 0xFFFF), st.integers(0, 0xFF)), max_size=30)


@settings(derandomize=True, deadline=None)
@given(st.lists(FINDS, max_size=6))
def test_the_shortest_way_is_kept_whatever_comes_when(rounds: list[list[tuple[str, int, int]]]) -> None:
    seen = Seen()
    known: dict[str, tuple[int, int]] = {}
    for finds in rounds:
        again = [find for find in finds if find[0] in known]
        _find_again(seen, known, again)
        new = {url: (depth, hops) for url, depth, hops in finds if url not in known}
        seen.add(batch_of(list(new), [depth for depth, _ in new.values()], [hops for _, hops in new.values()]))
        known |= new
        assert len(seen) == len(known)
        assert [seen.way_to(url_hash(url)) for url in known] == list(known.values())
        depths, hops = seen.ways_to(batch_of(list(known)).hashes)
        assert list(zip(depths.tolist(), hops.tolist(), strict=True)) == list(known.values())
        assert (seen.find(batch_of(URLS).hashes) >= 0).tolist() == [url in known for url in URLS]


def _find_again(seen: Seen, known: dict[str, tuple[int, int]], finds: list[tuple[str, int, int]]) -> None:
    """Shorten ways, a URL several times in one batch too; before and after must be those of the whole batch."""
    batch = batch_of([url for url, _, _ in finds], [depth for _, depth, _ in finds], [hops for _, _, hops in finds])
    before, after = seen.shorten(seen.find(batch.hashes), batch.depths, batch.hops)
    assert list(zip(*(column.tolist() for column in before), strict=True)) == [known[url] for url, _, _ in finds]
    for url, depth, hops in finds:
        known[url] = (min(known[url][0], depth), min(known[url][1], hops))
    assert list(zip(*(column.tolist() for column in after), strict=True)) == [known[url] for url, _, _ in finds]


@settings(derandomize=True, deadline=None)
@given(
    st.dictionaries(st.sampled_from(URLS), st.tuples(st.integers(0, 6), st.integers(0, 6))),
    st.integers(0, 6),
    st.integers(0, 6),
)
def test_what_lies_beyond_the_limits_is_told_with_the_reason(
    ways: dict[str, tuple[int, int]], max_depth: int, max_hops: int
) -> None:
    seen = Seen()
    seen.add(batch_of(list(ways), [depth for depth, _ in ways.values()], [hops for _, hops in ways.values()]))
    hashes, is_too_deep = seen.beyond(max_depth, max_hops)
    expected = {
        url_hash(url): depth > max_depth for url, (depth, hops) in ways.items() if depth > max_depth or hops > max_hops
    }
    assert dict(zip(hashes.tolist(), is_too_deep.tolist(), strict=True)) == expected
    assert len(hashes) == len(expected)


def test_hashes_are_found_among_a_hundred_thousand() -> None:
    seen = Seen()
    urls = [f"http://a.example/{number}" for number in range(100_000)]
    for start in range(0, len(urls), 9999):
        seen.add(batch_of(urls[start : start + 9999]))
    assert (seen.find(batch_of(urls).hashes) >= 0).all()
    assert np.unique(seen.find(batch_of(urls).hashes)).size == len(urls)
    assert (seen.find(batch_of([url + "x" for url in urls[:1000]]).hashes) == -1).all()
