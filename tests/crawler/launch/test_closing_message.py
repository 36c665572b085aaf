"""What a crawl says when it has ended."""

from pathlib import Path

import pytest

from crawler.exchange.verdict import Ending
from crawler.launch.closing_message import NOTHING_FETCHED, closing, further
from sessions.schema import FAILED, FILTERED
from sessions.session import Session
from tests.sessions.support.builder import HOME, OTHERS, PAGES, Crawl


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
    words, code = closing(Session.open(out), Ending.COMPLETE)
    assert code == NOTHING_FETCHED == 4
    assert words.splitlines() == [
        f"crawl ended: complete; see it with: cutweb info {out}",
        "nothing was fetched: internal-address 2, connect 1; "
        "addresses inside a network are visited if --allow-net ADDRESS/BITS names them",
    ]


def test_a_crawl_that_has_fetched_a_page_needs_no_excuse(tmp_path: Path) -> None:
    out = crawl_of(tmp_path / "session", {HOME: (FAILED, "connect")}, fetched=(PAGES[0],))
    words, code = closing(Session.open(out), Ending.MAX_PAGES)
    assert code == 0
    assert words.splitlines() == [
        f"crawl ended: max-pages; see it with: cutweb info {out}; "
        f"go on with: cutweb crawl --resume {out} --max-pages MORE"
    ]


@pytest.mark.parametrize(
    ("ending", "code"), [(Ending.SIGNAL, 0), (Ending.MAX_SECONDS, NOTHING_FETCHED), (Ending.MAX_WAIT, NOTHING_FETCHED)]
)
def test_a_crawl_that_has_met_nothing_failed_unless_it_was_stopped(tmp_path: Path, ending: Ending, code: int) -> None:
    words, found = closing(Session.open(crawl_of(tmp_path / "session", {})), ending)
    assert words.splitlines()[-1] == "nothing was fetched: all URLs are queued still"
    assert found == code


def test_who_trusts_no_server_is_told_of_certificates(tmp_path: Path) -> None:
    out = crawl_of(tmp_path / "session", {HOME: (FAILED, "tls-untrusted")})
    words, _ = closing(Session.open(out), Ending.COMPLETE)
    assert "tls-untrusted 1; servers whose certificates another authority has signed are trusted if --ca-cert" in words
