"""Whole crawls under mpiexec: the same pages whatever K and the assignment, exact limits, and orderly ends."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection
from functools import cache
from pathlib import Path

import pytest
from warcio.checker import Checker

from partition.assignment.assignment import Assignment, assignment_named
from partition.choices import ASSIGNMENTS
from partition.map.partition_assignment import PartitionAssignment
from partition.map.partition_map import PartitionMap
from sessions.analysis.summary import summarise
from sessions.checking.check import check_session
from sessions.localweb.generate.make import MadeWeb
from sessions.localweb.serve.server import LocalWeb
from sessions.session import Session
from sessions.url import url_hashes
from tests.mpi.conftest import PATIENCE_SECONDS, RANKS, SOON_SECONDS, USUAL_RANKS, Run, environment
from tests.mpi.maps import known_among, write_random_map
from tests.mpi.running_crawl import RunningCrawl
from tests.mpi.search import pages_by_search
from tests.mpi.sent_by_pair import sent_by_pair

RULES = ("prefix", "site", "hash")
LIMITS = (1, 37, 200)

Crawled = Callable[[int, str], Path]


@pytest.fixture(scope="session")
def expected(made: MadeWeb) -> set[str]:
    """The pages that a breadth-first search over the web's own links finds, obeying robots.txt."""
    return pages_by_search(made)


@pytest.fixture(scope="session")
def known(expected: set[str]) -> set[str]:
    """What the crawl before this one found."""
    return known_among(expected)


@pytest.fixture(scope="module")
def crawled(
    run_in_turn: Run, crawl_arguments: list[str], known: set[str], tmp_path_factory: pytest.TempPathFactory
) -> Crawled:
    """The session that K ranks crawled under a name; one MPI run makes all of a K when the first is asked for.

    By an even K it makes them in two, for what is not crawled by hash is asked for by `make test-long` alone.
    """
    _, _, *crawl = crawl_arguments

    @cache
    def folder_of(ranks: int, by_hash: bool, others: bool) -> Path:
        folder = tmp_path_factory.mktemp(f"ranks-{ranks}-")
        write_random_map(folder / "map", known, ranks)
        write_random_map(folder / "finders-map", known, ranks, unknown="discoverer")
        hashed = {name: ["--assign", name] for name in ASSIGNMENTS}
        mapped = {rule: ["--partition", str(folder / "map"), "--unknown", rule] for rule in RULES}
        mapped["finders"] = ["--partition", str(folder / "finders-map")]
        limited = {str(limit): ["--assign", "page-hash", "--max-pages", str(limit)] for limit in LIMITS}
        crawls = (hashed if by_hash else {}) | (mapped | limited if others else {})
        done = run_in_turn(ranks, *([*crawl, *how, "--out", str(folder / name)] for name, how in crawls.items()))
        assert done.returncode == 0, done.stderr
        return folder

    def path_of(ranks: int, name: str) -> Path:
        is_by_hash, is_usual = name in ASSIGNMENTS, ranks % 2 == 1
        return folder_of(ranks, is_by_hash or is_usual, not is_by_hash or is_usual) / name

    return path_of


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
@pytest.mark.parametrize("ranks", RANKS)
def test_every_k_and_assignment_fetches_what_a_search_finds(
    crawled: Crawled, expected: set[str], ranks: int, assignment: str
) -> None:
    _assert_all_was_found(crawled(ranks, assignment), expected, assignment, ranks)


def _assert_all_was_found(out: Path, expected: set[str], assignment: str, ranks: int) -> None:
    session = Session.open(out)
    pages = session.read("pages", ["url", "rank", "hash"])
    urls = pages["url"].to_pylist()
    assert set(urls) == expected
    assert len(urls) == len(expected)
    assert session.ended is not None
    assert session.ended["reason"] == "complete"
    assert check_session(out).is_good
    owners = assignment_named(assignment, ranks).owners(url_hashes(urls), urls)
    assert owners.tolist() == pages["rank"].to_pylist()
    _assert_warcs_are_accepted(session)
    _assert_each_url_was_sent_once(session, assignment_named(assignment, ranks))


