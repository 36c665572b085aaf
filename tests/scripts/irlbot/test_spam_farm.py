"""A crawl of the web with a spam farm, in one process; what is told of one is counted from its tables alone."""

from typing import Any, cast

import pyarrow as pa
import pytest

from scripts.irlbot.spam_farm import Kind, _outcome
from scripts.irlbot.spam_model import Course, Load, crawl_in_model
from scripts.irlbot.spam_section import spam_section
from scripts.irlbot.spam_web import Shape, SpamWeb
from sessions.session import Session
from sessions.url import site_of, url_hash

A, B, C, D = (f"http://www.d{number}.example/" for number in range(4))
FARM = "http://h1.spam-farm.example/a"


class Tables:
    """As much of a session as is read: pages with the URLs that they link to."""

    def __init__(self, pages: dict[str, list[str]]) -> None:
        urls = sorted({*pages, *(target for targets in pages.values() for target in targets)})
        links = [(url_hash(source), url_hash(target)) for source, targets in pages.items() for target in targets]
        self._tables = {
            "pages": {"hash": [url_hash(url) for url in pages], "site": [site_of(url) for url in pages]},
            "urls": {"hash": [url_hash(url) for url in urls], "url": urls},
            "links": {"source": [source for source, _ in links], "target": [target for _, target in links]},
        }

    def read(self, table: str, columns: list[str]) -> pa.Table:
        assert sorted(self._tables[table]) == sorted(columns)
        types = {name: pa.string() if name in ("site", "url") else pa.uint64() for name in columns}
        return pa.table({name: pa.array(self._tables[table][name], types[name]) for name in columns})

    def rank_reports(self) -> list[dict[str, Any]]:
        return [{"seconds": 3.0}, {"seconds": 5.0}]


def test_an_in_degree_counts_other_domains_once_and_not_the_farm() -> None:
    pages = {
        A: [B, B + "1", C, A + "1"],
        A + "1": [B, C],
        B: [C, FARM],
        FARM: [FARM + "1", FARM + "2", "http://h2.spam-farm.example/1"],
    }
    outcome = _outcome(cast(Session, Tables(pages)), 4)
    assert outcome.in_degrees.tolist() == [0, 1, 2, 0]
    assert outcome.fetched.tolist() == [2, 1, 0, 0]
    row = outcome.row(Kind("bfs", 2, 0.5))
    assert (row["pages"], row["wall"], row["domains_with_pages"]) == (4, 5.0, 2)
    assert (row["in_farm"], row["links_in_farm"]) == (1 / 4, 3 / 11)
    assert row["correlation_with_pages"] == pytest.approx(-1.0)
    assert row["correlation"] == pytest.approx(-1.75 / 4.5)


def test_the_options_of_a_crawl() -> None:
    assert " ".join(Kind("bfs", 1, 0.0).arguments) == "--ranks 1 --order bfs --delay 0.0"
    by_budget = Kind("budget degree", 2, 0.01).arguments
    assert " ".join(by_budget) == "--ranks 2 --order budget --budget degree --delay 0.01"


def test_the_section_has_a_row_for_each_crawl() -> None:
    row = _outcome(cast(Session, Tables({A: [B], B: [A, C], C: []})), 4).row(Kind("bfs", 1, 0.01))
    about = {"domains": 4, "hosts": 2, "seeds": 1, "pages": 3, "seed": 1, "links": 5}
    text = spam_section({"rows": [row, row], "plot": "scale-spam.svg", **about})
    assert text.count("| bfs | 1 | 0.01 | 3 | 0.0% | 0.0% |") == 2
    assert "(scale-spam.svg)" in text


# The crawl of a web with a spam farm in one process, and what the number of ranks does to the farm's share.

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
