"""docs/formats.md and docs/work.md say of units, results and ledgers what they are."""

import re
from pathlib import Path

from crawler.work.ledger import ExportedUnit, MergedUnit, RefusedUnit
from crawler.work.refusals import REASONS
from crawler.work.result_file import KEYS as RESULT_KEYS
from crawler.work.unit import KEYS as UNIT_KEYS
from crawler.work.unit import OPTIONS
from tests.sessions.test_formats import keys, section

WORK = Path(__file__).resolve().parents[3] / "docs" / "work.md"


def test_keys_of_a_unit() -> None:
    assert keys(section("Units")) == set(UNIT_KEYS)
    assert all(f"`{name}`" in section("Units") for name in OPTIONS)


def test_keys_of_a_result() -> None:
    assert keys(section("Results")) == set(RESULT_KEYS)


def test_keys_of_the_ledger() -> None:
    fields = {*ExportedUnit._fields, *MergedUnit._fields, *RefusedUnit._fields}
    assert keys(section("ledger.jsonl")) == fields - {"unit"}


def test_reasons_are_those_of_the_program() -> None:
    table = WORK.read_text().split("| looked at | reasons |")[1].split("\n\n")[0]
    assert set(re.findall(r"`([a-z-]+)`", table.split("---")[-1].replace("`cutweb check`", ""))) == set(REASONS)
