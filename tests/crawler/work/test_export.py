"""Exporting: what is out holds its sites back, what is late or was refused goes out anew, and some goes out twice."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from crawler.work.export import ExportSettings, export
from crawler.work.ledger import LEDGER, ExportedUnit, MergedUnit, RefusedUnit, locked, present, read_ledger
from crawler.work.site_addresses import site_addresses
from crawler.work.unit import read_unit
from crawler.work.work_error import WorkError
from crawler.worklist.manifest import WorklistError
from sessions.url import site_of
from tests.crawler.support.work_units import Forgery, Project, Run

URLS = [f"http://{site}.example/{page}" for page in range(4) for site in "abc"]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path, URLS)


def exported(project: Project, **settings: object) -> list[ExportedUnit]:
    return export(project.worklist, project.units, project.key, ExportSettings(**settings))  # type: ignore[arg-type]


def urls_of(project: Project, line: ExportedUnit) -> list[str]:
    signed = read_unit(project.units / f"unit-{line.unit:06d}.unit")
    assert (signed.sha256, signed.key, signed.unit.identity) == (line.sha256, project.key.public, line.identity)
    assert len(signed.unit.urls) == line.urls
    return [url for url, _ in signed.unit.urls]


def is_merged(project: Project, *units: int) -> None:
    project.append(*(MergedUnit(unit, project.anna.public, "anna", "2026-03-01", "/crawls/3", 0) for unit in units))


def make_late(project: Project, unit: int) -> None:
    """Have a unit's deadline be over, as time would."""
    path = project.units / LEDGER
    lines = project.ledger_lines
    for line in lines:
        if line["event"] == "exported" and line["unit"] == unit:
            line["deadline"] = (present() - timedelta(minutes=1)).isoformat()
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))


def test_units_in_the_order_of_priority(project: Project) -> None:
    first, second, third = exported(project, unit=4)
    assert [url[7] for url in urls_of(project, first)] == ["a"] * 4
    assert [urls_of(project, line)[0] for line in (second, third)] == ["http://b.example/0", "http://c.example/0"]
    assert exported(project, unit=4) == []
    assert [line["unit"] for line in project.ledger_lines] == [1, 2, 3]


def test_a_larger_site_goes_on_when_its_unit_is_back(project: Project) -> None:
    first, second = exported(project, unit=3, most=2)
    assert urls_of(project, first) == [f"http://a.example/{page}" for page in range(3)]
    assert urls_of(project, second) == [f"http://b.example/{page}" for page in range(3)]
    is_merged(project, 1)
    third, fourth = exported(project, unit=3)
    assert urls_of(project, fourth) == ["http://a.example/3"]
    assert urls_of(project, third) == ["http://c.example/0", "http://c.example/1", "http://c.example/2"]


def test_a_unit_that_expired_holds_nothing_back_and_goes_out_anew(project: Project) -> None:
    first, *_ = exported(project, unit=3)
    assert exported(project, again=True) == []
    make_late(project, first.unit)
    assert project.received().ledger.standing(first.unit, present()) == "late"
    (anew,) = exported(project, again=True)
    assert (anew.again, urls_of(project, anew)) == (first.unit, urls_of(project, first))
    assert project.received().ledger.standing(first.unit, present()) == "replaced"
    assert exported(project, again=True) == []
    is_merged(project, anew.unit)
    (rest, *_) = exported(project, unit=3)
    assert urls_of(project, rest)[0] == "http://a.example/3"


def test_what_was_refused_goes_out_anew(project: Project) -> None:
    first, *_ = exported(project, unit=4)
    project.append(RefusedUnit(first.unit, project.anna.public, "2026-03-01", "digest"))
    (anew,) = exported(project, again=True)
    assert (anew.again, urls_of(project, anew)) == (first.unit, urls_of(project, first))


def test_some_of_what_is_back_goes_out_once_more(project: Project) -> None:
    first, second, _ = exported(project, unit=4)
    assert exported(project, overlap=0.5) == []
    is_merged(project, first.unit)
    (repeat,) = exported(project, overlap=0.5)
    assert repeat.repeats == first.unit
    assert repeat.urls == 2
    assert set(urls_of(project, repeat)) < set(urls_of(project, first))
    is_merged(project, repeat.unit, second.unit)
    (other,) = exported(project, overlap=1.0)
    assert (other.repeats, urls_of(project, other)) == (second.unit, urls_of(project, second))
    make_late(project, other.unit)
    (anew,) = exported(project, again=True)
    assert (anew.again, anew.repeats) == (other.unit, second.unit)


