"""Results that somebody has tampered with: each is refused, under a reason of its own."""

import gzip
import json
import random
import tarfile
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from crawler.work.examination import Received, examine
from crawler.work.ledger import ExportedUnit, MergedUnit, present
from crawler.work.refusals import REASONS, Refusal
from crawler.work.result_file import FORM, STATEMENT
from sessions.checking.check import check_session
from sessions.compacting.compact import compact_session
from tests.crawler.support.work_units import URLS, Forgery, Project, Run
from tests.sessions.compacting.test_compact import quiet

REFUSED: set[str] = set()
"""The reasons that were met."""


def refusal_of(path: Path, received: Received, folder: Path) -> Refusal:
    with pytest.raises(Refusal) as caught:
        examine(path, received, folder / "unpacked")
    REFUSED.add(caught.value.reason)
    assert "\n" not in str(caught.value)
    return caught.value


@pytest.fixture
def forgery(run: Run, tmp_path: Path) -> Forgery:
    return Forgery(run.result, tmp_path)


def test_the_honest_result_is_good(run: Run, tmp_path: Path) -> None:
    found = examine(run.result, run.project.received(), tmp_path / "unpacked")
    assert (found.line.unit, found.volunteer.name) == (run.number, "anna")
    assert [url for url, _ in found.unit.urls] == URLS
    assert check_session(found.session.path).is_good


def test_a_result_taken_apart_and_put_together_is_good(run: Run, forgery: Forgery, tmp_path: Path) -> None:
    """What the tests below change is all that is refused."""
    forgery.recommit()
    forgery.statement_of_all()
    forgery.sign(run.project.anna)
    examine(forgery.write(tmp_path / "r"), run.project.received(), tmp_path / "unpacked")


def flip(path: Path, place: int = -100) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)


def with_other_signature(forgery: Forgery, _: Project) -> None:
    path = forgery.folder / STATEMENT
    text = path.read_text()
    path.write_text(text[:-2] + ("0" if text[-2] != "0" else "1") + "\n")


def without_signature(forgery: Forgery, _: Project) -> None:
    path = forgery.folder / STATEMENT
    path.write_text("\n".join(path.read_text().split("\n")[:2]) + "\n")


def altered_statement(forgery: Forgery, _: Project) -> None:
    path = forgery.folder / STATEMENT
    path.write_text(path.read_text().replace('"software":"cutweb', '"software":"curweb'))


def body_altered(forgery: Forgery, _: Project) -> None:
    flip(forgery.one("rank-0000/*.warc.gz"))


def table_altered(forgery: Forgery, _: Project) -> None:
    flip(forgery.one("rank-0000/links-*.parquet"))


def record_altered(forgery: Forgery, _: Project) -> None:
    flip(forgery.one("epochs/*.json"))


def cut_short(forgery: Forgery, _: Project) -> None:
    path = forgery.one("rank-0000/*.warc.gz")
    path.write_bytes(path.read_bytes()[:-20])


def grown(forgery: Forgery, _: Project) -> None:
    path = forgery.one("rank-0000/*.warc.gz")
    path.write_bytes(path.read_bytes() + b"\0")


def file_too_many(forgery: Forgery, _: Project) -> None:
    (forgery.folder / "rank-0000" / "notes.txt").write_text("hello")
    forgery.names.append("rank-0000/notes.txt")


def file_missing(forgery: Forgery, _: Project) -> None:
    forgery.names.remove(next(name for name in forgery.names if "links-" in name))


def last_file_missing(forgery: Forgery, _: Project) -> None:
    forgery.names.pop()


def files_in_another_order(forgery: Forgery, _: Project) -> None:
    forgery.names[1:] = reversed(forgery.names[1:])


def no_statement(forgery: Forgery, _: Project) -> None:
    forgery.names.remove(STATEMENT)


@pytest.mark.parametrize(
    ("tamper", "reason"),
    [
        (with_other_signature, "signature"),
        (without_signature, "signature"),
        (altered_statement, "signature"),
        (body_altered, "body-altered"),
        (table_altered, "table-altered"),
        (record_altered, "altered"),
        (cut_short, "cut-short"),
        (grown, "altered"),
        (file_too_many, "file-extra"),
        (file_missing, "file-missing"),
        (last_file_missing, "file-missing"),
        (files_in_another_order, "file-missing"),
        (no_statement, "format"),
    ],
)
def test_changed_on_the_way(
    run: Run, forgery: Forgery, tmp_path: Path, tamper: Callable[[Forgery, Project], None], reason: str
) -> None:
    """Somebody who has no key changes a result."""
    tamper(forgery, run.project)
    assert refusal_of(forgery.write(tmp_path / "r"), run.project.received(), tmp_path).reason == reason


