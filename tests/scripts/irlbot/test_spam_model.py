"""The crawl of a web with a spam farm in one process, and what the number of ranks does to the farm's share."""

import pytest

from scripts.irlbot.spam_model import Course, Load, crawl_in_model
from scripts.irlbot.spam_web import Shape, SpamWeb

WEB = Shape(domains=200, hosts=2000, links=60)
PAGES = 1200


def share(course: Course) -> float:
    return course.in_farm / (sum(course.fetched) + course.in_farm)


@pytest.fixture(scope="module")
def alone() -> Course:
    return crawl_in_model(SpamWeb(1, WEB), Load(pages=PAGES))


def test_the_same_crawl_again(alone: Course) -> None:
    assert crawl_in_model(SpamWeb(1, WEB), Load(pages=PAGES)) == alone
    assert sum(alone.fetched) + alone.in_farm == PAGES
    assert alone.wire_bytes == 0


def test_breadth_first_is_in_the_farm_most_of_the_time() -> None:
    assert share(crawl_in_model(SpamWeb(1, WEB), Load(order="bfs", pages=PAGES))) > 0.5


@pytest.mark.parametrize("ranks", [4, 12])
def test_a_farm_does_not_have_its_share_from_each_rank(alone: Course, ranks: int) -> None:
    course = crawl_in_model(SpamWeb(1, WEB), Load(ranks=ranks, pages=PAGES))
    assert share(course) <= 1.5 * share(alone)
    assert course.wire_bytes > 0
