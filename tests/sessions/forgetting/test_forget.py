"""Sessions written again without some sites: all that is left is as it was, and nothing of the sites is."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from sessions.checking.check import check_session
from sessions.compacting.compact import compact_session
from sessions.forgetting.forget import forget
from sessions.schema import TABLES
from sessions.session import Session, SessionError
from sessions.storage.warc_members import WarcMember, warc_members
from sessions.url import domain_of, site_of

SITES = ("a.example", "b.example", "c.example", "d.example")


def sites_of(session: Session) -> list[str]:
    return sorted({site_of(url) for url in session.read("urls")["url"].to_pylist()})


def rows(session: Session, table: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = session.read(table).to_pylist()
    return found


def members(session: Session) -> list[WarcMember]:
    return [member for warc in session.warc_files() for member in warc_members(warc.path, warc.bytes)]


def test_each_site_can_be_forgotten_alone(good_session: Path, tmp_path: Path) -> None:
    before = Session.open(good_session)
    sites = sites_of(before)
    assert len(sites) > 1
    for number, site in enumerate(sites):
        out = tmp_path / str(number)
        told = forget(before, out, sites=[site])
        findings = check_session(out)
        assert findings.is_good, findings.problems
        after = Session.open(out)
        gone = {row["hash"] for row in rows(before, "urls") if site_of(row["url"]) == site}
        assert told["urls"] == len(gone)
        assert sites_of(after) == [other for other in sites if other != site]
        for table in ("urls", "outcomes", "frontier", "nearer"):
            assert rows(after, table) == [row for row in rows(before, table) if row["hash"] not in gone]
        assert rows(after, "links") == [
            row for row in rows(before, "links") if row["source"] not in gone and row["target"] not in gone
        ]
        moving = {"duplicate_of", "warc_offset", "redirect"}
        assert [_without(row, moving) for row in rows(after, "pages")] == [
            _without(row, moving) for row in rows(before, "pages") if row["hash"] not in gone
        ]
        assert told["pages"] == len(rows(before, "pages")) - len(rows(after, "pages"))
        for member in members(after):
            assert site_of(member.field("WARC-Target-URI") or "http://none/") != site
            assert site_of(member.field("WARC-Refers-To-Target-URI") or "http://none/") != site
        kept = (row["url"] for table in ("urls", "pages") for row in rows(after, table))
        assert site not in {site_of(url) for url in kept}
        assert after.header.get("forgotten") == [told]


def test_every_body_that_is_left_is_what_it_was(good_session: Path, tmp_path: Path) -> None:
    """Whatever record a page's document is in, before and after."""
    before = Session.open(good_session)
    for number, site in enumerate(sites_of(before)):
        forget(before, tmp_path / str(number), sites=[site])
        after = Session.open(tmp_path / str(number))
        then, now = documents(before), documents(after)
        assert now == {url: document for url, document in then.items() if url in now}
        assert now.keys() == {url for url in then if site_of(url) != site}


def documents(session: Session) -> dict[str, bytes]:
    """The body of each page that has one, in its own record or the one that this refers to."""
    bodies = {
        member.field("WARC-Target-URI"): member.block.partition(b"\r\n\r\n")[2]
        for member in members(session)
        if member.field("WARC-Type") == "response" and not member.field("X-Crawler-Purpose")
    }
    found = {}
    for member in members(session):
        url = member.field("WARC-Target-URI")
        if member.field("WARC-Type") == "revisit" and member.field("WARC-Profile").endswith("identical-payload-digest"):
            found[url] = bodies[member.field("WARC-Refers-To-Target-URI")]
        elif url in bodies:
            found[url] = bodies[url]
    return found


def test_a_domain_is_forgotten_with_all_its_sites(good_session: Path, tmp_path: Path) -> None:
    before = Session.open(good_session)
    domain = domain_of(sites_of(before)[0])
    forget(before, tmp_path / "out", domains=[domain])
    assert check_session(tmp_path / "out").is_good
    assert all(domain_of(site) != domain for site in sites_of(Session.open(tmp_path / "out")))


def test_what_is_forgotten_twice_is_recorded_twice(good_session: Path, tmp_path: Path) -> None:
    first, second, *_ = sites_of(Session.open(good_session))
    forget(Session.open(good_session), tmp_path / "one", sites=[first])
    forget(Session.open(tmp_path / "one"), tmp_path / "two", sites=[second])
    told = Session.open(tmp_path / "two").header.get("forgotten", [])
    assert [one["sites"] for one in told] == [[first], [second]]
    assert check_session(tmp_path / "two").is_good


def test_forgetting_a_site_that_is_not_there_changes_nothing(good_session: Path, tmp_path: Path) -> None:
    before = Session.open(good_session)
    unknown: list[str] = []
    told = forget(
        before,
        tmp_path / "out",
        sites=["nowhere.example"],
        domains=["nowhere.example", "else.example"],
        unknown=unknown.append,
    )
    assert unknown == ["nowhere.example", "nowhere.example", "else.example"]
    after = Session.open(tmp_path / "out")
    assert (told["urls"], told["pages"], told["records"], told["bodies_moved"]) == (0, 0, 0, 0)
    for table in TABLES:
        assert rows(after, table) == rows(before, table)
    for old, new in zip(before.warc_files(), after.warc_files(), strict=True):
        assert old.path.read_bytes()[: old.bytes] == new.path.read_bytes()
    assert check_session(tmp_path / "out").is_good


def test_a_folder_that_is_taken_is_left_alone(good_session: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(SessionError, match="exists and is not empty"):
        forget(Session.open(good_session), tmp_path, sites=["a.example"])
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_damaged_session_leaves_nothing_behind(session_copy: Path, tmp_path: Path) -> None:
    session = Session.open(session_copy)
    warc = session.warc_files()[0]
    with warc.path.open("r+b") as file:
        file.seek(warc.bytes - 30)
        file.write(b"damage")
    with pytest.raises(SessionError, match="is damaged"):
        forget(session, tmp_path / "out", sites=["a.example"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["session"]


def test_no_file_names_the_site_but_those_of_others(good_session: Path, tmp_path: Path) -> None:
    """A word of the site may stand in bodies of other sites' pages, and in the record of what was forgotten."""
    before = Session.open(good_session)
    site = sites_of(before)[0]
    forget(before, tmp_path / "out", sites=[site])
    header = json.loads((tmp_path / "out" / "session.json").read_text())
    assert header.pop("forgotten")[0]["sites"] == [site]
    assert f"//{site}/" not in json.dumps(header)
    for path in (tmp_path / "out").rglob("*.json"):
        if path.name != "session.json":
            assert f"//{site}/" not in path.read_text()
    for path in (tmp_path / "out").rglob("*.warc.gz"):
        heads = [b"\n".join(member.lines) for member in warc_members(path, path.stat().st_size)]
        assert f"//{site}/".encode() not in b"\n".join(heads)
        assert gzip.decompress(path.read_bytes())


def _without(row: dict[str, Any], columns: set[str]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in columns}


def test_a_site_is_forgotten_in_a_compacted_session(session_copy: Path, tmp_path: Path) -> None:
    compact_session(session_copy, lambda what, done, total: None)
    session = Session.open(session_copy)
    for number, site in enumerate(sites_of(session)):
        forget(session, tmp_path / str(number), sites=[site])
        assert check_session(tmp_path / str(number)).problems == {}
        left = Session.open(tmp_path / str(number))
        assert left.epoch_count == session.epoch_count
        assert {row["url"] for row in rows(left, "pages")} == {
            row["url"] for row in rows(session, "pages") if row["site"] != site
        }
