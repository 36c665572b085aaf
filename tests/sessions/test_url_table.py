"""Canonical forms by the URL standard, case by case from a table."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from sessions.url import canonical, join

TABLE = Path(__file__).parent / "data" / "urls.tsv"
NO_BASE = "-"
INVALID = "invalid"
REPEATED = re.compile(r"<<(.*?)\*(\d+)>>")


class Case(NamedTuple):
    """A line of the table."""

    url: str
    base: str
    form: str
    differs: bool


def cases() -> Iterator[Case]:
    """The lines of the table that are neither empty nor comments."""
    for line in TABLE.read_text(encoding="utf-8").split("\n"):
        if line and not line.startswith("# ") and line != "#":
            url, base, form, *differs = line.split("\t")
            yield Case(*(meant(field) for field in (url, base, form)), bool(differs))


def meant(field: str) -> str:
    text = str(json.loads(f'"{field}"'))
    return REPEATED.sub(lambda match: match[1] * int(match[2]), text)


CASES = list(cases())


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 200
    assert len({case[:2] for case in CASES}) == len(CASES)


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, marks=pytest.mark.xfail(strict=True, reason="ada differs")) if case.differs else case
        for case in CASES
    ],
    ids=lambda case: ascii(f"{case.url[:40]} {case.base[:20]}"),
)
def test_canonical_form(case: Case) -> None:
    form = canonical(case.url) if case.base == NO_BASE else join(case.base, [case.url])[0]
    assert form == (None if case.form == INVALID else case.form)


@pytest.mark.parametrize("form", sorted({case.form for case in CASES} - {INVALID}), ids=lambda form: ascii(form[:60]))
def test_a_canonical_form_is_its_own(form: str) -> None:
    assert canonical(form) == form
