"""Speeds of ranks against their definition in exact fractions, and what sessions cannot tell them."""

from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.monitoring.stage_clock import STAGES
from partition.models.rank_speeds import LEAST_PAGES, PAGE_STAGES, SpeedError, rank_speeds, shares_in_words
from sessions.importing.imported_session import imported_session
from sessions.session import Session
from tests.partition.quality.support.webs import ring
from tests.sessions.support.builder import Crawl


def session_with(
    reports: list[dict[str, Any]], runs: tuple[int, ...] | None = None, configuration: dict[str, Any] | None = None
) -> Session:
    """What of a session speeds are told by; ``runs`` has K of each."""
    made = SimpleNamespace(
        path=Path("crawl-1"),
        header={"configuration": configuration or {}},
        runs=[SimpleNamespace(ranks=ranks) for ranks in runs or (len(reports),)],
        rank_reports=lambda: reports,
    )
    return cast(Session, made)


def a_report(fetched: int = 1000, **cpu: float) -> dict[str, Any]:
    return {"fetched": fetched, "cpu": cpu or {"parse": 1.0}}


seconds = st.floats(0.01, 1e6)
reports = st.builds(
    lambda fetched, cpu: {"fetched": fetched, "cpu": cpu},
    st.integers(LEAST_PAGES, 10**9),
    st.fixed_dictionaries(dict.fromkeys(STAGES, seconds)),
)


@given(st.lists(reports, min_size=1, max_size=8), st.integers(1, 3))
def test_speeds_are_pages_by_cpu_seconds_at_work(reports: list[dict[str, Any]], runs: int) -> None:
    speeds = rank_speeds(session_with(reports, (len(reports),) * runs), len(reports))
    for speed, report in zip(speeds, reports, strict=True):
        spent = sum(Fraction(report["cpu"][stage]) for stage in ("parse", "links"))
        assert speed == pytest.approx(float(Fraction(report["fetched"]) / spent))


@given(st.lists(st.floats(1, 1000), min_size=2, max_size=6), st.integers(10**4, 10**6), st.data())
def test_with_shares_by_speed_all_are_done_at_once(speeds: list[float], pages: int, data: st.DataObject) -> None:
    """And whoever takes pages from one rank for another makes the last one done later."""
    fetched = [data.draw(st.integers(LEAST_PAGES, 10**6)) for _ in speeds]
    spent = [count / speed for count, speed in zip(fetched, speeds, strict=True)]
    session = session_with([a_report(count, parse=cpu) for count, cpu in zip(fetched, spent, strict=True)])
    shares = rank_speeds(session, len(speeds))
    loads = [pages * share / sum(shares) for share in shares]
    done = [load / speed for load, speed in zip(loads, speeds, strict=True)]
    assert max(done) == pytest.approx(min(done))
    giver, taker = data.draw(st.permutations(range(len(speeds))))[:2]
    moved = data.draw(st.floats(0.01, 1)) * loads[giver]
    assert (loads[taker] + moved) / speeds[taker] > max(done) * (1 - 1e-9)


def test_what_is_not_done_for_pages_does_not_make_a_rank_slow() -> None:
    waiting = dict.fromkeys(set(STAGES) - set(PAGE_STAGES), 1e6)
    assert waiting.keys() == {"fetch", "seen", "record", "exchange", "other"}
    assert rank_speeds(session_with([a_report(parse=2.0), a_report(parse=2.0, **waiting)]), 2) == (500.0, 500.0)


@pytest.mark.parametrize(
    ("session", "told"),
    [
        (session_with([a_report()] * 4), "crawl-1: was crawled by K = 4, which says nothing of 2 ranks; give numbers"),
        (session_with([a_report()] * 2, (2, 4, 2)), "crawl-1: was crawled by K = 2 and 4, which says nothing of 2"),
        (session_with([], (2,)), "crawl-1: no epoch is committed, so no rank's speed was measured"),
        (session_with([a_report(), a_report(99)]), "crawl-1: rank 1 fetched 99 pages, too few to tell its speed (100"),
        (session_with([a_report(0), a_report()]), "crawl-1: rank 0 fetched 0 pages, too few"),
        (session_with([a_report(), a_report(other=3.0)]), "crawl-1: rank 1 has no CPU time for its pages on record"),
        (session_with([a_report()] * 2, None, {"import": "warc"}), "crawl-1: was imported and not crawled"),
    ],
)
def test_sessions_that_cannot_tell(session: Session, told: str) -> None:
    with pytest.raises(SpeedError) as refused:
        rank_speeds(session, 2)
    assert str(refused.value).startswith(told)


def test_a_session_that_was_crawled(tmp_path: Path) -> None:
    """The builder's ranks spend 0.25 s on parsing, 0.5 s on fetching."""
    session = Session.open(ring(120).session(tmp_path / "ring"))
    assert rank_speeds(session, 1) == (480.0,)


def test_sessions_imported_or_not_yet_committed(tmp_path: Path) -> None:
    with imported_session(tmp_path / "imported", "edges", {}):
        pass
    with pytest.raises(SpeedError, match="imported: was imported and not crawled"):
        rank_speeds(Session.open(tmp_path / "imported"), 1)
    crawl = Crawl(tmp_path / "begun", ranks=2)
    with pytest.raises(SpeedError, match="begun: no epoch is committed"):
        rank_speeds(Session.open(tmp_path / "begun"), 2)
    crawl.close()


@pytest.mark.parametrize(
    ("shares", "are_measured", "told"),
    [
        (None, False, "equal"),
        ((2, 1, 1), False, "50.0%, 25.0%, 25.0%, as given"),
        ((1e308, 1e308), False, "50.0%, 50.0%, as given"),
        ((1500.0, 500.0), True, "75.0%, 25.0%, as measured: 1,500.0, 500.0 pages a second of CPU time for parsing"),
    ],
)
def test_shares_in_words(shares: tuple[float, ...] | None, are_measured: bool, told: str) -> None:
    assert shares_in_words(shares, are_measured=are_measured) == told
