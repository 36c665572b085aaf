"""URL-seen and what was sent merge in pieces while more is found: each URL is queued once, or sent once."""

from pathlib import Path

import numpy as np
import pytest

from partition.assignment.assignment import assignment_named
from sessions.url import url_hashes
from tests.crawler.support.batches import by_rank
from tests.crawler.support.single_rank_discovery import Found

_URLS, _AT_ONCE, _MOST_PIECES = 6000, 50, 10_000


@pytest.mark.parametrize("owner", [0, 1])
@pytest.mark.parametrize("pieces_between", [0, 1, 5])
def test_a_merge_comes_to_its_end_whichever_of_both_merges(tmp_path: Path, owner: int, pieces_between: int) -> None:
    assignment = assignment_named("page-hash", 2)
    urls = [f"http://site{number % 7}.example/{number}" for number in range(_URLS)]
    owned = np.array(urls)[assignment.owners(url_hashes(urls), urls) == owner].tolist()
    found = Found(tmp_path, 0, assignment, budget=1 << 14, merges_in_pieces=True)
    discovery = found.discovery
    has_merged = False
    for start in range(0, len(owned), _AT_ONCE):
        found.find(owned[start : start + _AT_ONCE])
        for _ in range(pieces_between):
            has_merged |= discovery.is_merging
            discovery.merge_on()
    pieces = 0
    while discovery.is_merging:
        discovery.merge_on()
        pieces += 1
        assert pieces < _MOST_PIECES
    assert has_merged or not pieces_between
    discovery.flush()
    assert sorted(found.queued() if owner == 0 else by_rank(discovery.outgoing(), 2)[1].urls) == sorted(owned)