def as_type(kind: bytes) -> Callable[[tarfile.TarInfo], None]:
    def edit(info: tarfile.TarInfo) -> None:
        if info.name == "session.json":
            info.type, info.linkname = kind, "/etc/passwd"
            info.size = 0

    return edit


def named(name: str) -> Callable[[tarfile.TarInfo], None]:
    def edit(info: tarfile.TarInfo) -> None:
        if info.name == "session.json":
            info.name = name

    return edit


def huge(info: tarfile.TarInfo) -> None:
    if info.name == STATEMENT:
        info.size = 1 << 32


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (as_type(tarfile.SYMTYPE), "link"),
        (as_type(tarfile.LNKTYPE), "link"),
        (as_type(tarfile.CHRTYPE), "device"),
        (as_type(tarfile.BLKTYPE), "device"),
        (as_type(tarfile.FIFOTYPE), "device"),
        (as_type(tarfile.DIRTYPE), "format"),
        (as_type(tarfile.GNUTYPE_SPARSE), "format"),
        (as_type(tarfile.XHDTYPE), "format"),
        (named("../../session.json"), "path"),
        (named("/session.json"), "path"),
        (named("rank-0000/../../x"), "path"),
        (huge, "size"),
    ],
)
def test_headers_that_lead_elsewhere(
    run: Run, forgery: Forgery, tmp_path: Path, edit: Callable[[tarfile.TarInfo], None], reason: str
) -> None:
    path = forgery.write(tmp_path / "r", edit)
    assert refusal_of(path, run.project.received(), tmp_path).reason == reason
    assert not (tmp_path / "session.json").exists()


@pytest.mark.parametrize("content", [b"", b"hello", b"\x1f\x8b" * 600, b"PK" * 600, bytes(10240), b"\xff" * 512])
def test_what_is_no_result_at_all(run: Run, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "r").write_bytes(content)
    assert refusal_of(tmp_path / "r", run.project.received(), tmp_path).reason == "format"


def test_a_result_that_breaks_off_anywhere(run: Run, tmp_path: Path) -> None:
    whole = run.result.read_bytes()
    received = run.project.received()
    for number, length in enumerate(range(0, len(whole) - 10240, 4999)):
        (tmp_path / f"r{number}").write_bytes(whole[:length])
        with pytest.raises(Refusal):
            examine(tmp_path / f"r{number}", received, tmp_path / f"u{number}")


def statement_says(**told: Any) -> Callable[[Forgery, Project], None]:
    def tamper(forgery: Forgery, _: Project) -> None:
        forgery.told |= told

    return tamper


def statement_names(*file: Any) -> Callable[[Forgery, Project], None]:
    def tamper(forgery: Forgery, _: Project) -> None:
        forgery.told["files"].append(list(file))

    return tamper


def many_files(forgery: Forgery, _: Project) -> None:
    run_name = forgery.one("rank-0000/*.warc.gz").name[:22]
    forgery.told["files"] += [[f"rank-0000/pages-{n:06d}-{run_name}.parquet", 0, "0" * 64] for n in range(100, 2200)]


@pytest.mark.parametrize(
    ("tamper", "reason"),
    [
        (statement_says(unit="0" * 64), "unknown-unit"),
        (statement_says(worklist="0" * 16), "other-worklist"),
        (statement_says(more=1), "format"),
        (statement_says(files="all"), "format"),
        (statement_says(files=[]), "file-missing"),
        (statement_names("../x", 1, "0" * 64), "path"),
        (statement_names("/etc/passwd", 1, "0" * 64), "path"),
        (statement_names("rank-0001/x.parquet", 1, "0" * 64), "file-extra"),
        (statement_names("session.json", 1, "0" * 64), "format"),
        (statement_names("epochs/000099.json", -1, "0" * 64), "format"),
        (statement_names("epochs/000099.json", 1 << 40, "0" * 64), "size"),
        (statement_names("epochs/000099.json", 5, "0" * 64), "file-missing"),
        (many_files, "size"),
    ],
)
def test_signed_by_a_volunteer_who_says_what_is_not_so(
    run: Run, forgery: Forgery, tmp_path: Path, tamper: Callable[[Forgery, Project], None], reason: str
) -> None:
    tamper(forgery, run.project)
    forgery.sign(run.project.anna)
    assert refusal_of(forgery.write(tmp_path / "r"), run.project.received(), tmp_path).reason == reason


