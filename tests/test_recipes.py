"""The recipes and the notebook of docs/ run as they stand, and say what counting in Python says."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import nbformat
import pytest

from sessions.session import Session
from tests.sessions.support.builder import small_session

ROOT = Path(__file__).parent.parent
RECIPES = [block.partition("```")[0] for block in (ROOT / "docs" / "recipes.md").read_text().split("```python\n")[1:]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a session."""
    path = tmp_path_factory.mktemp("recipes")
    small_session(path / "session")
    return path


def ran(code: str, folder: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_in_degrees_by_site(folder: Path) -> None:
    told = ran(f"{RECIPES[0]}\nprint(in_degrees.fetchall())", folder).splitlines()[-1]
    session = Session.open(folder / "session")
    site_of = {page["hash"]: page["site"] for page in session.read("pages", ["hash", "site"]).to_pylist()}
    linking = {
        (site_of[link["target"]], link["source"])
        for link in session.read("links").to_pylist()
        if link["target"] in site_of and link["source"] in site_of and link["source"] != link["target"]
    }
    counts = Counter(site for site, _ in linking)
    assert told == str(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def test_the_graph_of_sites_by_hand_is_that_of_one_call(folder: Path) -> None:
    """The recipe asserts it."""
    assert "site_graph()" in RECIPES[1]
    assert ran(RECIPES[1], folder) == ""


def test_page_rank(folder: Path) -> None:
    lines = ran(RECIPES[2], folder).splitlines()
    assert len(lines) == 10
    values = [float(line.split()[0]) for line in lines]
    assert values == sorted(values, reverse=True)


def test_there_are_three() -> None:
    assert len(RECIPES) == 3


def test_the_notebook_goes_from_a_served_web_to_a_figure(tmp_path: Path) -> None:
    notebook = ROOT / "docs" / "first-look.ipynb"
    read = nbformat.read(notebook, as_version=4)
    nbformat.validate(read)
    assert all(not cell.get("outputs") for cell in read.cells)
    code = (
        "import nbformat; from nbclient import NotebookClient; "
        f"NotebookClient(nbformat.read({str(notebook)!r}, as_version=4), timeout=120).execute()"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "IPYTHONDIR": str(tmp_path / "ipython")}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert (tmp_path / "first-look.png").read_bytes().startswith(b"\x89PNG")
    assert Session.open(tmp_path / "session").ended is not None
