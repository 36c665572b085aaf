"""Crawls as Slurm jobs over real TCP: the files of slurm/ do what they say, and the network carries what we count."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pytest

from crawler.rank.left_urls import NOT_LISTED
from crawler.worklist.rows import KINDS, NEW
from crawler.worklist.worklist import open_worklist
from partition.map.partition_assignment import PartitionAssignment
from partition.map.partition_map import PartitionMap
from sessions.checking.check import check_session
from sessions.session import Session
from sessions.url import url_hashes
from tests.cluster.cluster import Cluster, wait_until
from tests.cluster.jobs import NODES, PATIENCE_SECONDS, RANKS, ROOT, SHAPE, TASKS_PER_NODE, Jobs

pytestmark = pytest.mark.cluster

QUICK = ["--delay", "0", "--server-delay", "0", "--superstep", "0.2"]
SLOW = ["--delay", "0.5", "--server-delay", "0", "--superstep", "0.5", "--epoch-seconds", "2"]
"""The largest site alone takes a minute: long enough for something to happen meanwhile."""
LARGE_PAGES, LARGE_LINKS, NAME_BYTES = 100_000, 1_000_000, 48
"""Random names cannot be compressed: each URL takes at least so many bytes on the wire."""
MOST_OFF = 0.10


def assert_is_whole(folder: Path, expected: set[str]) -> Session:
    """The session is what it should be: checked, ended, with each expected page once."""
    findings = check_session(folder)
    assert findings.is_good, findings.problems
    session = Session.open(folder)
    assert session.ended is not None
    assert session.ended["reason"] == "complete"
    pages = Counter(session.read("pages", ["url"])["url"].to_pylist())
    assert set(pages) == expected
    assert set(pages.values()) == {1}
    return session


@pytest.mark.parametrize("launcher", ["mpiexec", "srun-pmi2"])
def test_a_job_on_two_nodes_is_one_crawl(
    cluster: Cluster, where: Sequence[str], expected: set[str], tmp_path: Path, launcher: str
) -> None:
    jobs, out = Jobs(cluster, tmp_path / "jobs", "--launcher", launcher), tmp_path / "session"
    before = [cluster.bytes_sent(node) for node in cluster.nodes]
    jobs.run("crawl.sbatch", "--out", out, "--assign", "page-hash", *QUICK, *where)
    sent = [cluster.bytes_sent(node) - was for node, was in zip(cluster.nodes, before, strict=True)]
    session = assert_is_whole(out, expected)
    assert session.ranks == RANKS
    assert {report["fetched"] > 0 for report in session.rank_reports()} == {True}
    assert sum(amount > 50_000 for amount in sent) == NODES


def test_the_checkouts_own_file_waits_as_sbatch_does(
    jobs: Jobs, where: Sequence[str], expected: set[str], tmp_path: Path
) -> None:
    out, log = tmp_path / "session", tmp_path / "log"
    command = ["sbatch", "--wait", f"--chdir={ROOT}", f"--output={log}", *SHAPE, ROOT / "slurm" / "crawl.sbatch"]
    jobs.cluster.call(*command, "--out", out, *QUICK, *where, **jobs.environment)
    assert_is_whole(out, expected)
    assert f"cutweb info {out}" in log.read_text()


def test_a_job_whose_session_has_ended_does_nothing(
    jobs: Jobs, where: Sequence[str], expected: set[str], tmp_path: Path
) -> None:
    out = tmp_path / "session"
    jobs.run("crawl.sbatch", "--out", out, *QUICK, *where)
    run = Session.open(out).header["run"]
    again = jobs.run("crawl.sbatch", f"--out={out}", *QUICK, *where)
    assert "nothing is left to do" in jobs.log(again)
    assert assert_is_whole(out, expected).header["run"] == run


def test_a_job_that_cannot_begin_fails_and_says_why(jobs: Jobs, tmp_path: Path) -> None:
    job = jobs.submit("crawl.sbatch", "--seeds", tmp_path / "none")
    assert jobs.cluster.end_of(job, PATIENCE_SECONDS)["ExitCode"] == "2:0"
    assert "--out DIR is required" in jobs.log(job)
    job = jobs.submit("crawl.sbatch", "--out", tmp_path / "session", "--seeds", tmp_path / "none")
    assert jobs.cluster.end_of(job, PATIENCE_SECONDS)["ExitCode"] == "2:0"
    assert "--seeds" in jobs.log(job)


def test_a_chain_crawls_by_the_partition_of_the_session_before(
    jobs: Jobs, where: Sequence[str], expected: set[str], tmp_path: Path
) -> None:
    folder = tmp_path / "chain"
    chain = jobs.run("chain.sbatch", "3", folder, *QUICK, *where)
    numbers = [int(number) for number in re.findall(r"job (\d+)", jobs.log(chain))]
    assert len(numbers) == 5
    for number in numbers:
        jobs.has_ended_well(number)
    sessions = [assert_is_whole(folder / f"session-{round_}", expected) for round_ in (1, 2, 3)]
    assert [session.ranks for session in sessions] == [RANKS] * 3
    assert sessions[0].header["assignment"] == "site-hash"
    for earlier, later in ((1, 2), (2, 3)):
        configuration = sessions[later - 1].header["configuration"]
        manifest = json.loads((folder / f"map-{earlier}" / "partition.json").read_text())
        assert configuration["partition"] == str(folder / f"map-{earlier}")
        assert manifest["run"] == sessions[earlier - 1].header["run"]
        assert sessions[later - 1].header["previous"] == manifest["session"]


_UNDER_WAY = 2
"""A rank's visits that may be begun and come to nothing when the limit of pages ends them all."""