def test_of_another_format(run: Run, forgery: Forgery, tmp_path: Path) -> None:
    forgery.sign(run.project.anna, FORM.replace("1", "2"))
    assert refusal_of(forgery.write(tmp_path / "r"), run.project.received(), tmp_path).reason == "format"


def test_signed_by_nobody_known(run: Run, forgery: Forgery, tmp_path: Path) -> None:
    forgery.sign(run.project.key)
    refusal = refusal_of(forgery.write(tmp_path / "r"), run.project.received(), tmp_path)
    assert (refusal.reason, refusal.unit) == ("unknown-key", None)


def rewrite(path: Path, **changes: Callable[[list[Any]], list[Any]]) -> None:
    """Write a table anew, with values of some columns as functions of those that were there."""
    table = pq.read_table(path)
    for name, change in changes.items():
        field = table.schema.field(name)
        values = pa.array(change(table[name].to_pylist()), field.type)
        table = table.set_column(table.schema.get_field_index(name), field, values)
    pq.write_table(table, path, compression="ZSTD")


def first_page(forgery: Forgery) -> Path:
    return next(path for path in sorted(forgery.folder.glob("rank-0000/pages-*")) if pq.read_table(path).num_rows)


def digest_wrong(forgery: Forgery, _: Project) -> None:
    path = next(
        path
        for path in sorted(forgery.folder.glob("rank-0000/pages-*"))
        if pq.read_table(path)["content_digest"].null_count < pq.read_table(path).num_rows
    )
    rewrite(path, content_digest=lambda values: [bytes(20) if value else None for value in values])


def status_wrong(forgery: Forgery, _: Project) -> None:
    rewrite(first_page(forgery), status=lambda values: [200 if value == 404 else 404 for value in values])


def warc_cut_and_committed(forgery: Forgery, _: Project) -> None:
    cut_short(forgery, _)


def warc_with_a_tail(forgery: Forgery, _: Project) -> None:
    path = forgery.one("rank-0000/*.warc.gz")
    path.write_bytes(path.read_bytes() + gzip.compress(b"no record"))


def no_parquet(forgery: Forgery, _: Project) -> None:
    first_page(forgery).write_bytes(b"PAR1 no PAR1")


def other_columns(forgery: Forgery, _: Project) -> None:
    path = forgery.one("rank-0000/links-*")
    pq.write_table(pq.read_table(path).drop_columns("flags"), path)


def another_table_file(forgery: Forgery, _: Project) -> None:
    path = first_page(forgery)
    path.with_name(path.name.replace("pages-0", "pages-9")).write_bytes(path.read_bytes())


def options_of_its_own(forgery: Forgery, project: Project) -> None:
    forgery.of_unit(project, 1, honour_nofollow=1)


def deep_json(forgery: Forgery, _: Project) -> None:
    (forgery.folder / "session.json").write_text("[" * 200_000)


def large_json(forgery: Forgery, _: Project) -> None:
    path = forgery.folder / "session.json"
    path.write_text(path.read_text() + " " * (5 << 20))


def record_larger_than_a_page(forgery: Forgery, _: Project) -> None:
    path = forgery.one("rank-0000/*.warc.gz")
    head = b"WARC/1.1\r\nWARC-Type: resource\r\nContent-Length: %d\r\n\r\n" % (12 << 20)
    path.write_bytes(path.read_bytes() + gzip.compress(head + bytes(12 << 20) + b"\r\n\r\n", 1))


def record_of_two_members(forgery: Forgery, _: Project) -> None:
    path = forgery.one("rank-0000/*.warc.gz")
    head = b"WARC/1.1\r\nWARC-Type: resource\r\nContent-Length: 2000\r\n\r\n"
    path.write_bytes(path.read_bytes() + gzip.compress(head + bytes(1000)) + gzip.compress(bytes(1000) + b"\r\n\r\n"))


def change_json(pattern: str, change: Callable[[dict[str, Any]], None]) -> Callable[[Forgery, Project], None]:
    def tamper(forgery: Forgery, _: Project) -> None:
        path = sorted(forgery.folder.glob(pattern))[-1]
        content = json.loads(path.read_text())
        change(content)
        path.write_text(json.dumps(content))

    return tamper


