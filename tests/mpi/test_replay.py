"""Replays under mpiexec of sessions that the same numbers of ranks have crawled: docs/replay.md says what must hold."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from crawler.exchange.parallel_modes import CROSS_OVER, EXCHANGE, FIREWALL
from crawler.replay.course import Course, course_of
from crawler.replay.estimation.estimate import estimate
from crawler.replay.ownership import Ownership, ownership_by_hash, ownership_by_map
from crawler.replay.recording import Recording, most_linked, recording_of
from crawler.replay.settings import ReplaySettings
from sessions.checking.check import check_session
from sessions.localweb.generate.make import make_web
from sessions.localweb.serve.server import LocalWeb
from sessions.session import Session
from sessions.url import site_of
from tests.mpi.conftest import USUAL_RANKS, Run
from tests.mpi.maps import known_among, write_random_map
from tests.mpi.search import pages_by_search
from tests.mpi.sent_by_pair import sent_by_pair

MANY_RANKS = 8
ASSIGNMENTS = ("page-hash", "site-hash", "page-partition")
REPLICATED, MOST_PAGES = 25, 60
OWNERSHIPS = {
    "page-hash": ["--assign", "page-hash"],
    "prefix": ["--partition", "MAP", "--unknown", "prefix"],
    "discoverer": ["--partition", "MAP", "--unknown", "discoverer"],
}
SETTINGS = {
    "exchange": ReplaySettings(1000),
    "short": ReplaySettings(7),
    "replicated": ReplaySettings(20, replicated=REPLICATED),
    "some": ReplaySettings(20, max_pages=MOST_PAGES),
    "firewall": ReplaySettings(20, FIREWALL),
    "cross-over": ReplaySettings(20, CROSS_OVER),
    "some-over": ReplaySettings(20, CROSS_OVER, max_pages=MOST_PAGES),
}
PAIRS = [
    (ownership, setting)
    for ownership in OWNERSHIPS
    for setting in SETTINGS
    if ownership == "page-hash" or setting not in ("exchange", "some-over")
]
"""Of each there is a replay of the session that was crawled by page hash."""
MANY_PAIRS = [("prefix", setting) for setting in ("short", "replicated", "some", "firewall", "cross-over")]
"""Those with `MANY_RANKS`."""
DELAY, SERVER_DELAY = 0.1, 0.02
"""In virtual seconds, where time counts."""
CRAWL = ["--delay", "0", "--server-delay", "0", "--superstep", "0.1", "--exclude", r"[37]\.html$"]

Runs = Callable[[int], Path]


@pytest.fixture(scope="module")
def runs(run_in_turn: Run, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    """The folder of everything that is crawled and replayed at a K: one MPI run does it all, when it is first asked."""
    web = tmp_path_factory.mktemp("web") / "web.warc.gz"
    made = make_web(web, sites=8, pages=110, seed=3, links=9.0, robots=1.0)
    known = known_among(pages_by_search(made))
    with LocalWeb([made.path]) as local:
        where = ["--connect-to", local.connect_to, "--ca-cert", str(local.ca_cert)]
        crawl = ["crawl", "--seeds", str(made.seeds_path), *CRAWL, *where]

        @cache
        def run(ranks: int) -> Path:
            folder = tmp_path_factory.mktemp(f"ranks-{ranks}-")
            write_random_map(folder / "map", known, ranks)
            slow = site_of(made.seeds[0])
            (folder / "latencies").write_text(f"* * 0.05+1e6/s\n{ranks - 1} * 0.01\n* {slow} 0.2\n")
            if ranks == MANY_RANKS:
                (folder / "live-page-hash").symlink_to(run(3) / "live-page-hash")
            done = run_in_turn(ranks, *_commands(folder, crawl, ranks))
            assert done.returncode == 0, done.stderr[-3000:]
            return folder

        yield run


def _commands(folder: Path, crawl: list[str], ranks: int) -> Iterator[list[str]]:
    """What is crawled and replayed: with `MANY_RANKS`, only what one test asks for."""
    for assignment in ASSIGNMENTS if ranks < MANY_RANKS else ():
        yield [*crawl, *_owned(assignment, folder), "--out", str(folder / f"live-{assignment}")]
        yield ["replay", str(folder / f"live-{assignment}"), "--out", str(folder / f"same-{assignment}")]
    for pair in PAIRS if ranks < MANY_RANKS else MANY_PAIRS:
        replay = ["replay without report", str(folder / "live-page-hash"), *_asked(*pair, folder), "--out"]
        yield [*replay, str(folder / "-".join(pair))]
        if pair[1] == "short" and ranks < MANY_RANKS:
            yield [*replay, str(folder / f"{pair[0]}-again")]
    model = "0.02+1e6/s"
    latencies = {"timed": model, "timed-again": model, "by-file": f"@{folder / 'latencies'}"}
    for name, latency in latencies.items() if ranks < MANY_RANKS else ():
        timed = ["--latency", latency, "--delay", str(DELAY), "--server-delay", str(SERVER_DELAY)]
        yield ["replay without report", str(folder / "live-page-hash"), *timed, "--out", str(folder / name)]


def _owned(assignment: str, folder: Path) -> list[str]:
    return ["--partition", str(folder / "map")] if assignment == "page-partition" else ["--assign", assignment]


def _asked(ownership: str, setting: str, folder: Path) -> list[str]:
    chosen = SETTINGS[setting]
    by = [argument.replace("MAP", str(folder / "map")) for argument in OWNERSHIPS[ownership]]
    how = ["--mode", chosen.mode, "--replicate", str(chosen.replicated)]
    ends = ["--max-pages", str(chosen.max_pages)] if chosen.max_pages is not None else []
    return [*by, *how, *ends, "--pages-per-superstep", str(chosen.pages_per_superstep)]


def reports(session: Session, *counters: str) -> list[dict[str, Any]]:
    return [{counter: report[counter] for counter in counters} for report in session.rank_reports()]


def handed_over(session: Session) -> dict[tuple[int, int], set[str]]:
    """The URLs that are for another rank to fetch, by who found links to them and who is to be told."""
    url_of, owner_of = {}, {}
    for rank in range(session.ranks):
        for url_hash_, url in zip(
            *(column.to_pylist() for column in session.read("urls", ["hash", "url"], rank).columns), strict=True
        ):
            url_of[url_hash_], owner_of[url_hash_] = url, rank
    pairs: dict[tuple[int, int], set[str]] = {}
    for rank in range(session.ranks):
        for target in session.read("links", ["target"], rank)["target"].to_pylist():
            if owner_of[target] != rank:
                pairs.setdefault((rank, owner_of[target]), set()).add(url_of[target])
    return pairs


def counts(pairs: dict[tuple[int, int], set[str]], ranks: int) -> list[list[int]]:
    return [[len(pairs.get((sender, receiver), ())) for receiver in range(ranks)] for sender in range(ranks)]


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
@pytest.mark.parametrize("ranks", USUAL_RANKS)
def test_with_its_own_assignment_a_session_comes_out_as_it_was(runs: Runs, ranks: int, assignment: str) -> None:
    live, same = (Session.open(runs(ranks) / f"{kind}-{assignment}") for kind in ("live", "same"))
    assert same.header["assignment"] == live.header["assignment"] == assignment
    assert same.ended is not None
    assert same.ended["reason"] == "complete"
    counters = ("fetched", "statuses", "bytes", "decoded_bytes", "links", "sent_urls", "sent_numbers", "sent_bytes")
    assert reports(same, *counters) == reports(live, *counters)
    for table, columns in {"pages": ["hash", "depth", "hops"], "links": ["source", "target", "flags"]}.items():
        for rank in range(ranks):
            rows = [Counter(map(tuple, _rows(session, table, columns, rank))) for session in (live, same)]
            if table == "links":
                assert rows[0] == rows[1]
            assert {row[0] for row in rows[0]} == {row[0] for row in rows[1]}
    assert handed_over(same) == handed_over(live)
    assert counts(handed_over(same), ranks) == sent_by_pair(same)["urls"]
    sizes = [
        [sum(map(len, handed_over(same).get((sender, receiver), ()))) for receiver in range(ranks)]
        for sender in range(ranks)
    ]
    assert sizes == sent_by_pair(live)["bytes"]


def _rows(session: Session, table: str, columns: list[str], rank: int) -> list[list[Any]]:
    read = session.read(table, columns, rank)
    return [list(row) for row in zip(*(read[column].to_pylist() for column in columns), strict=True)]


@pytest.mark.parametrize("ranks", USUAL_RANKS)
def test_what_was_recorded_is_replayed_wholly_and_for_the_same_reasons(runs: Runs, ranks: int) -> None:
    live, same = (Session.open(runs(ranks) / f"{kind}-site-hash") for kind in ("live", "same"))
    kept = [name for name in live.read("pages").column_names if name not in _OF_ONE_CRAWL]
    pages = [{row["url"]: row for row in session.read("pages", kept).to_pylist()} for session in (live, same)]
    assert pages[0] == pages[1]
    reasons = [
        dict(zip(*(session.read("outcomes")[name].to_pylist() for name in ("hash", "reason")), strict=True))
        for session in (live, same)
    ]
    assert reasons[0].keys() >= reasons[1].keys() > set()
    assert reasons[1].items() <= reasons[0].items()
    assert {row["status"] for row in pages[1].values()} > {200, 301, 404}


_OF_ONE_CRAWL = {
    *("depth", "hops", "rank", "superstep", "run"),
    *("warc_file", "warc_offset", "duplicate_of", "unchanged_since"),
}


@pytest.mark.parametrize("ownership", OWNERSHIPS)
@pytest.mark.parametrize("ranks", USUAL_RANKS)
def test_a_replay_is_a_pure_function(runs: Runs, ranks: int, ownership: str) -> None:
    assert_equal_tables(*(Session.open(runs(ranks) / f"{ownership}-{name}") for name in ("short", "again")))


def assert_equal_tables(once: Session, again: Session) -> None:
    """Row by row, but for the run and the epoch."""
    for table in ("pages", "links", "urls", "outcomes", "frontier", "exchanges"):
        for rank in range(once.ranks):
            rows = [session.read(table, rank=rank) for session in (once, again)]
            others = [its.drop_columns([name for name in ("run", "epoch") if name in its.column_names]) for its in rows]
            assert others[0].equals(others[1]), table
    assert len(once.read("pages"))
    assert (len(once.read("exchanges")) > 0) == (once.ranks > 1)


@pytest.mark.parametrize("ranks", USUAL_RANKS)
def test_in_virtual_time_too_a_replay_is_a_pure_function(runs: Runs, ranks: int) -> None:
    once, again = (Session.open(runs(ranks) / name) for name in ("timed", "timed-again"))
    assert_equal_tables(once, again)
    assert [session.ended and session.ended["reason"] for session in (once, again)] == ["complete"] * 2
    live = Session.open(runs(ranks) / "live-page-hash")
    counters = ("fetched", "statuses", "bytes", "links", "sent_urls", "sent_bytes")
    assert reports(once, *counters) == reports(live, *counters)


@pytest.mark.parametrize("ranks", USUAL_RANKS)
def test_a_request_takes_as_long_as_the_file_says_for_its_rank_and_site(runs: Runs, ranks: int) -> None:
    session = Session.open(runs(ranks) / "by-file")
    (slow,) = {line.split()[1] for line in (runs(ranks) / "latencies").read_text().splitlines()} - {"*"}
    taken = {}
    for page in session.read("pages").to_pylist():
        far = 0.01 if page["rank"] == ranks - 1 else 0.05 + page["bytes"] / 1e6
        seconds = 0.2 if page["site"] == slow else far
        assert page["milliseconds"] == pytest.approx(1000 * seconds, rel=1e-5)
        taken[page["rank"] == ranks - 1, page["site"] == slow] = seconds
    assert len(taken) >= (2 if ranks == 1 else 3)


@pytest.mark.parametrize("ranks", USUAL_RANKS)
def test_in_virtual_time_sites_and_servers_rest_between_requests(runs: Runs, ranks: int) -> None:
    visits: dict[str, list[tuple[float, float]]] = {}
    for row in Session.open(runs(ranks) / "timed").read("pages").to_pylist():
        began = row["fetched"].timestamp()
        for place in (row["site"], row["ip"]):
            visits.setdefault(place, []).append((began, began + row["milliseconds"] / 1000))
    servers = {row for row in visits if row.startswith("127.")}
    assert len(servers) == 1
    for place, times in visits.items():
        rests = [after[0] - before[1] for before, after in pairwise(sorted(times))]
        least = SERVER_DELAY if place in servers else DELAY
        assert all(rest >= least - 1e-4 for rest in rests), place
        assert len(rests) > 3


@pytest.mark.parametrize("ranks", USUAL_RANKS)
def test_every_replay_passes_the_check(runs: Runs, ranks: int) -> None:
    replays = [path for path in runs(ranks).iterdir() if (path / "session.json").exists() and "live" not in path.name]
    assert len(replays) == len(ASSIGNMENTS) + len(PAIRS) + len(OWNERSHIPS) + 3
    for path in replays:
        findings = check_session(path)
        assert findings.problems == {}, path.name


@pytest.mark.parametrize("ownership", OWNERSHIPS)
@pytest.mark.parametrize("ranks", USUAL_RANKS)
def test_behind_firewalls_nothing_is_sent_and_pages_are_missed(runs: Runs, ranks: int, ownership: str) -> None:
    recording = recording_of(runs(ranks) / "live-page-hash")
    session = Session.open(runs(ranks) / f"{ownership}-firewall")
    assert session.drops_links
    assert not len(session.read("exchanges"))
    assert all(not report["sent_urls"] for report in session.rank_reports())
    pages = session.read("pages")["hash"].to_pylist()
    assert set(pages) <= set(recording.hashes[: recording.page_count].tolist())
    assert len(pages) == len(set(pages)) or session.allows_overlap
    if ownership != "discoverer":  # who owns what it finds may find everything
        assert (len(pages) < recording.page_count) == (ranks > 1)


@pytest.mark.parametrize("pair", [pair for pair in PAIRS if "over" in pair[1]], ids="-".join)
@pytest.mark.parametrize("ranks", USUAL_RANKS)
def test_in_cross_over_ranks_go_on_with_the_pages_of_others(runs: Runs, ranks: int, pair: tuple[str, str]) -> None:
    recording = recording_of(runs(ranks) / "live-page-hash")
    session = Session.open(runs(ranks) / "-".join(pair))
    most = SETTINGS[pair[1]].max_pages or recording.page_count
    assert session.allows_overlap
    assert not len(session.read("exchanges"))
    by_rank = [session.read("pages", ["hash"], rank)["hash"].to_pylist() for rank in range(ranks)]
    assert all(len(set(pages)) == len(pages) for pages in by_rank)
    fetched = [page for pages in by_rank for page in pages]
    assert len(fetched) == most
    assert session.ended is not None
    assert session.ended["reason"] == ("complete" if most == recording.page_count and ranks == 1 else "max-pages")
    if most == recording.page_count:
        assert (len(set(fetched)) < len(fetched)) == (ranks > 1)


@pytest.mark.parametrize("ownership", ["page-hash", "prefix"])
@pytest.mark.parametrize("ranks", USUAL_RANKS)
def test_what_all_ranks_know_is_never_sent(runs: Runs, ranks: int, ownership: str) -> None:
    recording = recording_of(runs(ranks) / "live-page-hash")
    known = set(recording.texts(most_linked(recording, REPLICATED)))
    assert len(known) == REPLICATED
    session = Session.open(runs(ranks) / f"{ownership}-replicated")
    told = {pair: urls - known for pair, urls in handed_over(session).items()}
    assert counts(told, ranks) == sent_by_pair(session)["urls"]
    if ranks > 1:
        assert any(urls & known for urls in handed_over(session).values())
    assert set(recording.hashes.tolist()) == set(session.read("urls")["hash"].to_pylist())
    fetched = session.read("pages")["url"].to_pylist()
    assert len(fetched) == len(set(fetched)) == recording.page_count


@pytest.mark.parametrize("ownership", OWNERSHIPS)
@pytest.mark.parametrize("ranks", USUAL_RANKS)
def test_max_pages_is_exact(runs: Runs, ranks: int, ownership: str) -> None:
    session = Session.open(runs(ranks) / f"{ownership}-some")
    assert session.ended is not None
    assert session.ended["reason"] == "max-pages"
    assert len(session.read("pages")) == MOST_PAGES
    assert set(session.read("frontier")["reason"].to_pylist()) == {"max-pages"}


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_one_rank_alone_fetches_everything_in_every_mode(runs: Runs, pair: tuple[str, str]) -> None:
    recording = recording_of(runs(1) / "live-page-hash")
    session = Session.open(runs(1) / "-".join(pair))
    fetched = session.read("pages")["hash"].to_pylist()
    limit = SETTINGS[pair[1]].max_pages
    assert len(fetched) == len(set(fetched)) == (limit or recording.page_count)
    assert not len(session.read("exchanges"))


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
@pytest.mark.parametrize("ranks", USUAL_RANKS)
def test_the_estimate_takes_the_same_course(runs: Runs, ranks: int, pair: tuple[str, str]) -> None:
    """In every figure of every page and every message, bytes on the wire included."""
    estimated, told = _both(runs(ranks), ranks, *pair)
    assert_same_course(estimated, told)
    assert len(told.fetches)
    assert (len(told.messages) > 0) == (ranks > 1 and SETTINGS[pair[1]].mode == EXCHANGE)


def test_of_many_ranks_it_does_too(runs: Runs) -> None:
    for pair in MANY_PAIRS:
        assert_same_course(*_both(runs(MANY_RANKS), MANY_RANKS, *pair))


def test_a_different_course_is_noticed(runs: Runs) -> None:
    estimated, _ = _both(runs(3), 3, "page-hash", "short")
    _, told = _both(runs(3), 3, "page-hash", "replicated")
    with pytest.raises(AssertionError):
        assert_same_course(estimated, told)


def _both(folder: Path, ranks: int, ownership: str, setting: str) -> tuple[Course, Course]:
    """The course as the estimate has it, and as the ranks have taken it."""
    recording = recording_of(folder / "live-page-hash")
    chosen = SETTINGS[setting].with_end(recording.page_count)
    told = course_of(Session.open(folder / f"{ownership}-{setting}"), recording)
    return estimate(recording, _ownership(recording, ownership, folder, ranks), chosen), told


def _ownership(recording: Recording, ownership: str, folder: Path, ranks: int) -> Ownership:
    if ownership == "page-hash":
        return ownership_by_hash(recording, ownership, ranks)
    return ownership_by_map(recording, folder / "map", ownership)


def assert_same_course(estimated: Course, told: Course) -> None:
    assert (estimated.ranks, estimated.supersteps) == (told.ranks, told.supersteps)
    assert estimated.discovered.tolist() == told.discovered.tolist()
    for part in ("fetches", "messages"):
        ours, theirs = getattr(estimated, part), getattr(told, part)
        for field in fields(ours):
            column, other = getattr(ours, field.name), getattr(theirs, field.name)
            assert column.dtype == other.dtype, f"{part}.{field.name}"
            assert column.tolist() == other.tolist(), f"{part}.{field.name}"
