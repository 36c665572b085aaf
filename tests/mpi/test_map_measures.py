"""A given map measured by ranks that each have a share of the session: the same as one process says of the whole."""

import subprocess
import sys
from pathlib import Path

import pytest

from partition.assignment.hashing import PageHash
from partition.graphs.link_graph import link_graph
from partition.map.manifest import Origin
from partition.map.partition_assignment import PartitionAssignment
from partition.map.partition_map import PartitionMap
from partition.map.write_map import write_map
from partition.measures.measures import measures
from sessions.session import Session
from sessions.url import url_hashes
from tests.mpi.conftest import USUAL_RANKS, Run, RunEach, environment
from tests.partition.quality.support.webs import ring

WEB = ring()
COMMAND = ("-P", "-m", "cutweb", "quality")
HELD = list(WEB.sizes)[:30]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session, and maps of most of its pages: one with a rule for the others, one by which finders own them."""
    folder = tmp_path_factory.mktemp("webs")
    WEB.session(folder / "session")
    hashes = url_hashes(HELD)
    parts = PageHash(3).owners(hashes, HELD)
    for rule in ("hash", "discoverer"):
        write_map(
            folder / rule,
            Origin("page"),
            k=3,
            urls=HELD,
            hashes=hashes,
            parts=parts,
            prefixes=[],
            prefix_parts=parts[:0],
            unknown=rule,
        )
    return folder


@pytest.mark.parametrize("ranks", USUAL_RANKS)
def test_figures_are_those_of_the_whole(run_ranks: Run, folder: Path, ranks: int) -> None:
    done = run_ranks(ranks, *COMMAND, str(folder / "session"), "--map", str(folder / "hash"))
    assert done.returncode == 0, done.stderr
    graph = link_graph(Session.open(folder / "session"))
    owners = PartitionAssignment(PartitionMap.open(folder / "hash"), 0).owners(graph.hashes, graph.urls.to_pylist())
    found = measures(graph, owners, 3, None)
    told = found.pages
    assert done.stdout.splitlines() == [
        f"{folder / 'hash'}: 40 pages in 3 parts; imbalance of these (fullest part over the mean, less one) "
        f"{found.storage_imbalance:.1%} of bytes, {found.requests_imbalance:.1%} of requests",
        f"between parts: {told.cut_links / told.links:.2%} of {told.links:,} links; {told.sent_bytes:,} bytes of URLs "
        f"if each is sent once, {told.cut_bytes:,} for every link",
        "10 pages are not in the map, and belong to whom its rule hash says",
    ]


def test_it_starts_its_ranks_or_needs_none(folder: Path) -> None:
    words = [sys.executable, *COMMAND, str(folder / "session"), "--map", str(folder / "hash")]
    alone, started = (
        subprocess.run([*words, *more], capture_output=True, text=True, timeout=100, check=False, env=environment())
        for more in ([], ["--ranks", "2"])
    )
    assert (alone.returncode, started.returncode) == (0, 0), alone.stderr + started.stderr
    assert alone.stdout == started.stdout
    assert "40 pages in 3 parts" in alone.stdout


def test_one_line_tells_what_is_wrong(run_each: RunEach, folder: Path) -> None:
    session = folder / "session"
    problems = {
        ("--map", str(folder / "discoverer")): f"{folder}/discoverer: does not hold 10 of the 40 pages of {session}, ",
        ("--map", str(session)): f"{session}",
        ("--map", "x", "--parts", "3"): "--map DIR is measured as it is; leave --parts out",
        ("--ranks", "2", "--out", "x"): "--ranks says how many measure --map DIR, which is missing",
        ("--map", "x", "--ranks", "3"): "--ranks says 3 ranks, but this MPI run has 2; ",
    }
    commands = [("quality", str(session), *options) for options in problems]
    for done, problem in zip(run_each(2, *commands), problems.values(), strict=True):
        assert done.returncode == 2, done.stdout
        (line,) = (line for line in done.stderr.splitlines() if line.startswith("cutweb quality: "))
        assert line.removeprefix("cutweb quality: ").startswith(problem)
