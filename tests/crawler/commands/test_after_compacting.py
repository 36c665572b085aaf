"""What is made of a session is the same before and after it is compacted, with its bodies and without them."""

import csv
import json
import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from crawler.main import cutweb
from crawler.process.mpi_environment import RANK_VARIABLES
from crawler.replay.command import replay
from crawler.worklist.make_worklist import WorklistSettings, make_worklist
from partition.communication.ranks import Ranks
from scripts.crash.tiny_crawl import begin, go_on
from sessions.schema import TABLES
from sessions.session import Session

NOW = datetime(2026, 11, 26, tzinfo=UTC)
MODELS = ("page", "site", "url-range")
_MEASURED = ("made", "seconds", "peak_bytes")


@pytest.fixture(autouse=True, scope="module")
def _by_itself() -> Iterator[None]:
    """As if nothing had launched this process, and its environment were its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "environ", dict(os.environ))
        for name in RANK_VARIABLES:
            os.environ.pop(name, None)
        yield


@pytest.fixture(scope="module")
def crawled(_by_itself: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl of a tiny web in three runs."""
    path = tmp_path_factory.mktemp("crawled") / "kept"
    begin(path, max_pages=3)
    for limit in ("6", "100"):
        go_on(path, "--max-pages", limit)
    return path


def put_in_place(crawled: Path) -> Path:
    """A copy of the crawl, each time in the same place, which is told in what is made of it."""
    place = crawled.with_name("session")
    shutil.rmtree(place, ignore_errors=True)
    return Path(shutil.copytree(crawled, place))


@pytest.fixture(scope="module")
def before(crawled: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What is made of it as it was crawled."""
    return made_of(put_in_place(crawled), tmp_path_factory.mktemp("before"))


def made_of(session: Path, folder: Path) -> dict[str, Any]:
    """The partitions, the worklist, the replay and the estimate of a session, but for what making them took."""
    for model in MODELS:
        asked = ["partition", str(session), "--parts", "2", "--model", model, "--effort", "low"]
        asked += ["--out", str(folder / model)]
        done = CliRunner().invoke(cutweb, asked)
        assert done.exit_code == 0, done.output
    make_worklist(Ranks(), [session], folder / "worklist", WorklistSettings(NOW))
    estimated = ["--estimate", "--partition", str(folder / "page"), "--unknown", "prefix,discoverer"]
    assert replay([str(session), "--out", str(folder / "replay"), "--assign", "page-hash"]) == 0
    assert replay([str(session), "--out", str(folder / "estimate"), *estimated]) == 0
    maps = {
        f"{model} {path.name}": without(json.loads(path.read_text()), *_MEASURED)
        if path.suffix == ".json"
        else path.read_bytes()
        for model in MODELS
        for path in (folder / model).iterdir()
    }
    replayed = Session.open(folder / "replay")
    with open(folder / "estimate" / "measures.csv", newline="") as file:
        measures = [without(row, *_MEASURED) for row in csv.DictReader(file)]
    return maps | {
        "worklist": {path.name: path.read_bytes() for path in (folder / "worklist").iterdir()},
        "replay": {table: [without(row, "run") for row in replayed.read(table).to_pylist()] for table in TABLES},
        "estimate": measures,
    }


def without(told: dict[str, Any], *names: str) -> dict[str, Any]:
    return {
        name: without(its, *names) if isinstance(its, dict) else its for name, its in told.items() if name not in names
    }


@pytest.mark.parametrize("words", [[], ["--drop-bodies"], ["--drop-bodies", "--before", "2023-11-14T22:30:03"]])
def test_maps_worklists_and_replays_are_the_same(
    crawled: Path, before: dict[str, Any], tmp_path: Path, words: list[str]
) -> None:
    session = put_in_place(crawled)
    done = CliRunner().invoke(cutweb, ["compact", str(session), *words])
    assert done.exit_code == 0, done.output
    assert ("were dropped" in done.output) == bool(words)
    after = made_of(session, tmp_path / "after")
    assert before.keys() == after.keys()
    for name, made in before.items():
        assert after[name] == made, name
    assert len(before["replay"]["pages"]) == len(Session.open(session).read("pages")) > 9
