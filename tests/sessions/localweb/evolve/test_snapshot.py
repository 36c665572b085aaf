"""A WARC file's web in facts: what is a page, what can be changed, who links to whom, where crawls start."""

import gzip
from pathlib import Path

import pytest

from sessions.localweb.evolve.snapshot import BORN_HEADER, Snapshot, decoded, take_snapshot
from sessions.localweb.generate.make import MadeWeb
from sessions.localweb.serve.response import Response
from sessions.localweb.web_files import seeds_path
from sessions.storage.warc_index import build_index
from tests.sessions.conftest import WriteWarc
from tests.sessions.localweb.support.warcs import record_bytes, response

HTML = "Content-Type: text/html"
A = "http://a.example/"


def snapshot(path: Path) -> Snapshot:
    return take_snapshot(path, build_index([path]), lambda *_: None)


def page(url: str, html: str, *headers: str, date: str = "2020-01-01T00:00:00Z") -> bytes:
    return record_bytes("response", url, response(html.encode(), HTML, *headers), f"WARC-Date: {date}")


def links(web: Snapshot, url: str) -> list[str]:
    return [web.urls[target] for target in web.targets[web.urls.index(url)]]


def test_a_made_web_is_known(made: MadeWeb) -> None:
    web = snapshot(made.path)
    assert web.is_page.sum() == web.is_editable.sum() == made.pages
    assert len(web.entries) == made.pages + made.redirects + made.robots
    assert sum(map(len, web.targets)) == made.links + made.redirects
    assert len(web.urls) - len(web.entries) == made.missing
    assert web.seeds == made.seeds
    assert web.html_bytes == made.html_bytes
    assert len(web.sites) == made.sites
    assert web.date == 1_704_067_200
    assert not web.is_born.any()
    private = [number for number, url in enumerate(web.urls[: len(web.entries)]) if "/private/" in url]
    with_robots = {url.split("/")[2] for url in web.urls if url.endswith("/robots.txt")}
    hubs = {web.urls[number] for number in private if web.is_hub[number]}
    assert not {url for url in hubs if url.split("/")[2] in with_robots}


def test_kinds_of_records_are_told_apart(write_warc: WriteWarc) -> None:
    packed = gzip.compress(b"<a href=/2>two</a>")
    path = write_warc(
        (
            page(A, '<a href=1>x</a><a href="1#f">x</a><iframe src=1></iframe><a rel=nofollow href=/2>y</a>'),
            page(A + "born", "<p>x</p>", f"{BORN_HEADER}: 2020-01-01", date="2020-03-01T12:00:00.5Z"),
            record_bytes("response", A + "gz", response(packed, HTML, "Content-Encoding: gzip")),
            record_bytes("response", A + "broken", response(packed[:-9], HTML, "Content-Encoding: gzip")),
            record_bytes("response", A + "wide", response("<a href=/1>".encode("utf-16"), HTML)),
            record_bytes("response", A + "moved", response(b"", "Location: ./1", status="301 Moved")),
            record_bytes("response", A + "image", response(b"<a href=/1>", "Content-Type: image/png")),
            record_bytes("response", A + "gone", response(b"<a href=/1>", HTML, status="404 Not Found")),
            record_bytes("response", A + "strange", b"no HTTP at all"),
            page(A + "no/1", "<p>x</p>"),
            record_bytes("response", A + "robots.txt", response(b"User-agent: x\nDisallow: /no/*.html\n")),
        )
    )
    web = snapshot(path)
    number = {url.removeprefix(A): record for record, url in enumerate(web.urls[: len(web.entries)])}
    pages = {name for name, record in number.items() if web.is_page[record]}
    assert pages == {"", "born", "gz", "broken", "wide", "no/1"}
    assert {name for name in pages if web.is_editable[number[name]]} == {"", "born", "gz", "no/1"}
    assert {name for name in pages if web.is_hub[number[name]]} == {"", "born", "gz"}
    assert [name for name in pages if web.is_born[number[name]]] == ["born"]
    assert links(web, A) == [A + "1", A + "2"]
    assert web.is_loose[0].tolist() == [False, True]
    assert web.is_followed[0].tolist() == [True, False]
    assert links(web, A + "gz") == [A + "2"]
    assert links(web, A + "moved") == [A + "1"]
    assert not any(links(web, A + name) for name in ("image", "gone", "strange", "broken"))
    assert web.date == 1_583_064_000.5
    assert web.gzipped == 1
    assert len(set(web.urls)) == len(web.urls)


def test_seeds_are_listed_or_roots_or_hubs(write_warc: WriteWarc) -> None:
    records = [
        page(A, ""),
        page(A + "x", ""),
        page("http://b.example/x", ""),
        page("http://b.example/y", "<a href=x>x</a>"),
    ]
    path = write_warc(records)
    assert snapshot(path).seeds == [A, "http://b.example/y"]
    seeds_path(path).write_text("http://A.example/x\nnonsense\nhttp://c.example/\nhttp://b.example/x\n")
    assert snapshot(path).seeds == [A + "x", "http://b.example/x"]


def test_a_file_without_pages_or_dates(write_warc: WriteWarc) -> None:
    with pytest.raises(ValueError, match="no HTML page"):
        snapshot(write_warc([record_bytes("response", A, response(b"x"))], "empty.warc"))
    assert snapshot(write_warc([record_bytes("response", A, response(b"x", HTML))])).date == 1_704_067_200


def test_bodies_are_decoded_or_given_up() -> None:
    def of(body: bytes, encoding: bytes) -> bytes | None:
        return decoded(Response(200, b"OK", ((b"Content-Encoding", encoding),), body))

    twice = gzip.compress(b"one") + gzip.compress(b"two")
    assert of(b"x", b"identity") == b"x"
    assert of(twice, b"GZip") == b"onetwo"
    assert [of(body, b"gzip") for body in (b"\x1f\x8b", twice[:12] + b"zzz", b"no")] == [None, None, None]
    assert of(b"x", b"br") is None
