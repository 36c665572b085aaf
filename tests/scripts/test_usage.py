"""What scripts say of how to run them: `--help` prints their docstrings as they are."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
USAGES = {
    path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".").removesuffix(".__main__"): usage
    for path in sorted((ROOT / "scripts").rglob("*.py"))
    if "python -m" in (usage := ast.get_docstring(ast.parse(path.read_text())) or "")
}
_COMMAND = re.compile(r" *(?:\.venv/bin/)?python -m (\S+)")


def test_most_scripts_say_how_to_run_them() -> None:
    assert len(USAGES) > 25


@pytest.mark.parametrize("module", USAGES)
def test_each_line_of_usage_has_one_command_that_runs_this_script(module: str) -> None:
    usage = USAGES[module]
    lines = [line for line in usage.splitlines() if "python" in line or "scripts." in line or re.search(r"-m\b", line)]
    commands = [_COMMAND.match(line) for line in lines if not line[:1].isupper()]
    assert [command and command[1] for command in commands] == [module] * len(commands)
    assert usage.count("python -m") == len(commands) > 0
