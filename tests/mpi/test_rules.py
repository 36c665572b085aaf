"""Rules that are typed while several ranks crawl: the server's log is the judge, and the ranks' logs say when."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import pytest

from crawler.monitoring.event_log import log_path
from sessions.checking.check import check_session
from sessions.localweb.generate.make import MadeWeb, make_web
from sessions.localweb.serve.connection import Answer
from sessions.localweb.serve.server import LocalWeb
from sessions.rule_records import rule_records
from sessions.session import Session
from sessions.url import site_of
from tests.mpi.conftest import PATIENCE_SECONDS, Run, environment
from tests.mpi.running_crawl import RunningCrawl
from tests.mpi.search import pages_by_search


class WatchedWeb(LocalWeb):
    """A local web that does something once it has been asked for a number of pages of a site, or ``always``."""

    def __init__(self, path: Path) -> None:
        super().__init__([path])
        self.after: dict[tuple[str, int], Callable[[], None]] = {}
        self.always: Callable[[], None] = lambda: None
        self.came: Counter[str] = Counter()

    def answer(self, method: str, scheme: str, authority: str, target: str) -> Answer:
        self.came[authority] += 1
        act = self.after.get((authority, self.came[authority]))
        if act is not None:
            act()
        self.always()
        return super().answer(method, scheme, authority, target)

    def times_of(self, site: str) -> list[float]:
        """When requests to a site came, in seconds since 1970."""
        since_1970 = time.time() - time.monotonic()
        return [since + since_1970 for since, _, url in self.log if site_of(url) == site]


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> MadeWeb:
    """A web with one site that all ranks crawl for some time."""
    path = tmp_path_factory.mktemp("ruled") / "web.warc.gz"
    return make_web(path, sites=4, pages=600, seed=5, links=20.0, robots=0.0, page_kb=2.0)


@pytest.fixture
def watched(large: MadeWeb) -> Iterator[WatchedWeb]:
    with WatchedWeb(large.path) as web:
        yield web


@pytest.fixture
def arguments(large: MadeWeb, watched: WatchedWeb, tmp_path: Path) -> list[str]:
    """The arguments of a crawl by rules, but for --out."""
    (tmp_path / "rules.toml").write_text("")
    rules = ["--rules", str(tmp_path / "rules.toml"), "--log-json"]
    pace = ["--delay", "0.01", "--server-delay", "0", "--superstep", "0.2", "--delay-factor", "0"]
    where = ["--connect-to", watched.connect_to, "--no-tls-verify", "--assign", "page-hash"]
    return ["-m", "crawler", "crawl", "--seeds", str(large.seeds_path), *rules, *pace, *where]


def largest_site(large: MadeWeb, web: LocalWeb) -> str:
    return Counter(map(site_of, web.index.entries)).most_common(1)[0][0]


def events(out: Path, rank: int, name: str) -> list[dict[str, object]]:
    run = Session.open(out).header["run"]
    lines = map(json.loads, log_path(out, rank, run).read_text().splitlines())
    return [event for event in lines if event["event"] == name]


def last_superstep(out: Path) -> int:
    """The last superstep that rank 0 has said the end of."""
    return max((int(str(event["superstep"])) for event in events(out, 0, "superstep ended")), default=0)


def seconds(event: dict[str, object]) -> float:
    return datetime.fromisoformat(str(event["time"])).timestamp()


def test_a_block_that_is_typed_while_four_ranks_crawl_a_site_is_obeyed_within_two_supersteps(
    run_ranks: Run, arguments: list[str], large: MadeWeb, watched: WatchedWeb, tmp_path: Path
) -> None:
    site, typed = largest_site(large, watched), []

    def block() -> None:
        typed.append(time.time())
        (tmp_path / "rules.toml").write_text(f'[[rule]]\nsite = "{site}"\nblock = true\n')

    watched.after[site, 40] = block
    out = tmp_path / "session"
    done = run_ranks(4, *arguments, "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert check_session(out).is_good
    heard = [events(out, rank, "rules changed") for rank in range(4)]
    assert [len(one) for one in heard] == [1] * 4
    (superstep,) = {int(str(one["superstep"])) for (one,) in heard}
    ended = [event for event in events(out, 0, "superstep ended") if seconds(event) < typed[0]]
    assert superstep - max((int(str(event["superstep"])) for event in ended), default=0) <= 2
    next_ends = [
        seconds(event)
        for rank in range(4)
        for event in events(out, rank, "superstep ended")
        if event["superstep"] == superstep + 1
    ]
    times = watched.times_of(site)
    assert len(times) >= 40
    assert max(times) < max(next_ends, default=float("inf"))
    session = Session.open(out)
    reasons = Counter(session.read("outcomes")["reason"].to_pylist())
    fetched = Counter(session.read("pages")["site"].to_pylist())
    assert reasons["rule"] > 100
    assert fetched[site] < 150
    assert session.ended is not None
    assert session.ended["reason"] == "complete"
    for epoch in session.counting:
        for report in (entry["report"] for entry in epoch["ranks"]):
            settled = sum(report[state] for state in ("fetched", "failed", "filtered", "queued"))
            assert report["discovered"] == settled


def test_a_pause_changes_when_pages_are_fetched_and_not_which(
    arguments: list[str], large: MadeWeb, watched: WatchedWeb, tmp_path: Path
) -> None:
    site, rules, out = largest_site(large, watched), tmp_path / "rules.toml", tmp_path / "session"
    watched.after[site, 40] = lambda: rules.write_text(f'[[rule]]\nsite = "{site}"\npause = true\n') and None
    running = RunningCrawl(arguments, out, "--delay", "0.01")
    try:
        running.wait_for("pause", lambda: len(rule_records(out)) == 2)
        began = rule_records(out)[1]["superstep"]
        running.wait_for("pause on all ranks", lambda: last_superstep(out) >= began + 2)
        before = watched.came[site]
        running.wait_for("longer pause", lambda: last_superstep(out) >= began + 4)
        assert watched.came[site] == before
        rules.write_text("")
        assert running.wait() == 0, running.complained
    finally:
        running.kill_all()
    assert check_session(out).is_good
    assert len(rule_records(out)) == 3
    urls = Session.open(out).read("pages", ["url"])["url"].to_pylist()
    assert sorted(urls) == sorted(pages_by_search(large))
    outcomes = Session.open(out).read("outcomes")
    assert len(set(outcomes["hash"].to_pylist())) == outcomes.num_rows
    assert "rule" not in outcomes["reason"].to_pylist()
    assert watched.came[site] > before


@pytest.mark.long
def test_no_more_pages_come_than_a_rule_lets_over_all_ranks(
    run_ranks: Run, arguments: list[str], large: MadeWeb, watched: WatchedWeb, tmp_path: Path
) -> None:
    site = largest_site(large, watched)
    (tmp_path / "rules.toml").write_text(f'[[rule]]\nsite = "{site}"\nmax-pages = 57\n')
    out = tmp_path / "session"
    done = run_ranks(4, *arguments, "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert check_session(out).is_good
    assert Counter(Session.open(out).read("pages")["site"].to_pylist())[site] == 57
    assert len([url for _, _, url in watched.log if site_of(url) == site and not url.endswith("/robots.txt")]) == 57


def test_a_crawl_that_is_killed_goes_on_by_its_rules(
    run_ranks: Run, arguments: list[str], large: MadeWeb, watched: WatchedWeb, tmp_path: Path
) -> None:
    """It is killed at the first request after the block was heard."""
    site = largest_site(large, watched)
    rules, out = tmp_path / "rules.toml", tmp_path / "session"
    running: list[subprocess.Popen[str]] = []
    watched.after[site, 30] = lambda: rules.write_text(f'[[rule]]\nsite = "{site}"\nblock = true\n') and None
    watched.always = lambda: running[0].send_signal(signal.SIGKILL) if len(rule_records(out)) == 2 else None
    words = [sys.executable, *arguments, "--ranks", "3", "--epoch-seconds", "0.5", "--out", str(out)]
    running.append(subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=environment()))
    running[0].communicate(timeout=PATIENCE_SECONDS)
    assert running[0].returncode == -signal.SIGKILL
    watched.always = lambda: None
    before = len(watched.times_of(site))
    done = run_ranks(2, *arguments[:3], "--resume", str(out))
    assert done.returncode == 0, done.stderr
    assert check_session(out).is_good
    session = Session.open(out)
    assert len(rule_records(out)) == 3
    assert len(watched.times_of(site)) == before
    assert session.ended is not None
    assert session.ended["reason"] == "complete"
    assert Counter(session.read("outcomes")["reason"].to_pylist())["rule"] > 0


def test_a_wrong_file_is_refused_in_one_line_before_anything_is_written(
    run_ranks: Run, arguments: list[str], tmp_path: Path
) -> None:
    (tmp_path / "rules.toml").write_text("[[rule]]\nsite = 'a.example'\nblock = 3\n")
    done = run_ranks(2, *arguments, "--out", str(tmp_path / "session"))
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.endswith("rules.toml:3: block: 3 wants true or false")
    assert line.startswith("cutweb crawl: --rules ")
    assert not (tmp_path / "session").exists()
    assert os.listdir(tmp_path) == ["rules.toml"]
