"""What is said when a crawl ends, or cannot go on."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from crawler.exchange.verdict import Ending
from crawler.launch.closing_message import closing, further, idle_ranks, reason_of, what_is_left
from crawler.process.exit_codes import ExitCode
from sessions.schema import FAILED, FILTERED
from sessions.session import Session, SessionError
from sessions.writing.commit import FencedError, claim, commit
from tests.sessions.support.breaking import edit_header, edit_report
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
    assert code == ExitCode.NOTHING_FETCHED == 4
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
        f"go on with: cutweb crawl --resume {out} --max-pages MORE",
        "1 of 2 ranks own nothing",
    ]


def test_what_verifying_links_has_cost_is_told(tmp_path: Path) -> None:
    outcomes = {HOME: (FILTERED, "head-404"), OTHERS[0]: (FILTERED, "head-type"), PAGES[1]: (FILTERED, "robots")}
    out = crawl_of(tmp_path / "session", outcomes, fetched=(PAGES[0],))
    assert "verified" not in closing(Session.open(out), Ending.COMPLETE).words
    cost = {"head_requests": 1234, "head_seconds": 61.7, "head_bytes": 322_111}
    edit_report(out, lambda report: report.update(cost), epoch=1)
    told = closing(Session.open(out), Ending.COMPLETE).words.splitlines()[1]
    assert told == "links verified: 1,234 HEADs, 61.7 s, 322,111 bytes; 2 URLs filtered by them"


def test_ranks_that_own_nothing_are_told_of(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "session", ranks=2)
    for rank, url in zip(crawl.ranks, (HOME, OTHERS[0]), strict=True):
        rank.discover([url])
        rank.fetch(url, b"page")
    crawl.commit("complete")
    crawl.close()
    assert idle_ranks(Session.open(tmp_path / "session")) == ""
    out = crawl_of(tmp_path / "other", {}, fetched=(HOME,))
    assert idle_ranks(Session.open(out)) == "1 of 2 ranks own nothing"
    for name, unit in (("site-hash", "site"), ("site-ring", "site"), ("domain-hash", "domain")):
        by_hash = {"assignment": name}
        edit_header(
            out,
            lambda header, by_hash=by_hash: header.update(by_hash, runs=[{**header["runs"][0], **by_hash}]),
        )
        assert idle_ranks(Session.open(out)) == (
            f"1 of 2 ranks own nothing: 1 {unit}, assigned by hash of the {unit}; --assign page-hash spreads the pages"
        )
    assert idle_ranks(Session.open(crawl_of(tmp_path / "none", {}))) == ""


@pytest.mark.parametrize(
    ("ending", "code"),
    [(Ending.SIGNAL, 0), (Ending.MAX_SECONDS, ExitCode.NOTHING_FETCHED), (Ending.MAX_WAIT, ExitCode.NOTHING_FETCHED)],
)
def test_a_crawl_that_has_met_nothing_failed_unless_it_was_stopped(tmp_path: Path, ending: Ending, code: int) -> None:
    words, found = closing(Session.open(crawl_of(tmp_path / "session", {})), ending)
    assert words.splitlines()[-1] == "nothing was fetched: all URLs are queued still"
    assert found == code


def test_who_trusts_no_server_is_told_of_certificates(tmp_path: Path) -> None:
    out = crawl_of(tmp_path / "session", {HOME: (FAILED, "tls-untrusted")})
    words, _ = closing(Session.open(out), Ending.COMPLETE)
    assert "tls-untrusted 1; servers whose certificates another authority has signed are trusted if --ca-cert" in words


# What is said of a run that cannot go on.

FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "some/file")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (FULL, "some/file: No space left on device"),
        (OSError(errno.EDQUOT, os.strerror(errno.EDQUOT)), "Disk quota exceeded"),
        (FencedError("s: another run"), "s: another run"),
        (SessionError("s: damaged"), "s: damaged"),
        (ConnectionResetError(errno.ECONNRESET, "reset"), None),
        (OSError("without a number"), None),
        (KeyError("x"), None),
        (KeyboardInterrupt(), None),
    ],
)
def test_files_are_to_blame_or_the_program(error: BaseException, reason: str | None) -> None:
    assert reason_of(error) == reason


def begin(out: Path, *, epochs: int, seeds: tuple[str, ...]) -> Path:
    header = claim(out, run="run", ranks=1, assignment="page-hash", configuration={}, seeds=seeds)
    entries: list[dict[str, Any]] = [{"tables": {}, "warc": [], "report": {}}]
    for _ in range(epochs):
        commit(out, header, 1, entries)
    return out


def test_what_is_kept_and_how_to_go_on_is_said(tmp_path: Path) -> None:
    crawl = begin(tmp_path / "crawl", epochs=2, seeds=("http://a.example/",))
    further = "; once that is mended, go on with: cutweb crawl --resume"
    assert what_is_left(FULL, crawl) == f"; everything up to epoch 2 is kept{further} {crawl}"
    young = begin(tmp_path / "young", epochs=0, seeds=("http://a.example/",))
    assert what_is_left(FULL, young) == f"; no epoch was committed{further} {young}"
    replay = begin(tmp_path / "replay", epochs=1, seeds=())
    assert what_is_left(FULL, replay) == "; everything up to epoch 1 is kept"


def test_of_what_is_gone_or_another_runs_nothing_is_promised(tmp_path: Path) -> None:
    assert what_is_left(FULL, None) == ""
    assert what_is_left(FencedError("s: another run"), begin(tmp_path / "s", epochs=1, seeds=())) == ""
    assert what_is_left(FULL, tmp_path / "gone").startswith("; the session cannot be read any more (")
