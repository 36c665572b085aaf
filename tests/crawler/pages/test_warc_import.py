"""Sessions from WARC files: what a crawl would have recorded, of its own files and of others'."""

import gzip
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from fastwarc.warc import ArchiveIterator

from crawler.pages import warc_import
from crawler.pages.warc_import import WarcSession, import_warcs
from crawler.replay.recordedweb.stored_bodies import index_of
from sessions.analysis.difference import difference
from sessions.checking.check import check_session
from sessions.importing.source import SourceError
from sessions.localweb.generate.make import make_web
from sessions.localweb.serve.response import read_response
from sessions.schema import EMBEDDED, NOFOLLOW, REDIRECT
from sessions.session import Session, SessionError
from sessions.storage.warc import PURPOSE, ROBOTS
from sessions.storage.warc_index import build_index
from sessions.version import software_version
from tests.crawler.support.fake_web import SEED, Answer, Crawls, page, redirect, robots_txt
from tests.sessions.checking.test_check_warc import accepted_by_warcio

OK = "HTTP/1.1 200 OK"
HTML = "Content-Type: text/html"
UNKNOWN = {"milliseconds", "depth", "hops", "superstep", "run", "warc_file", "warc_offset"}
"""What a WARC file does not tell of a page."""


def response(
    url: str, body: bytes = b"", *headers: str, status: str = OK, kind: str = "response", fields: Sequence[str] = ()
) -> bytes:
    """A WARC record."""
    block = "\r\n".join((status, *headers, "", "")).encode("latin-1") + body
    lines = ["WARC/1.0", f"WARC-Type: {kind}", f"WARC-Target-URI: {url}", *fields, f"Content-Length: {len(block)}"]
    if not any(line.startswith("WARC-Date") for line in lines):
        lines.append("WARC-Date: 2020-01-02T03:04:05Z")
    return "\r\n".join((*lines, "", "")).encode() + block + b"\r\n\r\n"


def linking(url: str, *targets: str, **facts: Any) -> bytes:
    """A record of a page with these links."""
    return response(url, "".join(f"<a href='{target}'>x</a>" for target in targets).encode(), HTML, **facts)


class Imported:
    """An import and the session that it made, in which nothing is wrong."""

    def __init__(self, out: Path, counts: WarcSession, warnings: list[str]) -> None:
        findings = check_session(out)
        assert findings.is_good, findings.problems
        self.session, self.counts, self.warnings = Session.open(out), counts, warnings
        self.names = {row["hash"]: row["url"] for row in self.session.read("urls").to_pylist()}

    def pages(self) -> dict[str, dict[str, Any]]:
        return {row["url"]: row for row in self.session.read("pages").to_pylist()}

    def links(self) -> dict[tuple[str, str], int]:
        rows = self.session.read("links").to_pylist()
        return {(self.names[row["source"]], self.names[row["target"]]): row["flags"] for row in rows}

    def frontier(self) -> dict[str, str]:
        return {self.names[row["hash"]]: row["reason"] for row in self.session.read("frontier").to_pylist()}


def imported(folder: Path, *files: Sequence[bytes], name: str = "x.warc.gz") -> Imported:
    paths = []
    for number, parts in enumerate(files):
        paths.append(folder / f"{number}-{name}")
        paths[-1].write_bytes(b"".join(gzip.compress(part) if name.endswith(".gz") else part for part in parts))
    warnings: list[str] = []
    counts = import_warcs(paths, folder / "out", warn=warnings.append)
    return Imported(folder / "out", counts, warnings)


def facts(session: Session) -> pa.Table:
    """The pages table without what a WARC file does not tell."""
    pages = session.read("pages")
    return pages.drop_columns(sorted(UNKNOWN)).sort_by("hash")


def assert_same(crawled: Session, again: Session) -> None:
    """Both have the same pages and links."""
    assert facts(again).equals(facts(crawled))
    order = [("source", "ascending"), ("target", "ascending")]
    assert again.read("links").sort_by(order).equals(crawled.read("links").sort_by(order))


