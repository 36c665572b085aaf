"""What is found in pages, and how far away it lies."""

import numpy as np

from crawler.replay.estimation.followed_links import FollowedLinks
from sessions.schema import NOFOLLOW, REDIRECT, UNFOLLOWED
from tests.crawler.replay.support.courses import recording_with

LINKS = [
    *((0, 3, 0), (0, 1, NOFOLLOW), (0, 2, REDIRECT)),
    *((1, 0, UNFOLLOWED),),
    *((2, 1, REDIRECT | UNFOLLOWED), (2, 0, 0), (2, 3, REDIRECT)),
]


def found(ranks: list[int], pages: list[int], depths: list[int], hops: list[int]) -> list[tuple[int, ...]]:
    links = FollowedLinks(recording_with([1] * 3, LINKS, seeds=[0], others=1))
    arrays = np.array(ranks, np.int32), np.array(pages, np.int64), np.array(depths, np.uint16), np.array(hops, np.uint8)
    findings = links.of(*arrays)
    assert [findings.depths.dtype, findings.hops.dtype] == [np.uint16, np.uint8]
    columns = (findings.ranks, findings.urls, findings.depths, findings.hops, findings.flags)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_links_that_lead_on_are_found_in_order_of_the_pages() -> None:
    assert found([0, 0, 4], [2, 1, 0], [5, 6, 7], [1, 2, 3]) == [
        (0, 0, 5, 2, 0),
        (0, 3, 5, 2, REDIRECT),
        (4, 3, 8, 0, 0),
        (4, 2, 8, 0, REDIRECT),
    ]


def test_what_travels_in_few_bits_does_not_begin_anew() -> None:
    assert found([0], [0], [0xFFFE], [0xFF]) == [(0, 3, 0xFFFF, 0, 0), (0, 2, 0xFFFF, 0, REDIRECT)]
    assert found([0], [0], [0xFFFF], [0xFF]) == [(0, 3, 0xFFFF, 0, 0), (0, 2, 0xFFFF, 0, REDIRECT)]
    assert found([0], [2], [0xFFFF], [0xFE]) == [(0, 0, 0xFFFF, 0xFF, 0), (0, 3, 0xFFFF, 0xFF, REDIRECT)]
    assert found([0], [2], [0xFFFF], [0xFF]) == [(0, 0, 0xFFFF, 0xFF, 0), (0, 3, 0xFFFF, 0xFF, REDIRECT)]


def test_nothing_is_found_in_no_pages() -> None:
    assert found([], [], [], []) == found([3], [1], [0], [0]) == []
