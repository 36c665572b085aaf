"""Nothing goes by its old name.  tests/data/renamed.tsv has what 0.2.0 renamed; CHANGELOG.md may tell of it."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "tests" / "data" / "renamed.tsv"
MAY_TELL = {"CHANGELOG.md", "tests/data/renamed.tsv"}
PACKAGES = ("crawler", "partition", "sessions")


def renamed(kind: str) -> dict[str, str]:
    rows = [line.split("\t") for line in TABLE.read_text().splitlines()[1:]]
    return {old: new for its, old, new in rows if its == kind}


def texts() -> Iterator[tuple[str, str]]:
    """Every text of the project: path and content."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in listed.rstrip("\0").split("\0"):
        if name not in MAY_TELL and Path(name).suffix in (".py", ".md", ".toml", ".sbatch", ".sh", ""):
            path = ROOT / name
            if path.is_file():
                yield name, path.read_text(encoding="utf-8")


def defined() -> Iterator[str]:
    """The names of all classes and functions."""
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef | ast.FunctionDef):
                    yield node.name


def test_no_text_names_a_module_that_has_moved() -> None:
    modules = renamed("module")
    gone = {old for old in modules if not (ROOT / old).exists()}
    assert len(gone) > 200
    dotted = {old.removesuffix(".py").replace("/", ".") for old in gone}
    path = re.compile(r"(?<![\w/.-])(?:crawler|partition|sessions|scripts)/[\w/]+\.py\b")
    module = re.compile(r"^\s*(?:from|import) ((?:crawler|partition|sessions)\.[\w.]+)", re.MULTILINE)
    # A room may have the name of a module that was: crawler.network.
    packages = {name for name in dotted if (ROOT / name.replace(".", "/")).is_dir()}
    found = []
    for name, text in texts():
        found += [f"{name}: {one}" for one in path.findall(text) if one in gone]
        found += [f"{name}: {one}" for one in module.findall(text) if one in dotted - packages]
    assert found == []


def test_what_was_renamed_is_where_the_table_says() -> None:
    assert [new for new in renamed("module").values() if not (ROOT / new).exists()] == []


def test_no_class_or_function_has_its_old_name() -> None:
    names = set(defined())
    assert names & set(renamed("name")) == set()
    assert set(renamed("name").values()) - names == set()