@pytest.mark.parametrize("is_gzipped", [False, True])
def test_a_crawls_own_files_give_its_pages_and_links(tmp_path: Path, crawls: Crawls, is_gzipped: bool) -> None:
    made = make_web(tmp_path / "web.warc.gz", sites=8, pages=250, seed=3, links=10.0, robots=0.3, gzip=is_gzipped)
    index = build_index([made.path])
    script = {}
    for url, entry in index.entries.items():
        stored = read_response(entry)
        headers = tuple(f"{name.decode()}: {value.decode()}" for name, value in stored.headers)
        script[url] = Answer(stored.body, stored.status, headers)
    crawled = crawls(script, *index.roots(), duplicates=False)
    assert crawled.report["fetched"] > 150
    warcs = [warc.path for warc in crawled.session.warc_files()]
    counts = import_warcs(warcs, tmp_path / "again")
    again = Imported(tmp_path / "again", counts, [])
    assert_same(crawled.session, again.session)
    assert (counts.repeated, counts.foreign, counts.unreadable) == (0, 0, 0)
    assert counts.queued == sum(crawled.report[state] for state in ("failed", "filtered", "queued"))


def test_a_crawl_with_all_kinds_of_answers(tmp_path: Path, crawls: Crawls) -> None:
    koi8 = ("Content-Type: text/html; charset=koi8-r", 'ETag: "1"', "Last-Modified: yesterday")
    crawled = crawls(
        {
            SEED: Answer(b"<a href=/r>a</a><a href=/n rel=nofollow>b</a><iframe src=/f></iframe><a href=/>self</a>"
                         b"<a href=/t>t</a><a href=/u>u</a><a href=/gone>g</a><a href=/br>z</a><a href=/h>h</a>"),
            "http://a.example/r": redirect("/target#x"),
            "http://a.example/h": redirect("/h"),
            "http://a.example/n": Answer("<a href='?\u0434'>".encode("koi8-r"), headers=koi8),
            "http://a.example/f": Answer(gzip.compress(b"<a href=/x>"), headers=(HTML, "Content-Encoding: gzip")),
            "http://a.example/t": Answer(b"<a href=/x>", headers=("Content-Type: text/plain",)),
            "http://a.example/u": Answer(b"<html><a href=/y>", headers=("Transfer-Encoding: chunked",)),
            "http://a.example/br": Answer(b"...", headers=(HTML, "Content-Encoding: br")),
            "http://a.example/x": page("https://b.example:8443/", status=500),
        },
        retries=0,
        duplicates=False,
    )  # fmt: skip
    warcs = [warc.path for warc in crawled.session.warc_files()]
    again = Imported(tmp_path / "again", import_warcs(warcs, tmp_path / "again"), [])
    assert_same(crawled.session, again.session)
    home = "http://a.example/"
    flags = again.links()
    assert flags[home, f"{home}n"] == NOFOLLOW
    assert flags[home, f"{home}f"] == EMBEDDED
    assert flags[f"{home}r", f"{home}target"] == REDIRECT
    assert (home, home) not in flags


def test_robots_txt_files_are_in_a_crawls_files_and_are_no_pages(tmp_path: Path, crawls: Crawls) -> None:
    """Unless one is fetched as a page because a page links to it; then it is both."""
    home, robots = "http://a.example/", "http://a.example/robots.txt"
    crawled = crawls(
        {
            home: page(robots, "https://b.example/", "http://c.example/"),
            robots: [redirect("/rules"), robots_txt("as a page")],
            "http://a.example/rules": robots_txt("User-agent: *\nDisallow: /x"),
            "https://b.example/robots.txt": redirect("https://b.example/"),
            "https://b.example/": [Answer(b"as robots.txt"), page(home)],
        },
        lost={"c.example": "dns"},
        user_agent="bot/1.0",
        contact="me@a.example",
    )
    (warc,) = [file.path for file in crawled.session.warc_files()]
    assert accepted_by_warcio(warc)
    information, *records = list(ArchiveIterator(str(warc)))
    kept = [
        (record.headers["WARC-Target-URI"], record.http_headers.status_code)
        for record in records
        if record.headers.get(PURPOSE) == ROBOTS and record.headers["WARC-Type"] == "response"
    ]
    assert sorted(kept) == [
        ("http://a.example/robots.txt", 302),
        ("http://a.example/rules", 200),
        ("https://b.example/", 200),
        ("https://b.example/robots.txt", 302),
    ]
    assert {record.headers["WARC-Warcinfo-ID"] for record in records} == {information.headers["WARC-Record-ID"]}
    again = Imported(tmp_path / "again", import_warcs([warc], tmp_path / "again"), [])
    assert_same(crawled.session, again.session)
    assert set(again.pages()) == {home, robots, "https://b.example/"}
    assert again.counts.robots == len(kept)
    index = build_index([warc])
    assert index.entries.keys() == again.pages().keys()
    assert b"as a page" in read_response(index.entries[robots]).body
    assert index_of(crawled.session).entries.keys() == index.entries.keys()
    assert difference(crawled.session, again.session).as_dict()["total"]["pages"]["kept"] == 3


