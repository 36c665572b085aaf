"""Other commands, killed before each of their file operations: what they make is whole or absent; a rerun works."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from partition.export.output_files import Place
from scripts.crash.full_disk import BARE, LIVE, Disk
from scripts.crash.journal import Journal, Operation
from scripts.crash.tiny_crawl import listing
from sessions.importing.edges import import_edges
from sessions.localweb.generate.make import make_web
from sessions.localweb.serve.nginx_export import export_web
from sessions.writing.atomic_folder import whole_folder
from tests.partition.map.support.maps import make_map

Work = Callable[[Path], object]


def report(folder: Path) -> None:
    """As commands write reports."""
    with whole_folder(folder / "a" / "report") as partial:
        (partial / "figures").mkdir()
        (partial / "figures" / "one.svg").write_text("<svg/>")
        (partial / "index.html").write_text("<p>")


def web(folder: Path) -> None:
    """As ``cutweb web make`` writes a web."""
    make_web(folder / "web.warc.gz", sites=2, pages=4, seed=1, links=2.0, page_kb=1.0)


def graph(folder: Path) -> None:
    """As ``cutweb export`` writes a graph and the list of its pages."""
    fill(Place(folder, ("graph", "graph.pages.tsv"), is_made=False), replace=False)


def fill(place: Place, *, replace: bool) -> None:
    """Write each file's name into it."""
    with place.filled(replace=replace) as paths:
        for path in paths:
            path.write_text(path.name)


def edges(folder: Path) -> None:
    """As ``cutweb import edges`` makes a session."""
    (folder / "edges.txt").write_text("0 1\n1 2\n")
    import_edges(folder / "edges.txt", folder / "session")


def nginx(folder: Path) -> None:
    """As ``cutweb web export`` makes a folder for nginx."""
    export_web([folder / "given.warc.gz"], folder / "served", port=8080)


WORKS: list[tuple[Work, str, bool]] = [
    (report, "a/report/index.html", True),
    (web, "web.warc.gz", True),
    (graph, "graph", True),
    (edges, "session/session.json", True),
    (nginx, "served/nginx.conf", False),
    (lambda folder: make_map(folder / "map"), "map/partition.json", True),
]


def journal_of(work: Work, folder: Path) -> list[Operation]:
    """What it does in a folder."""
    journal = Journal(folder)
    with journal.kept():
        work(folder)
    return journal.operations


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a web."""
    (tmp_path / "place").mkdir()
    make_web(tmp_path / "place" / "given.warc.gz", sites=2, pages=4, seed=2, links=2.0, page_kb=1.0)
    return tmp_path / "place"


def shown(folder: Path) -> set[str]:
    """The names in a folder but for hidden ones, without what is another in each run."""
    names = (name for name in listing(folder) if not any(part.startswith(".") for part in Path(name).parts))
    return {re.sub(r"\d{8}T\d{6}-[0-9a-f]{6}", "RUN", name) for name in names}


@pytest.mark.parametrize(("work", "made", "is_synced"), WORKS, ids=[made for _, made, _ in WORKS])
def test_what_is_made_is_there_whole_or_not_at_all(
    work: Work, made: str, is_synced: bool, place: Path, tmp_path: Path
) -> None:
    disk, left = Disk(place), tmp_path / "left"
    operations = journal_of(work, place)
    whole, states = shown(place), set()
    for operation in operations:
        disk.leave(left)
        names = shown(left)
        if (left / made).exists():
            assert names == whole, f"whole before {operation}"
        elif frozenset(names) not in states:
            states.add(frozenset(names))
            work(left)
            assert shown(left) == whole, f"a rerun after a kill before {operation}"
        disk.do(operation)
    assert states
    disk.leave(left, BARE if is_synced else LIVE)
    assert (left / made).exists(), "after a power cut that comes when it is done"


@pytest.mark.parametrize("replace", [False, True])
def test_an_export_is_there_with_all_its_files(tmp_path: Path, replace: bool) -> None:
    folder = tmp_path / "played"
    folder.mkdir()
    place = Place(folder, ("graph", "graph.pages.tsv"), is_made=False)
    if replace:
        for name in place.names:
            (folder / name).write_text("old")
    before, journal = Disk(folder), Journal(folder)
    with journal.kept():
        fill(place, replace=replace)
    for operation in journal.operations:
        before.leave(tmp_path / "left")
        files = {name: (tmp_path / "left" / name) for name in place.names}
        found = {name: path.read_text() if path.exists() else None for name, path in files.items()}
        if found["graph"] is not None:
            assert len({found["graph"] == "old", found["graph.pages.tsv"] == "old"}) == 1, f"before {operation}"
        before.do(operation)


def test_a_web_whose_seeds_alone_are_there_is_made_again(place: Path, tmp_path: Path) -> None:
    disk, only_seeds = Disk(place), 0
    for operation in journal_of(web, place):
        disk.do(operation)
        disk.leave(tmp_path / "left")
        if (tmp_path / "left" / "web.seeds.txt").exists() and not (tmp_path / "left" / "web.warc.gz").exists():
            only_seeds += 1
            web(tmp_path / "left")
            assert (tmp_path / "left" / "web.warc.gz").exists()
    assert only_seeds


def test_seeds_that_are_somebodys_stay(tmp_path: Path) -> None:
    (tmp_path / "web.seeds.txt").write_text("mine")
    with pytest.raises(FileExistsError, match=r"web\.seeds\.txt exists already"):
        web(tmp_path)
    assert (tmp_path / "web.seeds.txt").read_text() == "mine"
