"""From a session to a map in one process: what its manifest says, and that a failure leaves nothing."""

import json
from pathlib import Path

import pytest

from partition.choices import MODELS, OBJECTIVES
from partition.graphs.link_graph import GraphError
from partition.make_partition import in_memory
from partition.make_partition.in_memory import make_partition
from partition.map.manifest import PARTS_TABLE, SHARDS, MapError
from partition.map.partition_map import PartitionMap
from partition.models.settings import Settings
from sessions.session import Session, SessionError
from tests.partition.quality.support.definitions import check_map, directed, imbalance_by_definition
from tests.partition.quality.support.webs import ring
from tests.sessions.support.builder import Crawl

WEB = ring()


def silent(_: str) -> None:
    pass


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("model", MODELS)
def test_the_manifest_has_the_figures_of_the_map(session: Path, tmp_path: Path, model: str, objective: str) -> None:
    shares = (1.0, 2.0, 1.0) if model == "page" else None
    settings = Settings(objective=objective, tolerance=0.3, seed=9, shares=shares, effort="low")
    made = make_partition(session, model, 3, tmp_path / "map", settings, progress=silent)
    table = PartitionMap.open(tmp_path / "map")
    origin = table.manifest.origin
    assert made.manifest == table.manifest
    assert (origin.session, origin.run) == (str(session.resolve()), Session.open(session).header["run"])
    assert (origin.model, origin.objective, origin.seed) == (model, objective, 9)
    assert (made.pages, table.manifest.urls, table.parts) == (len(WEB.sizes), len(WEB.sizes), 3)
    own = check_map(table, WEB)
    ones = dict.fromkeys(WEB.sizes, 1)
    assert origin.weights == ("bytes", "requests")
    assert tuple(origin.imbalances) == ("bytes", "requests", "links")
    links = dict(directed(WEB, [*WEB.sizes, *WEB.known]).out_degree(WEB.sizes))
    for name, weights in (("bytes", WEB.sizes), ("requests", ones), ("links", links)):
        wanted = imbalance_by_definition(weights, own, shares or (1.0, 1.0, 1.0))
        assert origin.imbalances[name] == pytest.approx(wanted)
    is_balanced = max(origin.imbalances[name] for name in origin.weights) <= 0.3 + 1e-9
    assert origin.settings["is_balanced"] == made.partition.is_balanced == is_balanced
    assert origin.settings["shares"] == (list(shares) if shares else None)
    assert 0 < origin.settings["seconds"] <= made.seconds
    assert sorted(path.name for path in tmp_path.iterdir()) == ["map"]


def test_the_rule_for_unknown_urls_is_kept(session: Path, tmp_path: Path) -> None:
    make_partition(session, "site", 2, tmp_path / "map", Settings(), unknown="discoverer", progress=silent)
    assert json.loads((tmp_path / "map" / "partition.json").read_text())["unknown"] == "discoverer"


@pytest.mark.parametrize("model", MODELS)
def test_two_runs_write_the_same(session: Path, tmp_path: Path, model: str) -> None:
    for name, threads in (("one", 1), ("two", 2)):
        make_partition(session, model, 3, tmp_path / name, Settings(threads=threads), progress=silent)
    for name in (SHARDS, PARTS_TABLE):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_what_is_done_is_told(session: Path, tmp_path: Path) -> None:
    told: list[str] = []
    make_partition(session, "page", 2, tmp_path / "map", Settings(effort="low"), progress=told.append)
    assert (told[0], told[-1]) == ("reading the session", "writing the map")
    assert len(told) > 2


def test_an_empty_folder_may_be_written_but_no_other(session: Path, tmp_path: Path) -> None:
    (tmp_path / "map").mkdir()
    make_partition(session, "site", 2, tmp_path / "map", Settings(), progress=silent)
    told: list[str] = []
    with pytest.raises(SessionError, match="map: exists and is not empty"):
        make_partition(session, "site", 2, tmp_path / "map", Settings(), progress=told.append)
    assert told == []


@pytest.mark.parametrize(
    ("model", "k", "settings", "message"),
    [
        ("page", 41, Settings(), "ring: 41 parts of 40 pages: some would be empty"),
        ("site", 5, Settings(), "ring: 5 parts of 4 sites: some would be empty"),
        ("page", 3, Settings(shares=(1, 2)), "ring: shares must be 3 positive numbers"),
    ],
)
def test_what_cannot_be_cut_names_the_session(
    session: Path, tmp_path: Path, model: str, k: int, settings: Settings, message: str
) -> None:
    with pytest.raises(GraphError, match=message):
        make_partition(session, model, k, tmp_path / "map", settings, progress=silent)
    assert list(tmp_path.iterdir()) == []


def test_no_session_and_no_pages(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match=r"none/session\.json: no such file"):
        make_partition(tmp_path / "none", "page", 2, tmp_path / "map", Settings(), progress=silent)
    Crawl(tmp_path / "empty").close()
    with pytest.raises(GraphError, match="empty: no pages were downloaded"):
        make_partition(tmp_path / "empty", "page", 2, tmp_path / "map", Settings(), progress=silent)
    assert [path.name for path in tmp_path.iterdir()] == ["empty"]


@pytest.mark.parametrize("stage", ["partition_pages", "measures", "write_map"])
def test_nothing_is_left_when_it_is_interrupted(
    session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(in_memory, stage, stop)
    with pytest.raises(KeyboardInterrupt):
        make_partition(session, "page", 2, tmp_path / "map", Settings(effort="low"), progress=silent)
    assert list(tmp_path.iterdir()) == []


def test_a_map_that_cannot_be_written(session: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises((MapError, SessionError), match="file/map"):
        make_partition(session, "site", 2, tmp_path / "file" / "map", Settings(), progress=silent)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
