"""Moved bytes against volume: a report with a previous map says what the partitions themselves say."""

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from crawler.main import cutweb
from partition.graphs.link_graph import link_graph
from partition.make_partition.in_memory import make_partition
from partition.map.partition_map import PartitionMap
from partition.measures.measures import measures
from partition.measures.moves import moves
from partition.models.partition_pages import partition_pages
from partition.models.previous_owners import previous_owners
from partition.models.settings import Settings
from partition.report.scales import percent
from sessions.session import Session
from tests.partition.quality.support.webs import ring

COSTS = (0.0, 0.005, 100.0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session, a map of a smaller web, and a report on both."""
    folder = tmp_path_factory.mktemp("webs")
    ring(48).session(folder / "old")
    ring(60).session(folder / "new")
    make_partition(
        folder / "old", "page", 3, folder / "map", Settings(tolerance=0.2, effort="low"), progress=lambda _: None
    )
    done = CliRunner().invoke(
        cutweb,
        f"quality {folder}/new --out {folder}/report --parts 2 --seeds 1 --tolerance 0.2 --effort low "
        f"--models page,prefix,url-range,page-hash --previous-map {folder}/map --migration-costs 100,0,0.005",
        catch_exceptions=False,
    )
    assert done.exit_code == 0
    (folder / "told").write_text(done.stdout)
    return folder


def test_every_point_is_that_of_its_partition(folder: Path) -> None:
    told = json.loads((folder / "report" / "report.json").read_text())["migration"]
    graph = link_graph(Session.open(folder / "new"))
    previous = previous_owners(PartitionMap.open(folder / "map"), graph)
    assert (told["previous"], told["k"], told["known_pages"]) == ("map", 3, 48)
    assert told["known_bytes"] == graph.bytes[previous.owners >= 0].sum()
    wanted = [(model, cost) for model in ("page", "prefix") for cost in COSTS]
    assert [(point["model"], point["migration_cost"]) for point in told["points"]] == wanted
    for point in told["points"]:
        asked = Settings(tolerance=0.2, effort="low", migration_cost=point["migration_cost"])
        parts = partition_pages(graph, point["model"], 3, asked, previous=previous).parts
        moved, found = moves(previous.owners, parts, graph.bytes), measures(graph, parts, 3, None)
        figures = point["figures"]
        assert (figures["moved_pages"], figures["moved_bytes"]) == (moved.share_of_pages, moved.share_of_bytes)
        assert (figures["sent_bytes"], figures["volume_bytes"]) == (found.pages.sent_bytes, found.pages.cut_bytes)
    kept = measures(graph, previous.carried, 3, None)
    assert told["as_it_is"]["sent_bytes"] == kept.pages.sent_bytes
    assert told["as_it_is"]["storage_imbalance"] == kept.storage_imbalance
    assert told["as_it_is"]["moved_bytes"] == 0


def test_the_answer_names_the_knee(folder: Path) -> None:
    told = json.loads((folder / "report" / "report.json").read_text())["migration"]
    points = {(point["model"], point["migration_cost"]): point["figures"] for point in told["points"]}
    free, knee = points["page", 0.0], told["knees"]["page"]
    figures = points["page", knee["migration_cost"]]
    assert (knee["moved_bytes"], knee["sent_bytes"]) == (figures["moved_bytes"], figures["sent_bytes"])
    assert knee["moved_bytes"] < free["moved_bytes"] / 4
    dearer = knee["sent_bytes"] / free["sent_bytes"] - 1
    assert 0 < dearer < 0.01
    sentence = (
        f"From the owners in map, by page, moving {percent(knee['moved_bytes'])} instead of "
        f"{percent(free['moved_bytes'])} of the bytes that have an owner costs {percent(dearer)} more volume: "
        f"--migration-cost {knee['migration_cost']:g}."
    )
    assert sentence in (folder / "told").read_text()
    assert sentence in (folder / "report" / "report.html").read_text()


def test_the_csv_has_the_same(folder: Path) -> None:
    told = json.loads((folder / "report" / "report.json").read_text())["migration"]
    with (folder / "report" / "migration.csv").open(newline="") as file:
        first, *rows = csv.DictReader(file)
    assert (first["model"], first["migration_cost"], float(first["moved_bytes"])) == ("", "", 0)
    for row, point in zip(rows, told["points"], strict=True):
        assert (row["model"], row["k"], float(row["migration_cost"])) == (point["model"], "3", point["migration_cost"])
        for name in ("moved_bytes", "moved_pages", "sent_bytes", "volume_links", "storage_imbalance"):
            assert float(row[name]) == point["figures"][name]


def test_the_page_has_a_plot_and_a_table(folder: Path) -> None:
    page = (folder / "report" / "report.html").read_text()
    assert "<h2>Moved bytes against volume</h2>" in page
    assert "<p>The previous map map has 3 ranks and holds 48 of the pages" in page
    for model in ("page", "prefix"):
        for cost in COSTS:
            assert f"<title>{model}, X = {cost:g}: " in page
    assert str(folder) not in page


def test_costs_that_make_no_sense(folder: Path, tmp_path: Path) -> None:
    for given, told in (
        (["--migration-costs", "1"], "--migration-costs say what --previous-map DIR is worth, which is missing"),
        (["--previous-map", str(folder / "map"), "--migration-costs", "1,-1"], "has a number that is not from 0 up"),
        (["--previous-map", str(folder / "map"), "--migration-costs", "1,x"], "is not a list of numbers"),
        (["--previous-map", str(folder / "old")], f"cutweb quality: {folder}/old: is a session, not a partition map"),
    ):
        done = CliRunner().invoke(cutweb, ["quality", str(folder / "new"), "--out", str(tmp_path / "out"), *given])
        assert done.exit_code == 2
        assert told in done.stderr.splitlines()[-1]
        assert list(tmp_path.iterdir()) == []
