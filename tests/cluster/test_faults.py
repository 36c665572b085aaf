"""What goes wrong on clusters, provoked under Slurm: lines and exit codes are those of the table in docs/cluster.md.

A crawl that was disturbed is then run to its end by the same sbatch, with `--delay 0`, which holds from then on, and
has the pages and links of one that was not.
"""

import os
import re
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.request import urlopen

import pytest

from crawler.commands.follow import Follower
from scripts.shared.network_namespaces import processes
from sessions.checking.check import check_session
from sessions.session import Session
from tests.cluster import own_software
from tests.cluster.cluster import Cluster, wait_until
from tests.cluster.faults import faults
from tests.cluster.jobs import PATIENCE_SECONDS, Jobs
from tests.cluster.test_slurm import QUICK, SLOW, assert_is_whole, is_crawling, nodes_of
from tests.mpi.running_crawl import ranks_of

pytestmark = pytest.mark.cluster

FAULTS = faults()
OTHER_VERSION = """
import sessions.version
sessions.version.VERSION = "0.0.1"
"""
OTHER_CLOCK = """
import time
now = time.time
time.time = lambda: now() + 3 * 86400
"""
METRICS_PORT = 9400


@pytest.fixture(scope="module")
def undisturbed(jobs: Jobs, where: Sequence[str], tmp_path_factory: pytest.TempPathFactory) -> Session:
    out = tmp_path_factory.mktemp("undisturbed") / "session"
    jobs.run("crawl.sbatch", "--out", out, *QUICK, *where)
    return Session.open(out)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "session"


@contextmanager
def crawling(jobs: Jobs, out: Path, *arguments: str, options: tuple[str, ...] = ()) -> Iterator[int]:
    """Within it a job crawls slowly, and has committed two epochs; what is left of it in the end is cancelled."""
    job = jobs.submit("crawl.sbatch", "--out", out, *SLOW, *arguments, options=options)
    try:
        wait_until("the second epoch", lambda: len(list(out.glob("epochs/*.json"))) > 1, PATIENCE_SECONDS)
        yield job
    finally:
        jobs.cluster.call("scancel", str(job))
        jobs.cluster.end_of(job, PATIENCE_SECONDS)


def metrics_of(node: str) -> str:
    """What a crawl serves whose rank 0 is there."""
    with urlopen(f"http://10.77.0.{node.removeprefix('cutweb')}:{METRICS_PORT}/metrics") as answer:
        return str(answer.read(), "utf-8")


def assert_told(jobs: Jobs, job: int, name: str) -> None:
    assert FAULTS[name].is_told_in(jobs.log(job)), jobs.log(job)


def assert_ends_as_told(jobs: Jobs, job: int, name: str) -> None:
    """The job ends with the line and the exit code of this fault."""
    code, _ = jobs.cluster.end_of(job, PATIENCE_SECONDS)["ExitCode"].split(":")
    assert FAULTS[name].is_code(int(code)), f"{code}\n{jobs.log(job)}"
    assert_told(jobs, job, name)


def assert_goes_on_to_the_same(
    jobs: Jobs, out: Path, where: Sequence[str], undisturbed: Session, options: tuple[str, ...] = ()
) -> None:
    """The same sbatch runs the crawl to its end, and that is the end of the undisturbed one."""
    jobs.run("crawl.sbatch", "--out", out, *QUICK, *where, options=options)
    assert Session.open(out).header["configuration"]["delay"] == 0
    assert_are_the_same(out, undisturbed)


def assert_are_the_same(out: Path, undisturbed: Session) -> None:
    session = assert_is_whole(out, set(undisturbed.read("pages", ["url"])["url"].to_pylist()))
    for table, columns in (("pages", ["url", "status", "content_digest"]), ("links", ["source", "target"])):
        mine, its = (rows.read(table, columns).to_pylist() for rows in (session, undisturbed))
        assert sorted(map(repr, mine)) == sorted(map(repr, its)), table


def test_each_row_of_the_table_is_provoked_here() -> None:
    here = Path(__file__).read_text() + Path(__file__).with_name("test_start_limit.py").read_text()
    assert [name for name in FAULTS if f'"{name}"' not in here] == []


