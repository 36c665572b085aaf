"""The documents say what is so: generated tables are what their script writes, and links lead somewhere."""

import ast
import json
import re
import tomllib
from functools import cache
from importlib import import_module
from pathlib import Path

import click
import pytest

from crawler.config.option_groups import OTHERS, in_groups
from crawler.main import cutweb
from crawler.process.exit_codes import BY_SIGNAL, ExitCode
from scripts import options_page
from tests.cluster.faults import faults

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize(
    ("script", "tables"),
    [
        ("scripts.bench.page_cost_report", "performance"),
        ("scripts.reproduce.cambazoglu2004", "reproduction"),
    ],
)
def test_generated_tables_are_as_measured(script: str, tables: str) -> None:
    module = import_module(script)
    figures = json.loads((ROOT / "docs" / f"{tables}.json").read_text())
    assert (ROOT / "docs" / f"{tables}.md").read_text() == module.as_markdown(figures)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    targets = re.findall(r"\]\(([^)#:]+)\)", document.read_text())
    assert [target for target in targets if not (document.parent / target).exists()] == []


@cache
def _places() -> list[str]:
    """Where the modules are."""
    return [path.relative_to(ROOT).as_posix() for path in ROOT.glob("*/**/*.py") if ".venv" not in path.parts]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_the_modules_that_documents_name_exist(document: Path) -> None:
    """A module may be named by the end of its path."""
    if document.name == "CHANGELOG.md":
        return
    named = set(re.findall(r"`([a-z_/]+\.py)`", document.read_text()))
    assert [name for name in sorted(named) if not any(f"/{place}".endswith(f"/{name}") for place in _places())] == []


def test_the_architecture_names_every_room() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text()
    for package in ("crawler", "partition", "sessions"):
        rooms = {path.parent.name for path in (ROOT / package).glob("*/__init__.py")}
        assert [room for room in sorted(rooms) if room not in text] == []


@pytest.mark.parametrize("floor", ["crawler", "partition", "sessions"])
def test_the_architecture_has_the_layers_that_lint_holds(floor: str) -> None:
    text = (ROOT / "docs" / "architecture.md").read_text()
    drawn = text.split(f"<!-- layers of {floor} -->")[1].split(f"<!-- /layers of {floor} -->")[0]
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = [contract["layers"] for contract in contracts if contract.get("containers") == [floor]]
    assert layers == [[line.strip() for line in drawn.strip().splitlines()]]
    rooms = {room for layer in layers[0] for room in layer.split(" | ")} - {"__main__"}
    assert [room for room in sorted(rooms) if f"`{room}`" not in text] == []


def test_the_seams_are_where_the_architecture_says() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text()
    seams = re.findall(r"^\| `(\w+)`: .*? \| `([\w/.]+)` \|", text, re.MULTILINE)
    assert len(seams) >= 9
    assert [name for name, path in seams if f"class {name}(Protocol)" not in (ROOT / path).read_text()] == []


def test_the_index_has_every_document() -> None:
    index = (ROOT / "docs" / "index.md").read_text()
    pages = {path.name for path in (ROOT / "docs").glob("*.md")} - {"index.md"}
    assert [page for page in sorted(pages) if f"]({page})" not in index] == []


def test_the_readme_names_only_commands_that_make_knows() -> None:
    readme, makefile = (ROOT / "README.md").read_text(), (ROOT / "Makefile").read_text()
    named = {word for line in re.findall(r"make ([a-z ]+)", readme) for word in line.split()[:1]}
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    assert {"demo", "test"} <= named
    assert named <= targets


def test_the_page_of_options_is_what_make_options_writes() -> None:
    assert (ROOT / "docs" / "options.md").read_text() == options_page.as_markdown()


def test_every_option_of_a_long_command_has_a_group() -> None:
    context = click.Context(cutweb, info_name="cutweb")
    for name in options_page.COMMANDS:
        command = cutweb.get_command(context, name)
        assert command is not None
        assert [option.name for group, found in in_groups(command.params) if group == OTHERS for option in found] == []


def test_the_exit_codes_of_a_crawl_are_those_of_the_table() -> None:
    text = (ROOT / "docs" / "command-line.md").read_text().split("## Exit codes")[1].split("\n## ")[0]
    told = re.findall(r"^\| (\d+(?: \+ N)?) \|", text, re.MULTILINE)
    assert told == [*(str(int(code)) for code in ExitCode), f"{BY_SIGNAL} + N"]


def test_the_lines_of_faults_on_clusters_are_the_programs() -> None:
    files = [*(ROOT / "crawler").rglob("*.py"), *(ROOT / "sessions").rglob("*.py")]
    nodes = (node for path in files for node in ast.walk(ast.parse(path.read_text())))
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    lines = {name: fault for name, fault in faults().items() if fault.line}
    assert len(lines) >= 14
    said = "\0".join(texts)
    assert [phrase for fault in lines.values() for phrase in fault.phrases if phrase not in said] == []
