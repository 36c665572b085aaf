"""What a crawl says when it has ended."""

from pathlib import Path

import pytest

from crawler.lastwords import further, in_the_way, last_words
from crawler.verdict import Ending
from sessions.schema import FAILED, FILTERED
from sessions.session import Session
from tests.sessions.builder import HOME, OTHERS, PAGES, Crawl


@pytest.mark.parametrize(
    ("ending", "advice"),
    [
        (Ending.COMPLETE, ""),
        (Ending.SIGNAL, "; go on with: cutweb crawl --resume DIR"),
        (Ending.MAX_WAIT, "; go on with: cutweb crawl --resume DIR"),
        (Ending.MAX_PAGES, "; go on with: cutweb crawl --resume DIR --max-pages MORE"),
        (Ending.MAX_SECONDS, "; go on with: cutweb crawl --resume DIR --max-seconds MORE"),
    ],
)
def test_a_crawl_that_can_go_on_says_how(ending: Ending, advice: str) -> None:
    assert further(Path("DIR"), ending) == advice


def crawl_of(path: Path, outcomes: dict[str, tuple[str, str]], fetched: tuple[str, ...] = ()) -> Path:
    crawl = Crawl(path, ranks=2)
    crawl.ranks[0].discover([*outcomes, *fetched])
    for url, (state, reason) in outcomes.items():
        crawl.ranks[0].settle(url, state, reason)
    for url in fetched:
        crawl.ranks[0].fetch(url, b"page")
    crawl.commit("complete")
    crawl.close()
    return path


def test_a_crawl_of_which_nothing_came_says_what_was_in_the_way(tmp_path: Path) -> None:
    out = crawl_of(
        tmp_path / "session",
        {
            HOME: (FILTERED, "internal-address"),
            PAGES[0]: (FILTERED, "internal-address"),
            OTHERS[0]: (FAILED, "connect"),
        },
    )
    assert last_words(out, Ending.COMPLETE).splitlines() == [
        f"crawl ended: complete; see it with: cutweb info {out}",
        "nothing was fetched: internal-address 2, connect 1; "
        "addresses inside a network are visited if --allow-net ADDRESS/BITS names them",
    ]


def test_a_crawl_that_has_fetched_a_page_needs_no_excuse(tmp_path: Path) -> None:
    out = crawl_of(tmp_path / "session", {HOME: (FAILED, "connect")}, fetched=(PAGES[0],))
    assert last_words(out, Ending.MAX_PAGES).splitlines() == [
        f"crawl ended: max-pages; see it with: cutweb info {out}; "
        f"go on with: cutweb crawl --resume {out} --max-pages MORE"
    ]


def test_a_crawl_that_was_stopped_before_it_began_has_met_nothing(tmp_path: Path) -> None:
    out = crawl_of(tmp_path / "session", {})
    assert in_the_way(Session.open(out)) == ""