@pytest.fixture
def unequal(cluster: Cluster, tmp_path: Path) -> Iterator[Callable[[str], Jobs]]:
    """Jobs of two nodes, the second of which has software of its own that runs this first."""
    first, second, *_ = cluster.nodes

    def made(program: str) -> Jobs:
        jobs = Jobs(cluster, tmp_path / "jobs")
        own_software.whole(cluster, first)
        own_software.otherwise(cluster, second, tmp_path / "first", program)
        own_software.use_it(jobs)
        return jobs

    yield made
    own_software.removed(cluster, first, second)


def test_a_folder_that_is_not_shared(jobs: Jobs, where: Sequence[str]) -> None:
    job = jobs.submit("crawl.sbatch", "--out", "/dev/shm/own/session", *QUICK, *where)
    assert_ends_as_told(jobs, job, "the session's folder is not shared")
    for node in jobs.cluster.nodes:
        assert jobs.cluster.call("srun", f"--nodelist={node}", "ls", "-A", "/dev/shm") == ""


def test_scratch_that_one_node_lacks(jobs: Jobs, cluster: Cluster, where: Sequence[str], out: Path) -> None:
    first, second, *_ = cluster.nodes
    cluster.call("srun", f"--nodelist={first}", "mkdir", "/dev/shm/scratch")
    nodes = (f"--nodelist={first},{second}",)
    job = jobs.submit("crawl.sbatch", "--out", out, *QUICK, *where, "--scratch", "/dev/shm/scratch/x", options=nodes)
    assert_ends_as_told(jobs, job, "a node lacks the folder for scratch")
    assert not out.exists()
    cluster.call("srun", f"--nodelist={first}", "rmdir", "/dev/shm/scratch")


def test_scratch_that_nodes_share(
    jobs: Jobs, where: Sequence[str], out: Path, tmp_path: Path, undisturbed: Session
) -> None:
    scratch = tmp_path / "scratch"
    job = jobs.submit("crawl.sbatch", "--out", out, *QUICK, *where, "--scratch", scratch)
    assert_ends_as_told(jobs, job, "nodes share the folder for scratch")
    assert list(scratch.iterdir()) == []
    assert_are_the_same(out, undisturbed)


def test_another_version(unequal: Callable[[str], Jobs], cluster: Cluster, where: Sequence[str], out: Path) -> None:
    jobs = unequal(OTHER_VERSION)
    nodes = (f"--nodelist={','.join(cluster.nodes[:2])}",)
    job = jobs.submit("crawl.sbatch", "--out", out, *QUICK, *where, options=nodes)
    assert_ends_as_told(jobs, job, "a node has another version")
    assert not out.exists()


def test_another_clock(
    unequal: Callable[[str], Jobs], cluster: Cluster, where: Sequence[str], out: Path, undisturbed: Session
) -> None:
    jobs = unequal(OTHER_CLOCK)
    nodes = (f"--nodelist={','.join(cluster.nodes[:2])}",)
    job = jobs.submit("crawl.sbatch", "--out", out, *QUICK, *where, options=nodes)
    assert_ends_as_told(jobs, job, "a node's clock is days off")
    assert_are_the_same(out, undisturbed)
    fetched = Session.open(out).read("pages", ["fetched"])["fetched"].to_pylist()
    assert max(fetched) - min(fetched) < timedelta(hours=1)
    assert max(fetched) < datetime.now(UTC)


def test_words_given_again(jobs: Jobs, where: Sequence[str], out: Path, undisturbed: Session) -> None:
    """A second sbatch is refused and changes nothing; after `cutweb stop` it is not, and its delay holds."""
    with crawling(jobs, out, *where) as first:
        second = jobs.submit("crawl.sbatch", "--out", out, *QUICK, *where, options=("--oversubscribe",))
        assert_ends_as_told(jobs, second, "a second sbatch while the first runs")
        assert jobs.cluster.state(first)["JobState"] == "RUNNING"
        jobs.run_in_job(f"cutweb stop {out}", ranks=1)
        assert jobs.cluster.end_of(first, PATIENCE_SECONDS)["ExitCode"] == "1:0"
        assert "was stopped before its end" in jobs.log(first)
    refused = jobs.submit("crawl.sbatch", "--out", out, *QUICK, *where, "--scope", "sites")
    assert_ends_as_told(jobs, refused, "what a session keeps is given otherwise")
    assert_goes_on_to_the_same(jobs, out, where, undisturbed)


