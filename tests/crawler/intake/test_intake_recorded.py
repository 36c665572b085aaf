"""What becomes of a page that a recording has: its row and its links are taken as they were."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from crawler.network.web import Recorded, Request, Response
from crawler.urls.targets import listed
from sessions.schema import EMBEDDED, NOFOLLOW, REDIRECT, Page
from sessions.url import site_of, url_hash
from tests.crawler.support.intake_ranks import RUN, Crawl, links, rows
from tests.crawler.support.single_rank_discovery import way_to

A, B, C, D = (f"http://a.example/{name}" for name in "abcd")


def recorded(url: str, found: dict[str, int], **facts: object) -> Response:
    """The response of a recording, in which everything that is a crawl's own has other values."""
    page = Page(
        url=url,
        hash=url_hash(url),
        site=site_of(url),
        status=200,
        bytes=70,
        decoded_bytes=90,
        content_type="text/html",
        content_encoding="gzip",
        content_digest=b"d" * 20,
        etag='"e"',
        last_modified="then",
        fetched=datetime(2020, 5, 6, tzinfo=UTC),
        milliseconds=12.5,
        depth=99,
        hops=9,
        ip="192.0.2.9",
        truncated=None,
        simhash=5,
        rank=7,
        superstep=77,
        run="another",
        warc_file=None,
        warc_offset=None,
        error=None,
        redirect=None,
        noindex=True,
        nofollow=False,
    )._replace(**facts)  # type: ignore[arg-type]
    return Response(
        Request(url, None), status=page.status, recorded=Recorded(page, listed(list(found), list(found.values())))
    )


def crawl_without_bodies(path: Path) -> Crawl:
    return Crawl(path, store_bodies=False)


def test_a_row_is_taken_as_it_was_but_for_what_is_this_crawls(tmp_path: Path) -> None:
    crawl = crawl_without_bodies(tmp_path / "session")
    response = recorded(A, {})
    crawl.superstep(response)
    assert response.recorded is not None
    row = rows(crawl.end())[A]
    expected = response.recorded.page._replace(depth=0, hops=0, rank=0, superstep=0, run=RUN)
    assert row == expected._asdict()


def test_links_keep_their_order_and_flags_and_lead_one_further(tmp_path: Path) -> None:
    crawl = crawl_without_bodies(tmp_path / "session")
    crawl.superstep(recorded(A, {C: EMBEDDED, B: NOFOLLOW, D: 0}))
    (taker,) = crawl.takers
    assert [way_to(taker.discovery, url) for url in (B, C, D)] == [(1, 0)] * 3
    assert taker.ordering.take(9).urls == [A, C, B, D]
    assert taker.counters.links == 3


def test_a_redirect_is_a_hop_and_no_step(tmp_path: Path) -> None:
    crawl = crawl_without_bodies(tmp_path / "session")
    crawl.superstep(recorded(A, {B: REDIRECT}, status=302, redirect=B))
    crawl.superstep(recorded(B, {C: REDIRECT | EMBEDDED}, status=302, redirect=C))
    crawl.superstep(recorded(C, {D: 0}))
    session = crawl.end()
    assert {url: (row["depth"], row["hops"]) for url, row in rows(session).items()} == {A: (0, 0), B: (0, 1), C: (0, 2)}
    assert way_to(crawl.takers[0].discovery, D) == (1, 0)
    assert links(session) == {(A, B, REDIRECT), (B, C, REDIRECT | EMBEDDED), (C, D, 0)}


def test_what_was_fetched_is_counted(tmp_path: Path) -> None:
    crawl = crawl_without_bodies(tmp_path / "session")
    crawl.superstep(recorded(A, {B: 0}), recorded(C, {}, status=404, error="disconnect"))
    counters = crawl.takers[0].counters
    assert (counters.fetched, counters.bytes, counters.decoded_bytes) == (2, 140, 180)
    assert counters.statuses == {200: 1, 404: 1}
    assert counters.defects == {"disconnect": 1}


@pytest.mark.parametrize("store_bodies", [False, True])
def test_no_body_is_kept(tmp_path: Path, store_bodies: bool) -> None:
    crawl = Crawl(tmp_path / "session", store_bodies=store_bodies)
    crawl.takers[0].take(recorded(A, {}))
    assert crawl.takers[0].recorder.close_epoch()["warc"] == []