def _assert_each_url_was_sent_once(session: Session, assignment: Assignment, known: Collection[str] = ()) -> None:
    """A rank sends an owner exactly the distinct targets, owned there, of the links on its own pages.

    Those that are ``known`` to a partition map go as numbers.
    """
    url_of = dict(zip(*(column.to_pylist() for column in session.read("urls", ["hash", "url"]).columns), strict=True))
    sent = sent_by_pair(session)
    for rank in range(session.ranks):
        targets = sorted(set(session.read("links", ["target"], rank)["target"].to_pylist()))
        urls = [url_of[target] for target in targets]
        owners = assignment.owners(url_hashes(urls), urls)
        counts = Counter(owners.tolist())
        assert sent["urls"][rank] == [0 if owner == rank else counts[owner] for owner in range(session.ranks)]
        counts = Counter(to for url, to in zip(urls, owners.tolist(), strict=True) if url in known)
        assert sent["numbers"][rank] == [0 if owner == rank else counts[owner] for owner in range(session.ranks)]
        assert sent["bytes"][rank] == [
            sum(len(url) for url, to in zip(urls, owners.tolist(), strict=True) if to == owner != rank)
            for owner in range(session.ranks)
        ]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("ranks", USUAL_RANKS)
def test_every_partition_fetches_what_a_search_finds(
    crawled: Crawled, expected: set[str], known: set[str], ranks: int, rule: str
) -> None:
    out = crawled(ranks, rule)
    _assert_all_was_found_under_a_partition(out, out.with_name("map"), rule, expected, known)


def _assert_all_was_found_under_a_partition(
    out: Path, folder: Path, rule: str, expected: set[str], known: set[str]
) -> None:
    session = Session.open(out)
    pages = session.read("pages", ["url", "rank", "hash"])
    urls = pages["url"].to_pylist()
    assert set(urls) == expected
    assert len(urls) == len(expected)
    assert check_session(out).problems == {}
    assignment = PartitionAssignment(PartitionMap.open(folder), 0, rule)
    assert session.header["assignment"] == assignment.name
    assert session.header["previous"] == "session-1"
    assert assignment.owners(url_hashes(urls), urls).tolist() == pages["rank"].to_pylist()
    _assert_each_url_was_sent_once(session, assignment, known)
    assert (summarise(session).total["sent_numbers"] > 0) == (session.ranks > 1)


@pytest.mark.parametrize("ranks", USUAL_RANKS)
def test_where_finders_own_what_they_find_pages_are_fetched_again_and_counted(
    crawled: Crawled, expected: set[str], known: set[str], ranks: int
) -> None:
    out = crawled(ranks, "finders")
    session = Session.open(out)
    assert session.header["assignment"] == "page-partition/discoverer"
    urls = session.read("pages", ["url"])["url"].to_pylist()
    assert set(urls) == expected
    overlap = len(urls) - len(expected)
    assert (overlap > 0) == (ranks > 1)
    findings, summary = check_session(out), summarise(session)
    assert findings.problems == {}
    assert findings.overlap == summary.overlap == overlap
    assert {url for url, times in Counter(urls).items() if times > 1}.isdisjoint(known)
    assert summary.total["sent_numbers"] == summary.total["sent_urls"], "a URL that is not known is not sent"


def test_a_partition_is_refused_before_anything_is_written(
    run_ranks: Run, crawl_arguments: list[str], known: set[str], tmp_path: Path
) -> None:
    out, folder = tmp_path / "session", tmp_path / "map"
    write_random_map(folder, known, 3)
    write_random_map(tmp_path / "other", known, 3, unknown="site")

    def refusal(ranks: int, *arguments: str) -> str:
        done = run_ranks(ranks, *arguments, "--partition", str(folder), "--out", str(out))
        assert done.returncode == 2, done.stderr
        assert not out.exists()
        (line,) = (line for line in done.stderr.splitlines() if line.startswith("cutweb crawl: "))
        assert "Traceback" not in done.stderr
        return line.removeprefix("cutweb crawl: ")

    assert "cutweb partition session-1 --parts 2 --out DIR" in refusal(2, *crawl_arguments)
    # rank 2 finds another folder under that name, as on a machine of its own
    elsewhere = (
        "import runpy, sys, pathlib, os, crawler.launch.start_ranks as launch\n"
        "from mpi4py import MPI\n"
        "real = launch.look_at\n"
        f"other = pathlib.Path({str(tmp_path / 'other')!r})\n"
        "launch.look_at = lambda folder: real(other if MPI.COMM_WORLD.rank == 2 else folder)\n"
        "from crawler.commands.crawl import crawl\n"
        "sys.exit(crawl(sys.argv[1:]))\n"
    )
    assert "rank 2 of 3 has a different partition map" in refusal(3, "-c", elsewhere, *crawl_arguments[3:])
    path = folder / "shards.bin"
    path.write_bytes(path.read_bytes()[:-1])
    assert refusal(3, *crawl_arguments).startswith(f"--partition: {path}: is ")