def a_billion_ranks(record: dict[str, Any]) -> None:
    start = {"ranks": 10**9, "assignment": "site-hash", "configuration": {}, "started": "2026-01-01T00:00:00+00:00"}
    record |= {"resumes": start, "ranks": [], "ended": None}


def more_than_64_bits(record: dict[str, Any]) -> None:
    record["ranks"][0]["report"] |= {"fetched": 10**30, "discovered": 10**30}


def warc_of_zeros(forgery: Forgery, _: Project) -> None:
    path = forgery.one("rank-0000/*.warc.gz")
    path.write_bytes(path.read_bytes() + gzip.compress(bytes(200 << 20), 1))


def many_small_members(forgery: Forgery, _: Project) -> None:
    path = forgery.one("rank-0000/*.warc.gz")
    head = b"WARC/1.1\r\nWARC-Type: resource\r\nContent-Length: %d\r\n\r\n" % (8 << 20)
    path.write_bytes(path.read_bytes() + 20 * gzip.compress(head + bytes(8 << 20) + b"\r\n\r\n", 1))


def one_long_string_in_every_row(forgery: Forgery, _: Project) -> None:
    path = first_page(forgery)
    row = pq.read_table(path).slice(0, 1)
    table = pa.concat_tables([row] * 4000).combine_chunks()
    place = table.schema.get_field_index("url")
    urls = pa.DictionaryArray.from_arrays(pa.array([0] * 4000, pa.int32()), ["x" * (1 << 19)])
    table = table.set_column(place, "url", urls)
    pq.write_table(table, path, compression="ZSTD", store_schema=False)


def rows_without_end(forgery: Forgery, _: Project) -> None:
    path = forgery.one("rank-0000/links-*")
    table = pq.read_table(path)
    columns = [pa.array(np.zeros(3_000_000, field.type.to_pandas_dtype())) for field in table.schema]
    pq.write_table(pa.Table.from_arrays(columns, schema=table.schema), path, row_group_size=1 << 17)


_TABLES = (digest_wrong, status_wrong, other_columns, one_long_string_in_every_row, rows_without_end)
_WARCS = (warc_cut_and_committed, warc_with_a_tail, warc_of_zeros, many_small_members, record_larger_than_a_page)


@pytest.mark.parametrize(
    ("tamper", "reason"),
    [
        (digest_wrong, "digest"),
        (status_wrong, "session"),
        (warc_cut_and_committed, "warc"),
        (warc_with_a_tail, "warc"),
        (no_parquet, "session"),
        (other_columns, "session"),
        (another_table_file, "file-extra"),
        (options_of_its_own, "session"),
        (deep_json, "session"),
        (large_json, "bomb"),
        (record_larger_than_a_page, "bomb"),
        (record_of_two_members, "warc"),
        (change_json("epochs/*.json", a_billion_ranks), "session"),
        (change_json("session.json", lambda header: header.update(ranks=10**9)), "session"),
        (change_json("session.json", lambda header: header.pop("ranks")), "session"),
        (change_json("epochs/*.json", more_than_64_bits), "session"),
        (change_json("epochs/*.json", lambda record: record["ranks"].clear()), "session"),
        (change_json("epochs/*.json", lambda record: record.update(ranks=5)), "session"),
        (warc_of_zeros, "bomb"),
        (many_small_members, "bomb"),
        (one_long_string_in_every_row, "bomb"),
        (rows_without_end, "bomb"),
    ],
)
def test_made_up_by_a_volunteer_who_signs_it(
    run: Run, forgery: Forgery, tmp_path: Path, tamper: Callable[[Forgery, Project], None], reason: str
) -> None:
    """Checksums and signature are right, and still it is not what it should be."""
    tamper(forgery, run.project)
    if tamper in (*_TABLES, *_WARCS):
        forgery.recommit()
    forgery.statement_of_all()
    forgery.sign(run.project.anna)
    refusal = refusal_of(forgery.write(tmp_path / "r"), run.project.received(), tmp_path)
    assert refusal.reason == reason, refusal
    assert (refusal.unit, refusal.key) == (run.number, run.project.anna.public)


