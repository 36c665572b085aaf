"""docs/formats.md says what the programs do: its tables are compared, its examples run."""

import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import duckdb
import pytest

from scripts import counter_tables
from sessions.analysis.difference import difference
from sessions.analysis.summary import DERIVED, Summary
from sessions.checking import commit_records
from sessions.checking.check import check_session
from sessions.checking.row_invariants import NULLABLE
from sessions.counters import COUNTERS
from sessions.records import CommitRecord, Header
from sessions.schema import TABLES
from sessions.session import Session
from sessions.url import url_hash
from tests.sessions.support.builder import HOME, PAGES, Crawl

DOCUMENT = (Path(__file__).parents[2] / "docs" / "formats.md").read_text()


def section(heading: str) -> str:
    """The text below a heading, up to the next one of any level."""
    return re.split(r"^#+ ", DOCUMENT.partition(f"# {heading}\n")[2], maxsplit=1, flags=re.M)[0]


def tables(text: str) -> list[list[str]]:
    """The cells of the rows of a text's tables, without their heads."""
    lines = [line.strip("|").split("|") for line in text.splitlines() if re.match(r"\| `", line)]
    return [[cell.strip() for cell in line] for line in lines]


def keys(text: str) -> set[str]:
    """What stands in backquotes in the first column of a text's tables."""
    return {key for row in tables(text) for key in re.findall(r"`(\w+)`", row[0])}


def example(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", DOCUMENT, re.S)
    assert found
    return found[1]


@pytest.mark.parametrize("table", TABLES)
def test_columns_are_those_of_the_schema(table: str) -> None:
    documented = [(cells[0].strip("`"), cells[1]) for cells in tables(section(table))]
    assert documented == [(field.name, str(field.type)) for field in TABLES[table]]


@pytest.mark.parametrize("table", TABLES)
def test_null_rules_are_those_that_are_checked(table: str) -> None:
    may_be_null = {cells[0].strip("`") for cells in tables(section(table)) if cells[3] != "-"}
    assert may_be_null == NULLABLE.get(table, set())


def test_every_column_has_a_meaning() -> None:
    assert all(cells[4] for table in TABLES for cells in tables(section(table)))


def test_json_keys_are_those_that_are_checked() -> None:
    assert keys(section("session.json")) == Header.__annotations__.keys()
    text = section("Commit records")
    assert keys(text) == CommitRecord.__annotations__.keys() | commit_records.REPORT_SHAPE.__annotations__.keys()
    assert all(f"`{reason}`" in section("session.json") for reason in commit_records.END_REASONS)


def test_keys_for_machines(good_session: Path) -> None:
    assert keys(section("cutweb check --json")) == check_session(good_session).as_dict().keys()
    text = section("cutweb info --json")
    assert keys(text) == {*COUNTERS, *DERIVED} - {"cpu"}
    assert all(
        f"<!-- {mark} -->\n{table}<!-- /{mark} -->" in DOCUMENT for mark, table in counter_tables.tables().items()
    )
    assert all(f"`{field.name}`" in text for field in fields(Summary))
    session = Session.open(good_session)
    told, text = difference(session, session).as_dict(), section("cutweb diff --json")
    assert keys(text) == told.keys() | told["total"].keys()
    assert all(f"`{name}`" in text for figures in told["total"].values() for name in figures)


def test_duckdb_example(good_session: Path) -> None:
    with duckdb.connect() as database:
        rows = database.execute(example("sql").replace("SESSION", str(good_session))).fetchall()
    pages = Session.open(good_session).read("pages")
    assert sum(row[1] for row in rows) == len(pages)
    assert sum(row[2] for row in rows) == sum(pages["bytes"].to_pylist())


def readme_example() -> str:
    """What README.md says about reading a session with pandas, for a session in the folder ``session``."""
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    found = re.search(r"^    (import .*pandas)\n    (pages = .*)$", readme, re.M)
    assert found
    return f"{found[1]}\n{found[2]}"


@pytest.mark.parametrize("code", [example("python"), readme_example()], ids=["formats.md", "README.md"])
def test_pandas_examples_keep_every_value(tmp_path: Path, code: str) -> None:
    """Hashes have 64 bits, also where others of the column are null; pandas' own types would make floats of them."""
    crawl = Crawl(tmp_path / "session", ranks=1)
    (rank,) = crawl.ranks
    rank.discover([HOME, PAGES[0]])
    rank.fetch(HOME, b"<p>the same", simhash=None)
    rank.fetch(PAGES[0], b"<p>the same", duplicate_of=url_hash(HOME), simhash=(1 << 64) - 3)
    crawl.commit("complete")
    crawl.close()
    shown = "print(*map(int, [*pages['duplicate_of'].dropna(), *pages['simhash'].dropna()]), *pages.columns)"
    command = [sys.executable, "-c", f"{code.replace('SESSION', 'session')}\n{shown}"]
    printed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.split()
    assert printed == [str(url_hash(HOME)), str((1 << 64) - 3), *TABLES["pages"].names]