def _assert_warcs_are_accepted(session: Session) -> None:
    for file in session.warc_files():
        checker = Checker(_CheckerOptions())
        checker.process_one(str(file.path))
        assert checker.exit_value == 0, file.path


class _CheckerOptions:
    verbose = False
    inputs = ()


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("ranks", USUAL_RANKS)
def test_max_pages_is_exact(crawled: Crawled, ranks: int, limit: int) -> None:
    out = crawled(ranks, str(limit))
    session = Session.open(out)
    assert session.read("pages", ["hash"]).num_rows == limit
    assert session.ended is not None
    assert session.ended["reason"] == "max-pages"
    assert check_session(out).is_good


@pytest.mark.parametrize("ranks", [1, 3])
def test_bad_requests_leave_with_one_line_and_write_nothing(
    run_ranks: Run, crawl_arguments: list[str], tmp_path: Path, ranks: int
) -> None:
    out = tmp_path / "session"
    (tmp_path / "bad.txt").write_text("http://fine.example/\nftp://not.example/\n")
    done = run_ranks(ranks, "-m", "crawler", "crawl", "--seeds", str(tmp_path / "bad.txt"), "--out", str(out))
    assert done.returncode == 2
    assert [line for line in done.stderr.splitlines() if "bad.txt:2" in line] == [
        f"cutweb crawl: {tmp_path / 'bad.txt'}:2: not an http(s) URL: ftp://not.example/"
    ]
    assert "Traceback" not in done.stderr
    assert not out.exists()


def test_all_ranks_leave_with_the_code_of_a_crawl_that_fetched_nothing(run_ranks: Run, tmp_path: Path) -> None:
    nowhere = ["http://127.0.0.1:9/", "http://127.0.0.2:9/", "--superstep", "0.1", "--out", str(tmp_path / "session")]
    done = run_ranks(3, "-m", "crawler", "crawl", *nowhere)
    assert done.returncode == 4, done.stderr
    assert done.stdout.splitlines()[-1].startswith("nothing was fetched: internal-address 2; ")
    again = run_ranks(2, "-m", "crawler", "crawl", "--resume", str(tmp_path / "session"))
    assert again.returncode == 4
    launched = [sys.executable, *("-m", "crawler", "crawl", "--ranks", "2"), *nowhere]
    corrected = subprocess.run(launched, check=False, capture_output=True, env=environment(), text=True)
    assert corrected.returncode == 4, corrected.stderr
    (aside,) = tmp_path.glob("session.nothing-*")
    assert f"the crawl in it ended without a page; it is now {aside.name}" in corrected.stderr


def test_a_wrong_number_of_ranks_is_refused(run_ranks: Run, crawl_arguments: list[str], tmp_path: Path) -> None:
    done = run_ranks(2, *crawl_arguments, "--ranks", "3", "--out", str(tmp_path / "session"))
    assert done.returncode == 2
    assert "--ranks says 3 ranks, but this MPI run has 2" in done.stderr
    assert not (tmp_path / "session").exists()


def test_of_several_singletons_one_crawls_and_the_others_stop(crawl_arguments: list[str], tmp_path: Path) -> None:
    """What a launcher of another MPI gives: processes that do not see each other."""
    command = [sys.executable, *crawl_arguments, "--out", str(tmp_path / "session")]
    processes = [
        subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=environment())
        for _ in range(3)
    ]
    errors = [process.communicate(timeout=PATIENCE_SECONDS)[1] for process in processes]
    assert sorted(process.returncode for process in processes) == [0, 2, 2]
    assert check_session(tmp_path / "session").is_good, errors


