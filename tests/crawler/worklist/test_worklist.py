"""A worklist's folder: what is written is read again, and what is damaged is refused in one line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from crawler.worklist.manifest import WorklistError
from crawler.worklist.rows import KINDS, NEW, OLD, SCHEMA
from crawler.worklist.worklist import Worklist, open_worklist
from tests.crawler.support.worklists import SESSIONS, in_order, new_row, old_row, write_worklist

URLS = [f"http://a.example/{number}" for number in range(10)]
ROWS = in_order(
    [new_row(url, float(number // 2)) for number, url in enumerate(URLS[:5])]
    + [old_row(url, float(number // 4), age=(number // 2) / 8) for number, url in enumerate(URLS[5:])]
)
SEEDS = ("http://a.example/", "http://b.example/")


def rows_of(worklist: Worklist, batch_rows: int = 3) -> list[dict[str, Any]]:
    return [row for kind in KINDS for placed in worklist.rows(kind, batch_rows) for row in placed.batch.to_pylist()]


@pytest.mark.parametrize("rows_per_file", [1, 2, 100])
def test_what_is_written_is_read(tmp_path: Path, rows_per_file: int) -> None:
    write_worklist(tmp_path / "w", ROWS, rows_per_file=rows_per_file, seeds=SEEDS)
    worklist = open_worklist(tmp_path / "w")
    worklist.check()
    assert rows_of(worklist) == [row for kind in KINDS for row in ROWS if row["kind"] == kind]
    assert (worklist.count(NEW), worklist.count(OLD)) == (5, 5)
    assert (worklist.seeds, worklist.last_session) == (SEEDS, SESSIONS[1])


def test_places_are_those_in_the_file(tmp_path: Path) -> None:
    write_worklist(tmp_path / "w", ROWS, rows_per_file=4)
    places = [placed.place(0) for placed in open_worklist(tmp_path / "w").rows(OLD, 3)]
    first, second = tmp_path / "w" / "old-00000.parquet", tmp_path / "w" / "old-00001.parquet"
    assert places == [f"{first}: row 0", f"{first}: row 3", f"{second}: row 0"]


def test_the_identity_is_of_the_content(tmp_path: Path) -> None:
    """It knows nothing of files and places, but notices every change."""
    identity = write_worklist(tmp_path / "a", ROWS, seeds=SEEDS).identity
    assert write_worklist(tmp_path / "b", ROWS, rows_per_file=2, seeds=SEEDS).identity == identity
    moved = [session.__class__("/elsewhere", session.run, session.started) for session in SESSIONS]
    assert write_worklist(tmp_path / "c", ROWS, seeds=SEEDS, sessions=moved).identity == identity
    assert open_worklist(tmp_path / "a").identity == identity
    others: list[dict[str, Any]] = [
        {"seeds": SEEDS[:1]},
        {"seeds": SEEDS, "sessions": SESSIONS[1:]},
        {"seeds": SEEDS, "crawl_seconds": 1.0},
        {"seeds": SEEDS, "settings": {"gone": 3, "limit": None}},
    ]
    found = {write_worklist(tmp_path / f"o{number}", ROWS, **other).identity for number, other in enumerate(others)}
    for number, (name, value) in enumerate([("in_degree", 7), ("visits", 3), ("part", 1), ("priority", 2.5)]):
        changed = [{**ROWS[0], name: value}, *ROWS[1:]]
        found.add(write_worklist(tmp_path / f"r{number}", changed, seeds=SEEDS).identity)
    found.add(write_worklist(tmp_path / "fewer", ROWS[1:], seeds=SEEDS).identity)
    assert len(found - {identity}) == len(others) + 5


def test_no_rows(tmp_path: Path) -> None:
    write_worklist(tmp_path / "w", [])
    worklist = open_worklist(tmp_path / "w")
    worklist.check()
    assert rows_of(worklist) == []
    assert worklist.seeds == ()


Break = Callable[[Path], object]


def edited(name: str, value: Any) -> Break:
    def edit(folder: Path) -> None:
        content = json.loads((folder / "worklist.json").read_text())
        content[name] = value
        (folder / "worklist.json").write_text(json.dumps(content))

    return edit


def changed_row(file: str, row: int, **values: Any) -> Break:
    def change(folder: Path) -> None:
        rows = pq.read_table(folder / file).to_pylist()
        rows[row] |= values
        nullable = pa.schema([field.with_nullable(True) for field in SCHEMA])
        pq.write_table(pa.Table.from_pylist(rows, schema=nullable), folder / file)

    return change


def read_all(folder: Path) -> None:
    worklist = open_worklist(folder)
    assert worklist.seeds
    worklist.check()


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (lambda folder: (folder / "worklist.json").unlink(), "{}/worklist.json: no such file; is {} a worklist?"),
        (lambda folder: (folder / "worklist.json").write_text("{"), "{}/worklist.json: not JSON ("),
        (lambda folder: (folder / "worklist.json").write_text("[]"), "{}/worklist.json: not a JSON object"),
        (edited("format", 2), "{}/worklist.json: format 2; this version reads 1"),
        (edited("now", 7), "{}/worklist.json: now is 7, which is not valid"),
        (edited("crawl_seconds", 7.0), "{}/worklist.json: damaged: its identity is "),
        (edited("files", []), "{}/worklist.json: damaged: its files of new URLs do not have 5 rows together"),
        (lambda folder: (folder / "old-00000.parquet").unlink(), "{}/old-00000.parquet: no such file"),
        (lambda folder: (folder / "old-00000.parquet").write_text("x"), "{}/old-00000.parquet: damaged from row 0 on"),
        (lambda folder: (folder / "seeds.txt").write_text("x"), "{}/seeds.txt: checksum mismatch"),
        (
            changed_row("new-00000.parquet", 3, url="http://b.example/"),
            "{}/new-00000.parquet: row 3: damaged: the hash",
        ),
        (
            changed_row("old-00000.parquet", 4, priority=9.0),
            "{}/old-00000.parquet: row 4: damaged: stands out of order",
        ),
        (changed_row("old-00000.parquet", 0, url=None), "{}/old-00000.parquet: row 0: damaged: has no url"),
        (
            changed_row("old-00000.parquet", 1, age=None),
            "{}/old-00000.parquet: row 1: damaged: age must be null for new",
        ),
        (changed_row("new-00000.parquet", 1, kind="odd"), "{}/new-00000.parquet: row 1: damaged: its kind is not new"),
        (
            changed_row("new-00000.parquet", 0, priority=float("nan")),
            "{}/new-00000.parquet: row 0: damaged: the priority",
        ),
        (changed_row("new-00000.parquet", 0, in_degree=9), "{}/new-00000.parquet: checksum mismatch"),
    ],
)
def test_damage_is_told_in_one_line(tmp_path: Path, damage: Break, problem: str) -> None:
    write_worklist(tmp_path / "w", ROWS, seeds=SEEDS)
    damage(tmp_path / "w")
    with pytest.raises(WorklistError) as raised:
        read_all(tmp_path / "w")
    assert str(raised.value).startswith(problem.replace("{}", str(tmp_path / "w")))
    assert "\n" not in str(raised.value)


def test_other_folders_are_told_from_worklists(tmp_path: Path) -> None:
    for name, told in (("session.json", "is a session, not a"), ("partition.json", "is a partition map, not a")):
        (tmp_path / name).write_text("{}")
        with pytest.raises(WorklistError, match=told):
            open_worklist(tmp_path)
        (tmp_path / name).unlink()
    with pytest.raises(WorklistError, match="no such file; is "):
        open_worklist(Path(__file__))
