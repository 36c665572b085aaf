"""Records of rules: a good session's are good, and each way to break one is told of."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions.checking.check import check_session
from sessions.rule_records import RULES, Held, Row, RuleLog, rule_records, rules_held, since_when

BLOCK: list[Row] = [("site", "a.example", 1, {"block": True, "delay": 2.0})]
SLOW: list[Row] = [("site", "a.example", 4, {"block": False, "delay": 3.0})]


def held(rules: list[Row]) -> Held:
    return Held(7, Path("/rules.toml"), "text", len(rules), lambda: rules)


def record(session: Path, *held_by_turns: list[Row]) -> None:
    """Record these rules, by one run."""
    first, *others = held_by_turns
    log, before = RuleLog(session, "run"), first
    log.begin(held(first))
    for rules in others:
        log.change(held(rules), before, rules)
        before = rules


def test_a_switch_that_is_turned_begins_anew_and_a_number_does_not(tmp_path: Path) -> None:
    record(tmp_path, BLOCK, SLOW, BLOCK, [])
    first, second, third, last = records = rule_records(tmp_path)
    assert [one["number"] for one in records] == [1, 2, 3, 4]
    assert second["rules"][0]["since"] == {"block": second["at"], "delay": first["at"]}
    assert third["rules"][0]["since"] == {"block": third["at"], "delay": first["at"]}
    assert since_when(rules_held(records[:3]).values())["site", "a.example", "delay", None] == first["at"]
    assert (last["rules"], last["gone"]) == ([], [{"kind": "site", "name": "a.example"}])
    assert rules_held(records) == {}


RULES_OF_FEW = st.dictionaries(
    st.sampled_from(["a.example", "b.example", "c.example"]),
    st.dictionaries(st.sampled_from(["block", "delay", "pause"]), st.sampled_from([True, False, 2.0]), min_size=1),
)


@settings(max_examples=25)
@given(st.lists(st.lists(RULES_OF_FEW, min_size=1, max_size=4), min_size=1, max_size=3), st.booleans())
def test_records_of_what_differs_tell_what_held_and_since_when(
    tmp_path_factory: pytest.TempPathFactory, runs: list[list[dict[str, Any]]], disturbed: bool
) -> None:
    session = tmp_path_factory.mktemp("session")
    since: dict[tuple[str, str, bool | None], str] = {}
    for run in runs:
        log: RuleLog | None = None
        before: list[Row] = []
        for rules in run:
            rows: list[Row] = [("site", name, 1, values) for name, values in rules.items()]
            if log is None:
                log = RuleLog(session, "run")
                made = log.begin(held(rows))
            else:
                if disturbed:
                    (session / RULES / f"{made['number'] + 1:06d}.json").write_text(json.dumps({**made, "gone": []}))
                new = [row for row in rows if row not in before]
                made = log.change(held(rows), [row for row in before if row not in rows], new)
            before = rows
            given_now = {
                (name, key, value if isinstance(value, bool) else None): made["at"]
                for name, values in rules.items()
                for key, value in values.items()
            }
            since = {key: since.get(key, at) for key, at in given_now.items()}
            found = rules_held(rule_records(session))
            assert {name: rule["values"] for (_, name), rule in found.items()} == rules
            assert {(name, *rest): at for (_, name, *rest), at in since_when(found.values()).items()} == since
            assert made["held"] == len(rules)


def test_a_change_records_no_more_than_what_is_different(tmp_path: Path) -> None:
    many: list[Row] = [("site", f"w{number}.example", number, {"delay": 1.0}) for number in range(1000)]
    log = RuleLog(tmp_path, "run")
    log.begin(held(many))
    log.change(held(many[:-1]), many[-1:], [])
    RuleLog(tmp_path, "next").begin(held([*many[:-1], *BLOCK]))
    whole, change, resumed = (path.stat().st_size for path in sorted((tmp_path / RULES).iterdir()))
    assert max(change, resumed) < 600 < whole / 100
    assert len(rules_held(rule_records(tmp_path))) == 1000


def test_recorded_rules_are_good(session_copy: Path) -> None:
    record(session_copy, BLOCK, SLOW)
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
        (edited(2, lambda content: content.update(held=7)), "says that 7 rules held; by the records up to it it is 1"),
        (edited(2, lambda content: content["rules"][0].update(line="x")), 'rules[0].line is "x"'),
    ],
)
def test_a_broken_record_is_told_of(session_copy: Path, broken: Callable[[Path], object], text: str) -> None:
    record(session_copy, BLOCK, SLOW)
    broken(session_copy / RULES)
    (problem,) = check_session(session_copy).problems["rules_are_recorded"]
    assert text in problem.text
