"""From sessions to what was predicted and what came."""

from dataclasses import replace
from pathlib import Path

import pytest

from crawler.exchange.parallel_modes import CROSS_OVER
from crawler.pages.warc_import import import_warcs
from crawler.replay.estimation.estimate import estimate
from crawler.replay.foresight.foresight import ForesightError, Outlook, foresee
from crawler.replay.foresight.request import Candidate, ForesightRequest
from crawler.replay.measuring.measures import measures_of
from crawler.replay.ownership import ownership_by_hash, ownership_by_map
from crawler.replay.recording import recording_of
from crawler.replay.settings import ReplaySettings
from partition.make_partition.in_memory import make_partition
from partition.models.settings import Settings
from partition.report.results import LeftOut
from sessions.session import SessionError
from tests.crawler.replay.support.series import pages_of, write_warc
from tests.partition.quality.support.webs import SmallWeb

CUT = Settings(effort="low", threads=1, tolerance=0.3)
REQUEST = ForesightRequest(
    ("page", "site", "page-hash"), (3, 5), ("prefix", "discoverer"), ReplaySettings(pages_per_superstep=4), CUT
)
MADE = "2026-01-02T03:04:05+00:00"


def session(folder: Path, name: str, count: int, days: float) -> Path:
    import_warcs([write_warc(folder / f"{name}.warc", count, days)], folder / name)
    return folder / name


def test_figures_are_those_of_a_replay_under_the_partition_of_the_previous_session(tmp_path: Path) -> None:
    previous, later = session(tmp_path, "first", 40, 0), session(tmp_path, "second", 60, 10)
    found = foresee(previous, [later], REQUEST, made=MADE, progress=lambda _: None)
    candidates = [
        *(Candidate(model, rule, k) for model, k in (("page", 3), ("page", 5), ("site", 3)) for rule in REQUEST.rules),
        *(Candidate("page-hash", None, k) for k in (3, 5)),
    ]
    told = [(one.candidate, one.session) for one in found.outlooks]
    assert told == [(candidate, number) for number in (0, 1) for candidate in candidates]
    assert found.left_out == (LeftOut("site", 5, "5 parts of 4 sites: some would be empty; take 4 at most"),)
    for one in found.outlooks:
        recording = recording_of((previous, later)[one.session])
        model, rule, k = one.candidate.model, one.candidate.rule, one.candidate.k
        if rule is None:
            ownership = ownership_by_hash(recording, model, k)
        else:
            if not (tmp_path / f"{model}{k}").exists():
                make_partition(previous, model, k, tmp_path / f"{model}{k}", CUT, progress=lambda _: None)
            ownership = ownership_by_map(recording, tmp_path / f"{model}{k}", rule)
        expected = measures_of(recording, ownership, estimate(recording, ownership, REQUEST.settings), REQUEST.settings)
        for name, value in one.figures.items():
            if hasattr(expected, name):
                assert value == getattr(expected, name), (one.candidate, name)


def outlook_of(outlooks: tuple[Outlook, ...], candidate: Candidate, number: int) -> Outlook:
    (one,) = (one for one in outlooks if (one.candidate, one.session) == (candidate, number))
    return one


def test_sessions_are_described_and_stand_in_order_of_age(tmp_path: Path) -> None:
    webs = {"a": (40, 5), "c": (80, 25.5)}
    paths = [write_warc(tmp_path / f"{name}.warc", *web) for name, web in webs.items()]
    middle = session(tmp_path, "b", 50, 15)
    found = foresee(paths[0], [paths[1], middle], REQUEST, made=MADE, progress=lambda _: None, scratch=tmp_path)
    assert [(one.name, one.pages, one.age) for one in found.sessions] == [("a", 40, 0), ("b", 50, 10), ("c", 80, 20.5)]
    assert [one.new_pages for one in found.sessions] == [0, 0.2, 0.5]
    assert found.sessions[1].fetched == "2020-01-16T00:00:00+00:00"
    grown = outlook_of(found.outlooks, Candidate("page", "prefix", 3), 2)
    assert grown.crowded == "site1.example/new/"
    assert outlook_of(found.outlooks, Candidate("page", "prefix", 3), 0).crowded is None
    assert found.made == MADE
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.warc", "b", "b.warc", "c.warc"]


def test_without_dates_sessions_stand_as_they_are_given(tmp_path: Path) -> None:
    from sessions.importing.edges import import_edges

    (tmp_path / "links").write_text("0\t1\n1\t2\n2\t0\n")
    for name in ("x", "y", "z"):
        import_edges(tmp_path / "links", tmp_path / name)
    request = replace(REQUEST, parts=(2,))
    found = foresee(tmp_path / "y", [tmp_path / "z", tmp_path / "x"], request, made=MADE, progress=lambda _: None)
    assert [(one.name, one.age, one.fetched) for one in found.sessions] == [
        ("y", None, None),
        ("z", None, None),
        ("x", None, None),
    ]
    assert not found.sessions[0].has_urls
    assert [left.model for left in found.left_out] == ["site"]


def test_sessions_of_one_name_are_told_apart(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        write_warc(tmp_path / name / "web.warc", 10)
    paths = [tmp_path / name / "web.warc" for name in ("one", "two")]
    request = replace(REQUEST, models=("page-hash",))
    found = foresee(paths[0], paths[1:], request, made=MADE, progress=lambda _: None)
    assert [one.name for one in found.sessions] == [str(path) for path in paths]


def test_what_cannot_be_foreseen_leaves_nothing(tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    web = SmallWeb(dict.fromkeys(pages_of(3), 1), (), ()).session(tmp_path / "web")
    with pytest.raises(ForesightError, match="nothing to replay; page at K=4 left out: 4 parts of 3 pages"):
        foresee(web, [], replace(REQUEST, models=("page",), parts=(4,)), made=MADE, progress=print, scratch=scratch)
    with pytest.raises(SessionError, match="no such file"):
        foresee(web, [tmp_path / "none"], REQUEST, made=MADE, progress=print, scratch=scratch)
    assert list(scratch.iterdir()) == []


def test_cross_over_ends_after_as_many_pages_as_each_session_has(tmp_path: Path) -> None:
    paths = [session(tmp_path, "first", 12, 0), session(tmp_path, "second", 20, 1)]
    crossing = ReplaySettings(pages_per_superstep=4, mode=CROSS_OVER)
    request = replace(REQUEST, models=("page-hash",), parts=(3,), settings=crossing)
    found = foresee(paths[0], paths[1:], request, made=MADE, progress=lambda _: None)
    for one, path, count in zip(found.outlooks, paths, (12, 20), strict=True):
        recording = recording_of(path)
        ownership, settings = ownership_by_hash(recording, "page-hash", 3), replace(crossing, max_pages=count)
        course = estimate(recording, ownership, settings)
        assert len(course.fetches) == count
        assert one.figures["overlap"] == measures_of(recording, ownership, course, settings).overlap