@pytest.mark.parametrize("seed", range(40))
def test_whatever_byte_is_another_nothing_worse_than_a_refusal_comes_of_it(run: Run, tmp_path: Path, seed: int) -> None:
    """The volunteer signs it as it is; what the change does not matter to is good."""
    rng = random.Random(seed)
    forgery = Forgery(run.result, tmp_path)
    path = rng.choice(sorted(forgery.folder.glob("rank-0000/*.parquet")) + sorted(forgery.folder.glob("*/*.json")))
    content = bytearray(path.read_bytes())
    content[rng.randrange(len(content))] = rng.randrange(256)
    path.write_bytes(content)
    with suppress(pa.ArrowException, ValueError, KeyError):
        forgery.recommit()
    forgery.statement_of_all()
    forgery.sign(run.project.anna)
    with suppress(Refusal):
        found = examine(forgery.write(tmp_path / "r"), run.project.received(), tmp_path / "unpacked")
        assert check_session(found.session.path).is_good


def test_whatever_byte_is_another_without_a_key(run: Run, tmp_path: Path) -> None:
    """Only what nothing depends on, such as the times in a tar file's headers, can be changed unnoticed."""
    rng = random.Random(1)
    whole, received = run.result.read_bytes(), run.project.received()
    honest = {path.name: path.read_bytes() for path in Forgery(run.result, tmp_path).folder.rglob("*.*")}
    for number in range(60):
        content = bytearray(whole)
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        (tmp_path / "r").write_bytes(content)
        with suppress(Refusal):
            found = examine(tmp_path / "r", received, tmp_path / f"u{number}")
            unpacked = {path.name: path.read_bytes() for path in found.session.path.rglob("*.*")}
            assert unpacked == {name: text for name, text in honest.items() if name != STATEMENT}


@pytest.mark.parametrize(
    ("urls", "options", "reason"),
    [
        (URLS[:-1], {}, "url-foreign"),
        ([*URLS, "http://d.example/"], {}, "url-missing"),
        (URLS, {"delay": 60.0}, "delay"),
        (URLS, {"server_delay": 60.0}, "delay"),
    ],
)
def test_of_a_unit_with_other_urls_or_delays(
    run: Run, tmp_path: Path, urls: list[str], options: dict[str, float], reason: str
) -> None:
    project = Project(tmp_path, [*URLS, "http://d.example/"])
    number = project.hand_out(urls, exported=present() - timedelta(hours=1), **options)
    refusal = refusal_of(
        project.result_of(number, run.result, project.anna, tmp_path / "r", **options), project.received(), tmp_path
    )
    assert refusal.reason == reason
    if reason.startswith("url"):
        assert "http://b.example/x" in str(refusal) or "http://d.example/" in str(refusal)


def dropped(forgery: Forgery, _: Project) -> None:
    """As ``cutweb compact --drop-bodies`` leaves it."""
    compact_session(forgery.folder, quiet, drop_bodies=True)


def said_to_be_dropped(forgery: Forgery, project: Project) -> None:
    """The same, in files that are named as the crawl named them: without a body ``cutweb check`` misses none."""
    note = {"at": present().isoformat(), "before": present().isoformat(), "pages": 4, "bytes": 1, "software": "cutweb"}
    change_json("epochs/*.json", lambda record: record.update(dropped=[note]))(forgery, project)
    for path in forgery.folder.glob("rank-0000/pages-*"):
        rewrite(path, warc_file=nothing, warc_offset=nothing)
    for path in forgery.folder.glob("rank-0000/*.warc.gz"):
        path.unlink()
    for path in forgery.folder.glob("epochs/*.json"):
        record = json.loads(path.read_text())
        record["ranks"][0]["warc"] = []
        path.write_text(json.dumps(record))
    forgery.recommit()


def nothing(values: list[Any]) -> list[Any]:
    return [None] * len(values)


@pytest.mark.parametrize(
    ("drop", "reason", "told"),
    [
        (dropped, "file-extra", "is no file of a session of one rank"),
        (said_to_be_dropped, "session", "its bodies were dropped"),
    ],
)
def test_bodies_that_the_volunteer_dropped(
    run: Run, forgery: Forgery, tmp_path: Path, drop: Callable[[Forgery, Project], None], reason: str, told: str
) -> None:
    """``cutweb check`` does not miss them, but nothing shows then what the servers said."""
    drop(forgery, run.project)
    assert check_session(forgery.folder).problems == {}
    forgery.statement_of_all()
    forgery.sign(run.project.anna)
    refusal = refusal_of(forgery.write(tmp_path / "r"), run.project.received(), tmp_path)
    assert refusal.reason == reason
    assert told in str(refusal)