def test_options_stand_in_the_unit_and_stay_with_its_urls(project: Project) -> None:
    def options_of(line: ExportedUnit) -> dict[str, float]:
        return dict(read_unit(project.units / f"unit-{line.unit:06d}.unit").unit.options)

    first, second, third = exported(project, unit=4, options={"delay": 3.0, "max_links": 9})
    assert options_of(first) == {"delay": 3.0, "max_links": 9}
    make_late(project, second.unit)
    make_late(project, third.unit)
    again = exported(project, again=True, options={"delay": 5.0})
    assert [options_of(line) for line in again] == [{"delay": 5.0, "max_links": 9}] * 2
    is_merged(project, first.unit)
    (repeat,) = exported(project, overlap=0.5)
    assert options_of(repeat) == options_of(first)


def test_a_worklist_has_one_folder_of_units(project: Project, tmp_path: Path) -> None:
    exported(project)
    with pytest.raises(WorkError, match=r"its units are in .*units, whose ledger says what is out"):
        export(project.worklist, tmp_path / "more", project.key, ExportSettings())
    assert not (tmp_path / "more").exists()


def test_a_folder_has_units_of_one_worklist(project: Project, tmp_path: Path) -> None:
    exported(project)
    (tmp_path / "other").mkdir()
    other = Project(tmp_path / "other", URLS[:2])
    with pytest.raises(WorkError, match="has units of another worklist"):
        export(other.worklist, project.units, other.key, ExportSettings())


def test_a_folder_of_something_else(project: Project, tmp_path: Path) -> None:
    (tmp_path / "units").mkdir()
    (tmp_path / "units" / "letter.txt").write_text("dear")
    with pytest.raises(WorkError, match="is not empty, and has no units"):
        exported(project)
    assert [path.name for path in (tmp_path / "units").iterdir()] == ["letter.txt"]


def test_a_damaged_worklist(project: Project) -> None:
    path = next(project.worklist.glob("old-*.parquet"))
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(WorklistError):
        exported(project)
    assert not project.units.exists()


def test_a_worklist_without_urls(tmp_path: Path) -> None:
    project = Project(tmp_path, [])
    with pytest.raises(WorkError, match="lists no URLs, so there is nothing to hand out"):
        exported(project)
    assert not project.units.exists()


def test_half_a_line_says_nothing(project: Project) -> None:
    """A process that was killed while it wrote leaves one; the next to write puts its own in that place."""
    exported(project, unit=4)
    path = project.units / LEDGER
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"event": "merged", "uni')
    assert read_ledger(project.units).merged == {}
    is_merged(project, 1)
    assert path.read_bytes().startswith(whole + b'{"event": "merged", "unit": 1')
    assert sorted(read_ledger(project.units).merged) == [1]


@pytest.mark.parametrize(
    "line", ["{}", "[]", "nothing", '{"event": "lost"}', '{"event": "merged", "unit": 1}', "[" * 9999]
)
def test_a_damaged_line_is_named(project: Project, line: str) -> None:
    exported(project, unit=4)
    path = project.units / LEDGER
    path.write_text(path.read_text() + f"{line}\n")
    with pytest.raises(WorkError, match=r"ledger\.jsonl: line 4: damaged"):
        exported(project)


def test_two_exports_at_a_time(project: Project) -> None:
    exported(project)
    with locked(project.units), pytest.raises(WorkError, match="another export or merge is at work"):
        exported(project)


def test_sites_at_one_address_go_one_after_the_other(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """b is where a was seen; c alone may be out beside a."""
    addresses = {
        f"{site}.example": frozenset({ip}) for site, ip in (("a", "1.1.1.1"), ("b", "1.1.1.1"), ("c", "2.2.2.2"))
    }
    monkeypatch.setattr("crawler.work.export.site_addresses", lambda _: addresses)
    units = exported(project, unit=4)
    assert [{site_of(url) for url in urls_of(project, line)} for line in units] == [{"a.example"}, {"c.example"}]
    assert exported(project, unit=4) == []
    is_merged(project, 1)
    (third,) = exported(project, unit=4)
    assert {site_of(url) for url in urls_of(project, third)} == {"b.example"}


def test_where_sites_were_seen(run: Run, tmp_path: Path) -> None:
    session = Forgery(run.result, tmp_path).folder
    assert site_addresses(session) == dict.fromkeys(["a.example", "b.example", "c.example"], frozenset({"127.0.0.1"}))
    assert site_addresses(tmp_path / "none") == {}
