"""What is made of what pages ask of robots, honoured and not; the session passes the check either way."""

from pathlib import Path

import pytest

from sessions.schema import EMBEDDED, NOFOLLOW, REDIRECT
from tests.crawler.support.intake_ranks import Crawl, answer, html, links, records, rows

A = "http://a.example/"
PAGES = [
    html(f"{A}plain", b"<a href=/1><a rel=nofollow href=/2>"),
    html(f"{A}meta", b"<meta name=robots content='noindex, nofollow'><a href=/3><iframe src=/4></iframe>"),
    html(f"{A}ours", b"<meta name=CutWeb content=noindex><a href=/5>"),
    html(f"{A}others", b"<meta name=otherbot content=none><a href=/6>", b"X-Robots-Tag: thatbot: none"),
    html(f"{A}header", b"<a href=/7>", b"X-Robots-Tag: noarchive", b"x-robots-tag: cutweb: nofollow"),
    answer(f"{A}file", b"%PDF", b"X-Robots-Tag: none"),
    answer(f"{A}moved", b"", b"Location: /8", b"X-Robots-Tag: none", status=301),
]
NOINDEX = {f"{A}meta", f"{A}ours", f"{A}file", f"{A}moved"}
NOFOLLOWS = {f"{A}meta", f"{A}header", f"{A}file", f"{A}moved"}


@pytest.mark.parametrize("honours", [False, True])
def test_what_pages_ask_is_recorded_and_can_be_honoured(tmp_path: Path, honours: bool) -> None:
    crawl = Crawl(tmp_path, agent="cutweb", honours_noindex=honours)
    crawl.superstep(*PAGES)
    counters = crawl.takers[0].counters
    session = crawl.end()
    found = rows(session)
    assert {url for url, row in found.items() if row["noindex"]} == NOINDEX
    assert {url for url, row in found.items() if row["nofollow"]} == NOFOLLOWS
    assert set(records(session)) == found.keys() - (NOINDEX if honours else set())
    assert {url for url, row in found.items() if row["warc_file"] is None} == (NOINDEX if honours else set())

    def known(number: int, is_followed: bool = False) -> str:
        return f"{A}{number}" if is_followed or not honours else ""

    assert links(session) == {
        (f"{A}plain", known(1, True), 0),
        (f"{A}plain", known(2), NOFOLLOW),
        (f"{A}meta", known(3), NOFOLLOW),
        (f"{A}meta", known(4), NOFOLLOW | EMBEDDED),
        (f"{A}ours", known(5, True), 0),
        (f"{A}others", known(6, True), 0),
        (f"{A}header", known(7), NOFOLLOW),
        (f"{A}moved", known(8, True), REDIRECT),
    }
    assert counters.links_nofollow == (4 if honours else 0)
    assert counters.links == 8