def test_an_error_on_one_rank_ends_all_of_them_with_its_traceback(
    run_ranks: Run, crawl_arguments: list[str], tmp_path: Path
) -> None:
    """Rank 2 finds a file where its folder should be."""
    out = tmp_path / "session"
    program = (
        "import runpy, sys, sessions.writing.recorder as recorder\n"
        "real = recorder.Recorder.__init__\n"
        "def init(self, session, rank, *rest, **more):\n"
        "    if rank == 2: raise OSError('disk of rank 2 is gone')\n"
        "    real(self, session, rank, *rest, **more)\n"
        "recorder.Recorder.__init__ = init\n"
        "sys.argv = ['cutweb', *sys.argv[1:]]\n"
        "runpy.run_module('crawler', run_name='__main__')\n"
    )
    done = run_ranks(4, "-c", program, *crawl_arguments[2:], "--out", str(out))
    assert done.returncode != 0
    assert "rank 2 of 4 failed" in done.stderr
    assert "disk of rank 2 is gone" in done.stderr


def test_killing_a_rank_ends_the_run_soon(crawl_arguments: list[str], tmp_path: Path) -> None:
    running = RunningCrawl(crawl_arguments, tmp_path / "session")
    running.wait_for_an_epoch()
    ranks = running.ranks()
    assert len(ranks) == 3
    os.kill(ranks[-1], signal.SIGKILL)
    began = time.monotonic()
    assert running.wait() not in (0, 2)
    assert time.monotonic() - began < SOON_SECONDS
    assert "the crawl was cut off" in running.complained
    session = Session.open(running.out)
    assert session.ended is None
    assert session.read("pages").num_rows > 0
    assert check_session(running.out).is_good


@pytest.mark.parametrize(
    "number",
    [signal.SIGTERM, *(pytest.param(each, marks=pytest.mark.long) for each in (signal.SIGINT, signal.SIGUSR1))],
)
def test_a_signal_ends_the_crawl_in_order(crawl_arguments: list[str], tmp_path: Path, number: signal.Signals) -> None:
    running = RunningCrawl(crawl_arguments, tmp_path / "session")
    running.wait_for_an_epoch()
    running.process.send_signal(number)
    assert running.wait() == 0, running.complained
    assert "crawl ended: signal" in running.said
    session = Session.open(running.out)
    assert session.ended is not None
    assert session.ended["reason"] == "signal"
    assert session.read("frontier").num_rows > 0
    assert check_session(running.out).is_good


def test_a_killed_launcher_takes_its_ranks_along(crawl_arguments: list[str], tmp_path: Path) -> None:
    running = RunningCrawl(crawl_arguments, tmp_path / "session")
    running.wait_for_an_epoch()
    running.process.kill()
    running.process.wait()
    deadline = time.monotonic() + 20
    while running.ranks():
        assert time.monotonic() < deadline, "the ranks crawl on"
        time.sleep(0.05)
    assert check_session(running.out).is_good


@pytest.mark.parametrize("ranks", [2, 4])
def test_seconds_end_a_crawl(run_ranks: Run, crawl_arguments: list[str], tmp_path: Path, ranks: int) -> None:
    out = tmp_path / "session"
    done = run_ranks(ranks, *crawl_arguments, "--delay", "1", "--max-seconds", "1.5", "--out", str(out))
    assert done.returncode == 0, done.stderr
    session = Session.open(out)
    assert session.ended is not None
    assert session.ended["reason"] == "max-seconds"
    assert check_session(out).is_good


def test_the_local_web_saw_each_page_once(
    run_ranks: Run, crawl_arguments: list[str], web: LocalWeb, tmp_path: Path
) -> None:
    before = len(web.log)
    done = run_ranks(3, *crawl_arguments, "--assign", "page-hash", "--out", str(tmp_path / "session"))
    assert done.returncode == 0, done.stderr
    counts = Counter(url for _, _, url in web.log[before:] if not url.endswith("/robots.txt"))
    assert set(counts.values()) == {1}