def test_a_crawls_files_say_whose_they_are(crawls: Crawls) -> None:
    crawled = crawls({SEED: page()}, user_agent="bot/1.0", contact="me@a.example")
    (warc,) = [file.path for file in crawled.session.warc_files()]
    information = next(iter(ArchiveIterator(str(warc))))
    fields = dict(line.split(": ", 1) for line in information.reader.read().decode().splitlines())
    assert fields["software"] == f"cutweb/{software_version()}"
    assert fields["http-header-user-agent"] == "bot/1.0 (+me@a.example)"
    assert fields["operator"] == "me@a.example"
    assert fields["robots"] == "RFC 9309"
    assert fields["hostname"] == socket.gethostname()
    assert {"format", "conformsTo"} <= fields.keys()


@pytest.mark.parametrize(
    ("software", "pages"), [(b"", 1), (b"software: other/1\r\nrobots: classic", 1), (b"software: cutweb\r\n", 1),
                            (b"Software: cutweb/9\r\nRobots: RFC 9309", 2)],
)  # fmt: skip
def test_a_robots_txt_that_others_kept_is_no_page(tmp_path: Path, software: bytes, pages: int) -> None:
    begin = [response("", software, kind="warcinfo")] if software else []
    robots = [response("http://a.example/robots.txt"), linking("http://a.example/robots.txt?q", "/robots.txt")]
    made = imported(tmp_path, [*begin, *robots], name="x.warc")
    assert made.counts.robots == 2 - pages
    assert len(made.pages()) == pages
    assert made.counts.queued == 2 - pages


def test_what_pages_ask_of_robots_is_recorded(tmp_path: Path, crawls: Crawls) -> None:
    crawled = crawls(
        {
            SEED: Answer(b"<meta name=robots content=noindex><a href=/a>"),
            "http://a.example/a": page("/b", headers=(HTML, "X-Robots-Tag: nofollow")),
        }
    )
    warcs = [warc.path for warc in crawled.session.warc_files()]
    again = Imported(tmp_path / "again", import_warcs(warcs, tmp_path / "again"), [])
    assert_same(crawled.session, again.session)
    rows = again.session.read("pages", ["url", "noindex", "nofollow"]).to_pylist()
    asked = {row["url"]: (row["noindex"], row["nofollow"]) for row in rows}
    home = "http://a.example/"
    assert asked == {home: (True, False), f"{home}a": (False, True), f"{home}b": (False, False)}
    assert again.links() == {(home, f"{home}a"): 0, (f"{home}a", f"{home}b"): NOFOLLOW}


def test_a_body_that_was_cut_is_a_cut_page(tmp_path: Path, crawls: Crawls) -> None:
    crawled = crawls({SEED: page("/a", truncated="length", error="size")})
    warcs = [warc.path for warc in crawled.session.warc_files()]
    again = Imported(tmp_path / "again", import_warcs(warcs, tmp_path / "again"), [])
    row = again.pages()[SEED]
    assert (row["truncated"], row["error"], row["bytes"]) == ("length", None, crawled.page(SEED)["bytes"])
    assert set(again.links()) == {(SEED, "http://a.example/a")}


@pytest.mark.parametrize("name", ["x.warc", "x.warc.gz"])
def test_files_of_others(tmp_path: Path, name: str) -> None:
    date = "WARC-Date: 2021-02-03T04:05:06.789Z"
    made = imported(
        tmp_path,
        [
            response("", b"software: x", kind="warcinfo"),
            response("<http://A.example>", b"<a href=b>", HTML, fields=[date, "WARC-IP-Address: 192.0.2.7"]),
            response("http://a.example/", b"<a href=zzz>", HTML, kind="request"),
            response("http://a.example/", b"<a href=zzz>", HTML, kind="metadata"),
            response("http://a.example/b", b"", kind="revisit"),
            response("dns:a.example", b"1.2.3.4"),
            response("ftp://a.example/x", b"", HTML),
        ],
        [
            linking("http://a.example/#again", "/other"),
            linking("http://c.example/", "/", "/#x", "/d", "/d?", "/d", "http://a.example/", "mailto:x@y"),
            response("http://c.example/d", b"5\r\nhello\r\n0\r\n\r\n", "Transfer-Encoding: chunked"),
        ],
        name=name,
    )
    first, second, third = "http://a.example/", "http://c.example/", "http://c.example/d"
    assert list(made.pages()) == [first, second, third]
    assert made.pages()[first]["fetched"].isoformat() == "2021-02-03T04:05:06.789000+00:00"
    assert made.pages()[first]["ip"] == "192.0.2.7"
    assert made.pages()[third]["bytes"] == made.pages()[third]["decoded_bytes"] == 5
    assert made.links() == dict.fromkeys(
        [(first, f"{first}b"), (second, third), (second, f"{third}?"), (second, first)], 0
    )
    assert made.frontier() == {f"{first}b": "not-imported", f"{third}?": "not-imported"}
    size = sum(row["bytes"] for row in made.pages().values())
    assert made.counts == WarcSession(pages=3, links=4, bytes=size, queued=2, repeated=1, foreign=2, unreadable=0)
    assert made.session.header["configuration"]["import"] == "warc"
    assert len(made.session.header["configuration"]["warc"]) == 2


