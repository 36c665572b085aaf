"""What users read is said as one says it aloud: none of the turns of phrase that 0.2.0 took out comes back."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("crawler", "partition", "sessions", "cutweb")
TURNS = re.compile(
    r"\bso many\b|\bshall\b|\banother than\b|holds another map|what must be\b|\bno shorter way is\b|\blest\b|who mends",
    re.IGNORECASE,
)
"""Of the sentences that were rewritten, and their like: "is another than", "after so many seconds", "what shall go"."""
CODE = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]


def said(tree: ast.Module) -> Iterator[str]:
    """The texts in a module that it may say to a user: all strings but docstrings."""
    quiet = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in quiet:
            yield node.value


@pytest.mark.parametrize("path", CODE, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_messages_and_help_are_said_aloud(path: Path) -> None:
    assert [text for text in said(ast.parse(path.read_text(encoding="utf-8"))) if TURNS.search(text)] == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_pages_are_said_aloud(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [f"{number}: {line}" for number, line in enumerate(lines, 1) if TURNS.search(line)] == []


def test_the_turns_are_found() -> None:
    assert list(said(ast.parse('"""so many"""\nx = "after so many"\n'))) == ["after so many"]
    assert TURNS.search("its checksum is another than partition.json says")
