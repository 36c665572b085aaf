"""The most linked URLs."""

import pytest

from crawler.replay.replicated import most_linked
from sessions.schema import NOFOLLOW
from tests.crawler.replay.support.courses import recording_with

LINKS = [(0, 3, 0), (1, 3, NOFOLLOW), (3, 1, 0), (0, 1, 0), (0, 4, 0), (1, 4, 0), (3, 2, 0), (0, 2, NOFOLLOW)]


@pytest.mark.parametrize(("count", "urls"), [(0, []), (1, [1]), (2, [1, 4]), (3, [1, 2, 4]), (9, [1, 2, 3, 4])])
def test_links_that_are_followed_count_and_of_several_urls_the_first_wins(count: int, urls: list[int]) -> None:
    recording = recording_with([1] * 4, LINKS, seeds=[0], others=1)
    assert most_linked(recording, count).tolist() == urls
