"""A chain on two ranks: replay, learn where sites belong, replay by the map, and learn on."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from crawler.main import cutweb
from partition.map.manifest import read_manifest
from partition.map.partition_map import PartitionMap
from partition.twoma.site_states import SiteStates, read_states
from sessions.checking.check import check_session
from sessions.session import Session
from tests.mpi.conftest import Run
from tests.partition.twoma.support.crawled import crawled, pages_of

SITES = 12


def run(*words: object) -> Result:
    done = CliRunner().invoke(cutweb, [str(word) for word in words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """Twelve sites of three pages, fetched by one rank."""
    fetches = [fetch for site in range(SITES) for fetch in pages_of(f"s{site}.example", 0, 3)]
    return crawled(tmp_path / "recorded", fetches, ranks=1)


def states_of(folder: Path) -> SiteStates:
    return read_states(folder, read_manifest(folder))


def test_a_chain_of_replays(recorded: Path, tmp_path: Path, run_ranks: Run) -> None:
    """Each rank is near to half of the sites; after it has been at both ranks each site is where it is near."""
    near = {f"s{site}.example": site % 2 for site in range(SITES)}
    lines = ["* * 0.2", *(f"{rank} {site} 0.02" for site, rank in near.items())]
    (tmp_path / "latencies").write_text("\n".join(lines) + "\n")
    how, previous = ["--assign", "site-hash"], []
    for turn, learner in enumerate(("settling", "settling", "twoma"), 1):
        session, folder = tmp_path / f"session-{turn}", tmp_path / f"map-{turn}"
        words = ["replay", str(recorded), "--out", str(session), "--latency", f"@{tmp_path / 'latencies'}", *how]
        done = run_ranks(2, "-m", "cutweb", *words, "--delay", "0", "--server-delay", "0")
        assert done.returncode == 0, done.stderr
        assert check_session(session).problems == {}
        words = ["--parts", "2", "--model", "twoma", "--learn", learner, "--out", str(folder), *previous]
        told = run("partition", session, *words).stdout
        sessions = "1 session" if turn == 1 else f"{turn} sessions"
        assert f"learnt by {learner}" in told
        assert f"from {sessions}: of {SITES} sites {SITES} were measured" in told
        states, table = states_of(folder), PartitionMap.open(folder)
        assert states.experience.visits.sum() == SITES * turn
        assert [table.part_of_site(f"http://{site}/") for site in states.sites] == states.standing.parts.tolist()
        assert "36 pages in 2 parts" in run("quality", session, "--map", folder).stdout
        how, previous = ["--partition", str(folder)], ["--previous-map", str(folder)]
    pages = Session.open(tmp_path / "session-3").read("pages", ["site", "rank"])
    before = states_of(tmp_path / "map-2")
    standing = dict(zip(before.sites, before.standing.parts.tolist(), strict=True))
    assert all(standing[site] == rank for site, rank in zip(*pages.to_pydict().values(), strict=True))
    assert standing == near
    assert states_of(tmp_path / "map-3").experience.means[:, 0] == pytest.approx(
        [0.02 if near[site] == 0 else 0.2 for site in states_of(tmp_path / "map-3").sites]
    )