def test_the_files_are_named_so_that_they_are_found_from_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported(tmp_path, [linking("http://a.example/")])
    monkeypatch.chdir(tmp_path)
    import_warcs([Path("0-x.warc.gz")], tmp_path / "again")
    assert Session.open("again").header["configuration"]["warc"] == [str(tmp_path / "0-x.warc.gz")]


def test_a_page_that_was_linked_to_before_is_no_frontier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warc_import, "LINKS_PER_BATCH", 2)
    pages = [f"http://a.example/{number}" for number in range(20)]
    made = imported(tmp_path, [linking(url, *pages[number:], *pages) for number, url in enumerate(pages)])
    assert made.counts == WarcSession(20, 20 * 19, made.counts.bytes)
    assert made.frontier() == {}


def test_what_is_no_response_is_left_out_with_a_warning(tmp_path: Path) -> None:
    parts = [linking("http://a.example/", "/b"), response("http://a.example/b", b"x", status="ICY 200 OK")]
    made = imported(tmp_path, parts, name="x.warc")
    assert made.warnings == [
        f"{tmp_path}/0-x.warc: offset {len(parts[0])}: no HTTP response in the record of http://a.example/b; left out"
    ]
    assert (made.counts.unreadable, made.counts.pages, made.counts.queued) == (1, 1, 1)


def test_bodies_that_an_archive_decoded(tmp_path: Path) -> None:
    """As Common Crawl writes them: the headers that are no longer true are renamed."""
    body = b"<a href=/x>"
    headers = [HTML, "X-Crawler-Content-Encoding: gzip", "X-Crawler-Content-Length: 900", "Content-Length: 11"]
    row = (made := imported(tmp_path, [response(SEED, body, *headers)])).pages()[SEED]
    assert (row["bytes"], row["decoded_bytes"], row["content_encoding"], row["error"]) == (11, 11, None, None)
    assert set(made.links()) == {(SEED, f"{SEED}x")}


@pytest.mark.parametrize(
    ("fields", "body", "truncated"),
    [
        (["WARC-Truncated: Length"], b"x", "length"),
        (["WARC-Truncated: because"], b"x", "unspecified"),
        ([], b"5\r\nhel", "unspecified"),
        ([], b"x", None),
    ],
)
def test_bodies_that_break_off(tmp_path: Path, fields: list[str], body: bytes, truncated: str | None) -> None:
    made = imported(tmp_path, [response(SEED, body, "Transfer-Encoding: chunked", fields=fields)])
    assert made.pages()[SEED]["truncated"] == truncated


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ([[response(SEED, b"x")], [b"no WARC file"]], "/1-x.warc: is not a WARC file"),
        ([[response(SEED, b"x"), response(SEED)[:50]]], "/0-x.warc: offset "),
        ([[response("http://a.example/x", fields=["WARC-Date: soon"])]], "offset 0: .* has WARC-Date 'soon'"),
        ([[response(SEED, kind="request")]], "/0-x.warc: no pages"),
    ],
)
def test_nothing_is_left_of_an_import_that_fails(tmp_path: Path, files: list[list[bytes]], message: str) -> None:
    with pytest.raises(SourceError, match=message):
        imported(tmp_path, *files, name="x.warc")
    assert all(path.suffix == ".warc" for path in tmp_path.iterdir())


def test_a_folder_that_is_taken(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("")
    with pytest.raises(SessionError, match="not empty"):
        import_warcs([tmp_path / "none"], tmp_path)