def test_requests_before_the_unit_went_out(run: Run, tmp_path: Path) -> None:
    project = Project(tmp_path, URLS)
    number = project.hand_out(URLS, exported=present() + timedelta(hours=1))
    path = project.result_of(number, run.result, project.anna, tmp_path / "r")
    at = present() + timedelta(hours=2)
    assert refusal_of(path, project.received(at), tmp_path).reason == "too-early"


def test_requests_after_the_result_was_handed_in(run: Run, tmp_path: Path) -> None:
    project = Project(tmp_path, URLS)
    number = project.hand_out(URLS, exported=present() - timedelta(days=1))
    path = project.result_of(number, run.result, project.anna, tmp_path / "r")
    at = present() - timedelta(hours=1)
    assert refusal_of(path, project.received(at), tmp_path).reason == "too-late"


def test_after_the_deadline(run: Run, tmp_path: Path) -> None:
    """Clocks may be off by ten minutes."""
    deadline = present() + timedelta(days=7)
    examine(run.result, run.project.received(deadline + timedelta(minutes=8)), tmp_path / "in time")
    late = run.project.received(deadline + timedelta(minutes=12))
    assert refusal_of(run.result, late, tmp_path).reason == "expired"


def test_by_a_key_that_was_revoked(run: Run, tmp_path: Path) -> None:
    examine(run.result, run.project.received(anna=present() + timedelta(days=1)), tmp_path / "before")
    received = run.project.received(anna=present() - timedelta(days=1))
    assert refusal_of(run.result, received, tmp_path).reason == "revoked-key"


def test_handed_in_again_or_too_late_for_another(run: Run, tmp_path: Path) -> None:
    project = Project(tmp_path, URLS)
    number = project.hand_out(URLS, exported=present() - timedelta(hours=1))
    path = project.result_of(number, run.result, project.anna, tmp_path / "r")
    line = project.received().ledger.units[number]
    project.append(line._replace(unit=2, sha256="0" * 64, again=number))
    assert refusal_of(path, project.received(), tmp_path).reason == "replaced"
    project.append(MergedUnit(number, project.anna.public, "anna", "2026-03-01", "/crawls/3", 0))
    assert refusal_of(path, project.received(), tmp_path).reason == "twice"


def test_what_repeats_ones_own_unit(run: Run, tmp_path: Path) -> None:
    project = Project(tmp_path, URLS)
    number = project.hand_out(URLS, exported=present() - timedelta(hours=1))
    path = project.result_of(number, run.result, project.anna, tmp_path / "r")
    line: ExportedUnit = project.received().ledger.units[number]
    project.append(line._replace(unit=7, sha256="0" * 64), line._replace(repeats=7))
    project.append(MergedUnit(7, project.anna.public, "anna", "2026-03-01", "/crawls/3", 0))
    assert refusal_of(path, project.received(), tmp_path).reason == "own-overlap"


def test_the_units_file_is_not_the_one_that_went_out(run: Run, tmp_path: Path) -> None:
    from crawler.work.work_error import WorkError

    project = Project(tmp_path, URLS)
    number = project.hand_out(URLS, exported=present() - timedelta(hours=1))
    path = project.result_of(number, run.result, project.anna, tmp_path / "r")
    other = Project(tmp_path / "other", URLS) if (tmp_path / "other").mkdir() is None else project
    other.hand_out(URLS[:2])
    (project.units / "unit-000001.unit").write_bytes((other.units / "unit-000001.unit").read_bytes())
    with pytest.raises(WorkError, match="not the unit that went out"):
        examine(path, project.received(), tmp_path / "unpacked")


def test_every_reason_was_met() -> None:
    """Runs last in this file: each reason has a way to tamper with a result above."""
    assert set(REASONS) - REFUSED == {"distrusted"}
    assert len(REFUSED) >= 20


def test_no_secret_is_in_a_result_or_a_unit(run: Run) -> None:
    texts = [run.result.read_bytes(), *(path.read_bytes() for path in run.project.units.iterdir())]
    for name in ("project", "anna", "bert"):
        secret = (run.project.folder / f"{name}.key").read_text().splitlines()[1].encode()
        assert all(secret not in text for text in texts)
    assert json.loads((run.project.units / "ledger.jsonl").read_text().splitlines()[0])["unit"] == run.number