def test_a_chain_by_worklists_fetches_what_the_sessions_before_left(
    jobs: Jobs, where: Sequence[str], expected: set[str], tmp_path: Path
) -> None:
    folder = tmp_path / "chain"
    settings = jobs.folder / "cutweb.env"
    before = settings.read_text()
    settings.write_text(before.replace("CUTWEB_WORKLISTS=no", "CUTWEB_WORKLISTS=yes"))
    try:
        chain = jobs.run("chain.sbatch", "3", folder, *QUICK, *where, "--max-pages", str(len(expected) // 2))
        for number in re.findall(r"job (\d+)", jobs.log(chain)):
            jobs.has_ended_well(int(number))
    finally:
        settings.write_text(before)
    fetched: set[str] = set()
    listed: set[str] = set()
    for round_ in (1, 2, 3):
        findings = check_session(folder / f"session-{round_}")
        assert findings.is_good, findings.problems
        session = Session.open(folder / f"session-{round_}")
        pages = set(session.read("pages", ["url"])["url"].to_pylist())
        if round_ > 1:
            worklist = open_worklist(folder / f"worklist-{round_ - 1}")
            new, old = (
                {url for rows in worklist.rows(kind) for url in rows.batch["url"].to_pylist()} for kind in KINDS
            )
            assert session.header["configuration"]["partition"] == str(folder / f"map-{round_ - 1}")
            listed = new | old
            assert pages <= listed
            assignment = PartitionAssignment(PartitionMap.open(folder / f"map-{round_ - 1}"), 0)
            owners = Counter(assignment.owners(url_hashes(sorted(new)), sorted(new)).tolist())
            for rank, report in enumerate(session.rank_reports()):
                its = set(session.read("pages", ["url"], rank)["url"].to_pylist())
                taken = Counter(report["handed_out"])
                assert taken[NEW] >= min(owners[rank], 0.9 * taken.total()) - 1, "nine tenths, as long as there are"
                least = min(owners[rank], 0.9 * len(its)) - _UNDER_WAY
                assert len(its & new) >= least, "nine tenths of a rank's work are new URLs, until it has no more"
        fetched |= pages
    frontier = session.read("frontier", ["hash", "reason"])
    not_listed = frontier.filter(pc.equal(frontier["reason"], NOT_LISTED))["hash"].to_pylist()
    assert fetched <= expected
    assert not listed & (expected - fetched)
    assert set(url_hashes(sorted(expected - fetched)).tolist()) <= set(not_listed), "found in the last round"


def test_jobs_wait_for_one_that_is_requeued(cluster: Cluster, tmp_path: Path) -> None:
    """What a chain relies on where a crawl takes longer than its time limit."""
    told = tmp_path / "told"
    crawl = f'echo crawl >> {told}; [ -n "$SLURM_RESTART_COUNT" ] || scontrol requeue $SLURM_JOB_ID'
    log = f"--output={tmp_path / 'log'}"
    first = cluster.submit(log, "--requeue", "--wrap", crawl)
    then = cluster.submit(
        log, f"--dependency=afterok:{first}", "--kill-on-invalid-dep=yes", "--wrap", f"echo cut >> {told}"
    )
    for job in (first, then):
        assert cluster.end_of(job, PATIENCE_SECONDS)["JobState"] == "COMPLETED"
    assert told.read_text().split() == ["crawl", "crawl", "cut"]


def test_a_chain_that_is_there_is_left_as_it_is(jobs: Jobs, where: Sequence[str], tmp_path: Path) -> None:
    folder = tmp_path / "chain"
    seen = []
    for rounds in ("1", "2", "2"):
        chain = jobs.run("chain.sbatch", rounds, folder, *QUICK, *where)
        for number in re.findall(r"job (\d+)", jobs.log(chain)):
            jobs.has_ended_well(int(number))
        seen.append({path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()})
    assert seen[0].items() < seen[1].items()
    assert seen[2] == seen[1]


def test_the_network_carries_what_we_count(jobs: Jobs, tmp_path: Path) -> None:
    """A replay, in which nothing but the exchange goes over the network, of links that nearly all cross."""
    cluster = jobs.cluster
    lines = jobs.run_in_job(f"mpiexec -n {RANKS} python -m tests.cluster.host_ranks").splitlines()
    host = {int(rank): name for rank, name in map(str.split, lines)}
    assert Counter(host.values()) == dict.fromkeys(host.values(), TASKS_PER_NODE)
    assert len(set(host.values())) == NODES

    session = large_session(jobs, tmp_path)
    before = {node: cluster.bytes_sent(node) for node in cluster.nodes}
    replay = ["replay", str(session), "--ranks", str(RANKS), "--assign", "page-hash", "--pages-per-superstep", "10000"]
    jobs.run_in_job(f"cutweb {' '.join(replay)} --out {tmp_path / 'replayed'}")
    carried = {node: cluster.bytes_sent(node) - before[node] for node in cluster.nodes}

    wire = np.zeros((RANKS, RANKS), np.int64)
    sent = Session.open(tmp_path / "replayed").read("exchanges")
    np.add.at(wire, (sent["rank"].to_numpy(), sent["receiver"].to_numpy()), sent["wire_bytes"].to_numpy())
    for node in set(host.values()):
        senders = [rank for rank in range(RANKS) if host[rank] == node]
        receivers = [rank for rank in range(RANKS) if host[rank] != node]
        counted = int(wire[np.ix_(senders, receivers)].sum())
        assert counted > MOST_OFF * LARGE_PAGES * NAME_BYTES
        print(
            f"{node}: {counted:,} bytes counted, {carried[node]:,} carried, {carried[node] / counted:.4f} times as many"
        )
        assert counted < carried[node] < (1 + MOST_OFF) * counted, f"{node}: counted {counted}, carried {carried[node]}"


def large_session(jobs: Jobs, folder: Path) -> Path:
    """A session of many pages with long names, whose links nobody can foresee."""
    random = np.random.default_rng(5)
    urls = folder / "urls.txt"
    names = (random.bytes(NAME_BYTES).hex() for _ in range(LARGE_PAGES))
    urls.write_text("".join(f"http://site{i % 97}.example/{name}\n" for i, name in enumerate(names)))
    np.savetxt(folder / "links.txt", random.integers(LARGE_PAGES, size=(LARGE_LINKS, 2)), fmt="%d")
    jobs.run_in_job(f"cutweb import edges {folder / 'links.txt'} --urls {urls} --out {folder / 'large'}", ranks=1)
    return folder / "large"


def test_a_job_whose_time_is_up_goes_on_in_the_next(
    jobs: Jobs, where: Sequence[str], expected: set[str], tmp_path: Path
) -> None:
    out = tmp_path / "session"
    short = ("--time=2", "--signal=B:USR1@60")  # Slurm sends it up to half a minute earlier
    job = jobs.run("crawl.sbatch", "--out", out, *SLOW, *where, options=short)
    assert int(jobs.cluster.state(job)["Restarts"]) > 0
    assert "time is up" in jobs.log(job)
    assert len(assert_is_whole(out, expected).runs) == int(jobs.cluster.state(job)["Restarts"]) + 1


def test_a_node_that_is_cut_off_and_crawls_on_is_fenced(
    jobs: Jobs, cluster: Cluster, nearby: Sequence[str], expected: set[str], tmp_path: Path
) -> None:
    """All ranks are on the one node, have their web, and see the session's folder: they do not know that it is lost."""
    out = tmp_path / "session"
    alone = ("--nodes=1", f"--ntasks-per-node={RANKS}")
    job = jobs.submit("crawl.sbatch", "--out", out, *SLOW, "--delay", "1", *nearby, options=alone)
    lost = lose_a_node(cluster, job, out)
    try:
        committed = Session.open(out).last_epoch
        wait_until("an epoch of the lost node", lambda: Session.open(out).last_epoch > committed, PATIENCE_SECONDS)
        assert int(jobs.has_ended_well(job)["Restarts"]) == 1
        assert lost not in nodes_of(cluster, job)
        assert "has taken this session over" in jobs.log(job)
        assert len(assert_is_whole(out, expected).runs) == 2
    finally:
        cluster.join(lost)
    wait_until("the lost node's return", lambda: cluster.is_idle(lost), PATIENCE_SECONDS)
    wait_until("the end of the lost node's ranks", lambda: not is_crawling(cluster, lost, out), PATIENCE_SECONDS)
    assert_is_whole(out, expected)


def lose_a_node(cluster: Cluster, job: int, out: Path) -> str:
    """Once two epochs of a job's crawl are committed, pull the cable of the last of its nodes, which is returned."""
    wait_until("the second epoch", lambda: len(list(out.glob("epochs/*.json"))) > 1, PATIENCE_SECONDS)
    lost = nodes_of(cluster, job)[-1]
    cluster.cut_off(lost)
    return lost


def nodes_of(cluster: Cluster, job: int) -> list[str]:
    return cluster.call("scontrol", "show", "hostnames", cluster.state(job)["NodeList"]).split()


def is_crawling(cluster: Cluster, node: str, out: Path) -> bool:
    """Are there processes of a crawl into this folder on the node?"""
    return any(str(out) in command for command in cluster.commands(node))