def test_a_flipped_byte_before_a_requeue(jobs: Jobs, where: Sequence[str], out: Path) -> None:
    with crawling(jobs, out, *where) as job:
        jobs.cluster.call("scontrol", "requeue", str(job))
        wait_until("the requeue", lambda: jobs.cluster.state(job)["JobState"] == "PENDING", PATIENCE_SECONDS)
        damaged = max((file.path for file in Session.open(out).table_files()), key=lambda path: path.stat().st_size)
        content = bytearray(damaged.read_bytes())
        content[len(content) // 2] ^= 1
        damaged.write_bytes(content)
        before = sorted(path for path in out.rglob("*") if path.is_file())
        assert_ends_as_told(jobs, job, "a committed table has another byte")
        assert str(damaged) in jobs.log(job)
        assert sorted(path for path in out.rglob("*") if path.is_file()) == before


def test_a_rank_that_hangs_is_named_and_comes_back(
    jobs: Jobs, cluster: Cluster, where: Sequence[str], out: Path, undisturbed: Session
) -> None:
    with crawling(jobs, out, *where, "--metrics-port", str(METRICS_PORT)) as job:
        first, second = nodes_of(cluster, job)
        follower = Follower(out)
        follower.look()
        stopped = ranks_of(out)[3]
        os.kill(stopped, signal.SIGSTOP)
        name = "a rank hangs, and comes back"
        wait_until("the line", lambda: FAULTS[name].is_told_in(jobs.log(job)), PATIENCE_SECONDS)
        assert f"rank 3 on {second} has given" in jobs.log(job)
        wait_until(
            "the watcher's", lambda: [s.rank for s in follower.look().standing.silences] == [3], PATIENCE_SECONDS
        )
        assert f'cutweb_silent_seconds{{host="{second}",rank="3"}}' in metrics_of(first)
        os.kill(stopped, signal.SIGCONT)
        wait_until("its return", lambda: f"rank 3 on {second} is back" in jobs.log(job), PATIENCE_SECONDS)
        cluster.call("scontrol", "requeue", str(job))
        assert_ends_as_told(jobs, job, name)
    assert len(Session.open(out).runs) == 2
    assert_are_the_same(out, undisturbed)


@pytest.mark.parametrize("launcher", ["mpiexec", "srun-pmi2"])
def test_a_second_signal_ends_all_ranks(
    cluster: Cluster, where: Sequence[str], out: Path, tmp_path: Path, undisturbed: Session, launcher: str
) -> None:
    jobs = Jobs(cluster, tmp_path / "jobs", "--launcher", launcher)
    with crawling(jobs, out, *where) as job:
        ranks = ranks_of(out)
        os.kill(ranks[3], signal.SIGSTOP)

        def has_ended() -> bool:
            if ranks_of(out).keys() <= {3}:
                return True
            with suppress(AssertionError):  # a job that has ended meanwhile takes no signal
                cluster.call("scancel", "--batch", "--signal=TERM", str(job))  # within two seconds it repeats the first
            return False

        wait_until("the end of living ranks", has_ended, 2 + 5)
        if launcher == "mpiexec":
            assert_ends_as_told(jobs, job, "a rank hangs, and the job is asked to stop twice")
        else:
            assert jobs.cluster.end_of(job, PATIENCE_SECONDS)["JobState"] == "FAILED"
    assert check_session(out).is_good
    assert_goes_on_to_the_same(jobs, out, where, undisturbed)


def test_a_limit_of_silence(jobs: Jobs, where: Sequence[str], out: Path, undisturbed: Session) -> None:
    with crawling(jobs, out, *where, "--max-silence", "6") as job:
        os.kill(ranks_of(out)[1], signal.SIGSTOP)
        assert_ends_as_told(jobs, job, "a rank hangs, under `--max-silence`")
        assert ranks_of(out) == {}
    assert_goes_on_to_the_same(jobs, out, where, undisturbed)


def test_a_cable_that_is_out_for_some_seconds(
    jobs: Jobs, cluster: Cluster, nearby: Sequence[str], out: Path, undisturbed: Session
) -> None:
    """Signs of life are files, which all nodes see as before: so nobody is silent, and the network is to blame."""
    name = "a node's cable is out for some seconds"
    metrics = ("--metrics-port", str(METRICS_PORT))
    with crawling(jobs, out, *nearby, "--scope", "all", "--contact", "tests@cutweb.example", *metrics) as job:
        first, lost = nodes_of(cluster, job)
        cluster.cut_off(lost)
        try:
            wait_until("the line", lambda: FAULTS[name].is_told_in(jobs.log(job)), 12)
            found = metrics_of(first)
            assert [f'cutweb_standstill_seconds{{host="{node}"}}' in found for node in (first, lost)] == [True, True]
        finally:
            cluster.join(lost)
        runs = len(Session.open(out).epochs)
        wait_until("another epoch", lambda: len(Session.open(out).epochs) > runs, PATIENCE_SECONDS)
        assert_ends_as_told(jobs, job, name)
        assert cluster.state(job)["Restarts"] == "0"
    assert_are_the_same(out, undisturbed)


def test_a_launcher_that_is_killed_takes_its_ranks_along_and_leaves_nothing(
    jobs: Jobs, cluster: Cluster, where: Sequence[str], out: Path, undisturbed: Session
) -> None:
    """One of its ranks is stopped, so that it cannot clean up, and then killed."""
    with crawling(jobs, out, *where) as job:
        nodes = nodes_of(cluster, job)
        stopped = ranks_of(out)[3]
        os.kill(stopped, signal.SIGSTOP)
        (proxy,) = (number for number in processes(nodes[-1]) if _is_proxy_of(number, stopped))
        os.kill(proxy, signal.SIGKILL)
        wait_until("the end of the others", lambda: ranks_of(out).keys() <= {3}, PATIENCE_SECONDS)
        os.kill(stopped, signal.SIGKILL)
        assert_ends_as_told(jobs, job, "`hydra_pmi_proxy` is killed on a node")
    partial = out / "epochs" / ".000099.json.0123456789.abcdef.partial"
    partial.write_text("of a run that is dead")
    pinned = (f"--nodelist={','.join(nodes)}",)
    assert_goes_on_to_the_same(jobs, out, where, undisturbed, options=pinned)
    assert list(out.rglob(".*")) == []
    for node in nodes:
        assert cluster.call("srun", f"--nodelist={node}", "ls", "-A", "/dev/shm") == ""


@pytest.mark.parametrize("count", [1, 2])
def test_nodes_that_are_lost(
    jobs: Jobs, cluster: Cluster, where: Sequence[str], out: Path, undisturbed: Session, count: int
) -> None:
    """The last node of two, or both of them: then nothing is left of the first instance but the session's folder."""
    with crawling(jobs, out, *where) as job:
        lost = nodes_of(cluster, job)[-count:]
        for node in lost:
            cluster.cut_off(node)
        try:
            assert_ends_as_told(jobs, job, "nodes are lost, one or all, and others take over")
            assert cluster.state(job)["Restarts"] == "1"
            assert set(lost).isdisjoint(nodes_of(cluster, job))
            assert all(is_crawling(cluster, node, out) for node in lost)
        finally:
            for node in lost:
                cluster.join(node)
    wait_until("the nodes' return", lambda: all(map(cluster.is_idle, lost)), PATIENCE_SECONDS)
    wait_until(
        "the end of their ranks", lambda: not any(is_crawling(cluster, node, out) for node in lost), PATIENCE_SECONDS
    )
    assert len(Session.open(out).runs) == 2
    assert_are_the_same(out, undisturbed)


def _is_proxy_of(number: int, rank: int) -> bool:
    """Is this the process that started the rank?"""
    status = Path(f"/proc/{rank}/status").read_text()
    return re.search(rf"^PPid:\s*{number}$", status, re.MULTILINE) is not None
