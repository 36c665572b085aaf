"""Who watches a crawl, by rank and options."""

from dataclasses import replace
from pathlib import Path

import pytest

from crawler.config.crawl_options import CrawlOptions
from crawler.launch.plan import Plan, plan
from crawler.monitoring.event_log import LoggedSupersteps, log_path
from crawler.monitoring.live_file import LiveFile
from crawler.monitoring.metrics import Metrics
from crawler.monitoring.progress_display import ProgressDisplay
from crawler.monitoring.usage_lines import UsageLines
from crawler.monitoring.watcher import Watcher
from crawler.rank.watchers import watching


@pytest.fixture
def planned(tmp_path: Path) -> Plan:
    return plan(CrawlOptions(urls=("http://127.0.0.1/",), out=tmp_path / "out"), 1)


def kinds(watchers: list[Watcher]) -> list[type]:
    return [type(watcher) for watcher in watchers]


def test_rank_0_shows_all_ranks_and_the_others_nothing(planned: Plan) -> None:
    with watching(planned, 0) as first, watching(planned, 1) as second:
        assert kinds(first) == [LiveFile, ProgressDisplay]
        assert second == []


def test_what_the_ranks_take_is_told_if_that_is_wanted(planned: Plan) -> None:
    planned = replace(planned, options=replace(planned.options, usage_seconds=60.0))
    with watching(planned, 0) as watchers:
        assert kinds(watchers) == [LiveFile, ProgressDisplay, UsageLines]


def test_every_rank_keeps_a_log_if_it_is_wanted(planned: Plan) -> None:
    planned = replace(planned, options=replace(planned.options, log_json=True))
    with watching(planned, 2) as watchers:
        assert kinds(watchers) == [LoggedSupersteps]
    assert '"run began"' in log_path(planned.out, 2, planned.run).read_text()


def test_metrics_are_served_by_rank_0_only(planned: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[int] = []
    monkeypatch.setattr(Metrics, "__init__", lambda self, port, *_: closed.append(-port))
    monkeypatch.setattr(Metrics, "close", lambda self: closed.append(1))
    planned = replace(planned, options=replace(planned.options, metrics_port=9400))
    with watching(planned, 1) as watchers:
        assert watchers == []
    with watching(planned, 0) as watchers:
        assert kinds(watchers) == [LiveFile, ProgressDisplay, Metrics]
        assert closed == [-9400]
    assert closed == [-9400, 1]


def test_all_are_closed_when_a_crawl_fails(planned: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[str] = []
    for kind in (LiveFile, ProgressDisplay):
        monkeypatch.setattr(kind, "close", lambda self: closed.append(type(self).__name__))
    with pytest.raises(ZeroDivisionError), watching(planned, 0):
        raise ZeroDivisionError
    assert sorted(closed) == ["LiveFile", "ProgressDisplay"]
