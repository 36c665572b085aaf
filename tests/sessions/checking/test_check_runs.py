"""Sessions with which later runs went on: what moved is no error, what was lost is."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sessions.analysis.summary import summarise
from sessions.checking.check import check_session
from sessions.session import Session
from tests.sessions.support.breaking import HEADER, Breakage, Json, edit_epoch, edit_header, edit_report, edit_rows
from tests.sessions.support.builder import HOME, LOST, OTHERS, PAGES, RUN, Crawl, GoingOn

LATER, LAST = "29990101T000000-aaaaaa", "29990101T000000-bbbbbb"


def begun(path: Path, assignment: str = "page-hash") -> Crawl:
    """Two ranks that stop at a signal: epochs 1 and 2, which is the end."""
    crawl = Crawl(path, assignment=assignment)
    first, second = crawl.ranks
    first.discover([HOME, *PAGES[:4], *LOST[:2]])
    second.discover(OTHERS[:4])
    first.fetch(HOME, b"home", links=[(url, 0) for url in (*PAGES[:4], *OTHERS[:4])])
    first.settle(LOST[0], "failed", "dns")
    second.fetch(OTHERS[0], b"page", links=[(PAGES[1], 0)])
    first.send(1, OTHERS[:4])
    crawl.end("signal")
    crawl.close()
    return crawl


def same_ranks(path: Path) -> None:
    """Epochs 1 and 2, taken over at 3, 4 and 5, which is the end, taken over at 6, ended with 7 and 8."""
    begun(path)
    for run, urls, reason in ((LATER, 2, "max-pages"), (LAST, 4, "complete")):
        again = GoingOn(path, run)
        first, second = again.ranks
        left = [PAGES[:4], OTHERS[1:4]] if run == LATER else [PAGES[2:4], OTHERS[3:4]]
        first.take_back([*left[0], LOST[1]])
        second.take_back(left[1])
        for rank, its in zip(again.ranks, left, strict=True):
            for url in its[:urls]:
                rank.fetch(url, url.encode(), links=[(HOME, 0)])
        if run == LAST:
            first.settle(LOST[1], "filtered", "robots")
        second.send(0, [HOME])
        again.end(reason)
        again.close()


def other_ranks(path: Path, reason: str = "complete") -> None:
    """Epochs 1 and 2, taken over at 3 by three ranks that fetch what others discovered, 4 and 5."""
    begun(path)
    again = GoingOn(path, LATER, ranks=3)
    first, second, third = again.ranks
    first.take_back([OTHERS[1], PAGES[0]])
    second.take_back([PAGES[1], LOST[1]])
    third.take_back([PAGES[2], PAGES[3], OTHERS[2], OTHERS[3]])
    third.discover([LOST[2]])
    for rank, url in [(first, OTHERS[1]), (first, PAGES[0]), (second, PAGES[1]), (third, PAGES[2]), (third, OTHERS[2])]:
        rank.fetch(url, url.encode(), links=[(HOME, 0)])
    third.settle(LOST[2], "filtered", "robots")
    second.find_nearer([OTHERS[3]])
    second.send(2, [OTHERS[3], LOST[2]])
    if reason == "complete":
        second.settle(LOST[1], "filtered", "robots")
        third.fetch(PAGES[3], b"page")
        third.fetch(OTHERS[3], b"page")
    again.end(reason)
    again.close()


@pytest.mark.parametrize("make", [same_ranks, other_ranks, lambda path: other_ranks(path, "max-pages")])
def test_accepts_runs_that_went_on(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "session")
    findings = check_session(tmp_path / "session")
    assert findings.problems == {}
    assert findings.notes[0].startswith(f"{len(Session.open(tmp_path / 'session').runs)} runs, with 2, ")


def test_all_runs_are_counted(tmp_path: Path) -> None:
    same_ranks(tmp_path / "session")
    summary = summarise(Session.open(tmp_path / "session"))
    assert not summary.has_moved
    total = summary.total
    assert [total[name] for name in ("discovered", "fetched", "failed", "filtered", "queued")] == [11, 9, 1, 1, 0]
    assert (total["sent_urls"], total["messages"], total["supersteps"], total["seconds"]) == (6, 3, 6, 12.0)
    assert check_session(tmp_path / "session").checked["pages"] == 9


def test_once_moved_books_balance_in_sum(tmp_path: Path) -> None:
    other_ranks(tmp_path / "session")
    summary = summarise(Session.open(tmp_path / "session"))
    assert summary.has_moved
    assert [rank["queued"] for rank in summary.ranks] == [3, 1, -4]
    assert summary.total["queued"] == 0
    assert (summary.k, summary.epochs, len(summary.runs)) == (3, 3, 2)
    assert summary.runs[1] == {
        "run": LATER,
        "ranks": 3,
        "assignment": "page-hash",
        "started": summary.runs[1]["started"],
        "first_epoch": 4,
    }


def test_a_run_that_has_committed_nothing_changes_nothing(tmp_path: Path) -> None:
    crawl = begun(tmp_path / "session")
    GoingOn(crawl.path, LATER, ranks=4).close()
    findings = check_session(crawl.path)
    assert findings.problems == {}
    assert findings.notes[:2] == [
        "2 runs, with 2, 4 ranks",
        findings.notes[1],
    ]
    assert "committed as far as epoch 1, superstep 2" in findings.notes[1]
    assert len(summarise(Session.open(crawl.path)).ranks) == 2


def test_a_run_may_be_taken_over_before_the_first_epoch(tmp_path: Path) -> None:
    Crawl(tmp_path / "session").close()
    GoingOn(tmp_path / "session", LATER, ranks=1).end("complete")
    assert check_session(tmp_path / "session").problems == {}


def test_files_of_withdrawn_ends_and_of_earlier_runs_are_mentioned(tmp_path: Path) -> None:
    crawl = begun(tmp_path / "session")
    frontier = next((crawl.path / "rank-0000").glob("frontier-*"))
    content = frontier.read_bytes()
    GoingOn(crawl.path, LATER).close()
    frontier.write_bytes(content)
    (crawl.path / "rank-0001" / f"pages-000003-{RUN}.parquet").write_bytes(b"by a process that outlived its run")
    findings = check_session(crawl.path)
    assert findings.problems == {}
    assert f"rank-0000/{frontier.name}: of an end that a later run withdrew" in findings.notes
    assert f"rank-0001/pages-000003-{RUN}.parquet: not committed" in findings.notes


def test_bodies_may_be_kept_by_one_run_and_not_by_another(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "session", ranks=1, store_bodies=False)
    crawl.ranks[0].discover([HOME, PAGES[0]])
    crawl.ranks[0].fetch(HOME, b"home")
    crawl.end("signal")
    again = GoingOn(crawl.path, LATER, ranks=1)
    again.ranks[0].take_back([PAGES[0]])
    again.ranks[0].fetch(PAGES[0], b"page")
    again.end("complete")
    again.close()
    assert check_session(crawl.path).problems == {}


def test_where_urls_may_have_two_owners_and_moved_each_is_settled_or_queued(tmp_path: Path) -> None:
    crawl = begun(tmp_path / "session", assignment="site-partition/discoverer")
    again = GoingOn(crawl.path, LATER, ranks=1, assignment="site-partition/discoverer")
    again.ranks[0].take_back([*PAGES[:4], *OTHERS[1:4], LOST[1]])
    again.ranks[0].discover([OTHERS[0]])
    again.ranks[0].fetch(OTHERS[0], b"page")
    again.end("max-pages")
    again.close()
    findings = check_session(crawl.path)
    assert (findings.problems, findings.overlap) == ({}, 1)
    edit_rows(crawl.path, "frontier", lambda queue: queue.pop(), epoch=5)
    assert "frontier_is_the_rest" in check_session(crawl.path).problems


def moved(change: Callable[[Path], object], file: str) -> Breakage:
    """Break a session in which URLs moved."""

    def breakage(session: Path) -> str:
        other_ranks(session, "max-pages")
        change(session)
        return file

    return breakage


def stayed(change: Callable[[Path], object], file: str) -> Breakage:
    """Break a session in which none did."""

    def breakage(session: Path) -> str:
        same_ranks(session)
        change(session)
        return file

    return breakage


def record(change: Callable[[Json], object], epoch: int) -> Callable[[Path], object]:
    return lambda session: edit_epoch(session, change, epoch)


def withdrawn_page(content: Json) -> None:
    content["ranks"][0]["tables"]["pages"] = content["ranks"][0]["tables"]["frontier"]


def ranks_of_another_epoch(session: Path) -> None:
    entries = Session.open(session).epochs[0]["ranks"]
    edit_epoch(session, lambda content: content["ranks"].extend(entries), 3)


def fetched_again(pages: list[Json]) -> None:
    pages[0]["hash"] = pages[1]["hash"]


def table(name: str, epoch: int, rank: int, run: str = LATER) -> str:
    return f"rank-{rank:04d}/{name}-{epoch:06d}-{run}.parquet"


def rows(name: str, change: Callable[[list[Json]], object], rank: int, epoch: int = 4) -> Callable[[Path], object]:
    return lambda session: edit_rows(session, name, change, rank, epoch)


BREAKAGES: dict[str, tuple[str, Breakage]] = {
    "runs forgotten": ("runs_are_told", stayed(lambda path: edit_header(path, lambda it: it.pop("runs")), HEADER)),
    "the first run as the latest": (
        "header_is_of_records",
        stayed(lambda path: edit_header(path, lambda it: it.update(run=RUN)), HEADER),
    ),
    "an epoch of the run before": (
        "epochs_agree",
        stayed(record(lambda it: it.update(run=RUN), 4), "epochs/000004.json"),
    ),
    "ranks where a run begins": ("epochs_agree", stayed(ranks_of_another_epoch, "epochs/000003.json")),
    "a rank of three missing": ("epochs_agree", moved(record(lambda it: it["ranks"].pop(), 4), "epochs/000004.json")),
    "pages withdrawn": ("nothing_is_withdrawn", stayed(record(withdrawn_page, 2), "epochs/000002.json")),
    "bodies withdrawn": (
        "nothing_is_withdrawn",
        stayed(
            record(lambda it: it["ranks"][0]["warc"][0].update(bytes=10**6), 2),
            "epochs/000002.json",
        ),
    ),
    "a counter backwards within a run": (
        "reports_grow",
        stayed(lambda path: edit_report(path, lambda it: it.update(links=0), epoch=5), "epochs/000005.json"),
    ),
    "a page that no rank discovered": (
        "pages_are_discovered",
        moved(rows("pages", lambda pages: pages[0].update(hash=7), 2), table("pages", 4, 2)),
    ),
    "a page fetched twice": ("pages_are_unique", moved(rows("pages", fetched_again, 2), table("pages", 4, 2))),
    "an outcome that another rank has a page of": (
        "outcomes_have_no_page",
        moved(
            lambda path: edit_rows(
                path,
                "outcomes",
                lambda found: found[0].update(hash=Session.open(path).read("pages")["hash"][0].as_py()),
                2,
                4,
            ),
            table("outcomes", 4, 2),
        ),
    ),
    "a URL lost on the way": (
        "frontier_is_the_rest",
        moved(rows("frontier", lambda queue: queue.pop(), 2, 5), f"rank-0001/urls-000001-{RUN}.parquet"),
    ),
    "a URL farther than another rank had it": (
        "ways_get_shorter",
        moved(rows("nearer", lambda nearer: nearer[0].update(depth=3), 1), table("nearer", 4, 1)),
    ),
    "complete with a queue in sum": (
        "books_balance",
        moved(record(lambda it: it["ended"].update(reason="complete"), 5), "epochs/000005.json"),
    ),
}


@pytest.mark.parametrize(("kind", "breakage"), BREAKAGES.values(), ids=BREAKAGES.keys())
def test_finds(tmp_path: Path, kind: str, breakage: Breakage) -> None:
    file = breakage(tmp_path / "session")
    findings = check_session(tmp_path / "session")
    assert file in {problem.file for problem in findings.problems.get(kind, [])}, findings.problems
