"""Each package tells its own story in the docstring of its `__init__.py`, and leaves no module out."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FLOORS = ("crawler", "partition", "sessions")
NAME = re.compile(r"`(?:\w+\.)*?([a-z][a-z0-9_]*)(?:\.[A-Z]\w+)?`")
ONE_A_COMMAND = ROOT / "crawler" / "commands"
PACKAGES = tuple(
    path.parent
    for floor in FLOORS
    for path in sorted((ROOT / floor).glob("*/**/__init__.py"))
    if path.parent != ONE_A_COMMAND
)


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_module_is_told(package: Path) -> None:
    told = set(NAME.findall((package / "__init__.py").read_text(encoding="utf-8")))
    modules = {path.stem for path in package.glob("*.py")} - {"__init__"}
    assert sorted(modules - told) == []
