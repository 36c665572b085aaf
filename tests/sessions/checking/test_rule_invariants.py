"""Records of rules: a good session's are good, and each way to break one is told of."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sessions.checking.check import check_session
from sessions.rule_records import RULES, record_rules, rule_records, since_when

BLOCK: list[tuple[str, str, int, dict[str, Any]]] = [("site", "a.example", 1, {"block": True, "delay": 2.0})]
SLOW: list[tuple[str, str, int, dict[str, Any]]] = [("site", "a.example", 4, {"block": False, "delay": 3.0})]


def record(session: Path, rules: list[tuple[str, str, int, dict[str, Any]]]) -> None:
    record_rules(session, "run", 7, Path("/rules.toml"), "text", rules)


def test_a_switch_that_is_turned_begins_anew_and_a_number_does_not(tmp_path: Path) -> None:
    for rules in (BLOCK, SLOW, BLOCK, []):
        record(tmp_path, rules)
    first, second, third, last = rule_records(tmp_path)
    assert [one["number"] for one in (first, second, third, last)] == [1, 2, 3, 4]
    assert second["rules"][0]["since"] == {"block": second["at"], "delay": first["at"]}
    assert third["rules"][0]["since"] == {"block": third["at"], "delay": first["at"]}
    assert since_when(third)["site", "a.example", "delay", None] == first["at"]
    assert last["rules"] == []


def test_recorded_rules_are_good(session_copy: Path) -> None:
    record(session_copy, BLOCK)
    record(session_copy, SLOW)
    assert check_session(session_copy).is_good


def edited(number: int, change: Callable[[dict[str, Any]], object]) -> Callable[[Path], object]:
    def edit(folder: Path) -> None:
        path = folder / f"{number:06d}.json"
        content = json.loads(path.read_text())
        change(content)
        path.write_text(json.dumps(content))

    return edit


@pytest.mark.parametrize(
    ("broken", "text"),
    [
        (lambda folder: (folder / "000001.json").unlink(), "stands where 000001.json should be"),
        (lambda folder: (folder / "000002.json").write_text("{"), "cannot be read"),
        (edited(1, lambda content: content.pop("at")), "at is missing"),
        (edited(2, lambda content: content.update(number=3)), "says that it is number 3"),
        (edited(2, lambda content: content["rules"][0].update(line="x")), 'rules[0].line is "x"'),
    ],
)
def test_a_broken_record_is_told_of(session_copy: Path, broken: Callable[[Path], object], text: str) -> None:
    record(session_copy, BLOCK)
    record(session_copy, SLOW)
    broken(session_copy / RULES)
    (problem,) = check_session(session_copy).problems["rules_are_recorded"]
    assert text in problem.text
