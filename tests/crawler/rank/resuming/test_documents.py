"""Which documents are known again from the pages table, against a dict."""

import gzip
from hashlib import sha1
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.intake.comparisons import PageComparisons
from crawler.intake.duplicates.content_messages import ContentQuestion, First, Wanted
from crawler.intake.duplicates.content_seen import ContentSeen
from crawler.intake.intake import _is_whole
from crawler.pages.page_row import page_row
from crawler.pages.response_reader import read
from crawler.rank.resuming import documents as module
from crawler.rank.resuming.documents import COLUMNS, tell_of_documents
from sessions.schema import Page
from sessions.url import url_hash
from tests.crawler.rank.resuming.support.table_rows import batches_of
from tests.crawler.support.documents import PLENTY, question, waiting_page, waiting_pages
from tests.crawler.support.intake_ranks import START, Crawl, html
from tests.crawler.support.thread_ranks import FakeExchange, on_ranks

LITTLE = 1 << 14
"""Memory for a few dozen documents."""
CONTENTS = "abcdefgh"


def page(number: int, content: str, **facts: Any) -> Page:
    """The row of a page with a content."""
    response = html(f"http://a.example/{number}", content.encode(), started=START + number)
    row = page_row(url_hash(response.request.url), response, read(response, 1000), run="r")
    return row._replace(**{"warc_file": "w", **facts})


FACTS = st.fixed_dictionaries(
    {},
    optional={
        "status": st.sampled_from([206, 304, 404]),
        "truncated": st.just("length"),
        "error": st.just("compression"),
        "warc_file": st.none(),
        "content_digest": st.none(),
        "duplicate_of": st.just(7),
        "payload_digest": st.sampled_from([bytes(20), b"x" * 20]),
    },
)
PAGES = st.lists(st.tuples(st.sampled_from(CONTENTS), FACTS), max_size=24).map(
    lambda drawn: [page(number, content, **facts) for number, (content, facts) in enumerate(drawn)]
)


@settings(deadline=None, derandomize=True, max_examples=60)
@given(PAGES, st.integers(1, 3), st.booleans(), st.integers(1, 4), st.sampled_from([PLENTY, LITTLE]), st.data())
def test_what_was_compared_is_known_on_whatever_rank_the_rows_are_read(
    pages: list[Page], ranks: int, stores_bodies: bool, at_once: int, memory: int, data: st.DataObject
) -> None:
    readers = [data.draw(st.integers(0, ranks - 1)) for _ in pages]
    firsts: dict[bytes, list[First]] = {}
    for row in pages:
        if _is_whole(row) and row.duplicate_of is None and (row.warc_file or not stores_bodies):
            assert row.content_digest is not None
            is_same = row.payload_digest in (None, row.content_digest)
            first = First(row.hash, row.url if is_same else "", row.fetched.timestamp())
            firsts.setdefault(row.content_digest, []).append(first)

    def go_on(exchange: FakeExchange) -> list[First | None]:
        seen = ContentSeen(Path(folder) / str(exchange.rank), memory)
        own = [row._asdict() for row, reader in zip(pages, readers, strict=True) if reader == exchange.rank]
        batches = batches_of("pages", own, COLUMNS, 2)
        tell_of_documents(batches, seen, exchange, stores_bodies=stores_bodies)
        new = [question(f"http://{exchange.rank}.example/{content}", content) for content in CONTENTS]
        told = seen.ask(exchange, new if exchange.rank == ranks - 1 else [], wants=Wanted.ALL_NOW)
        seen.close()
        return [known.first_with(one) if known is not None else None for known, one in zip(told, new, strict=False)]

    with TemporaryDirectory() as folder, patch.object(module, "PAGES_AT_ONCE", at_once):
        told = on_ranks(ranks, go_on)[-1]
    for content, first in zip(CONTENTS, told, strict=True):
        possible = firsts.get(sha1(content.encode()).digest())
        assert first in possible if possible else first is None


def test_ranks_without_rows_take_part_until_the_last_has_told_all(tmp_path: Path) -> None:
    pages = [page(number, f"{number}") for number in range(300)]

    def go_on(exchange: FakeExchange) -> int:
        seen = ContentSeen(tmp_path / str(exchange.rank), LITTLE)
        own = [row._asdict() for row in pages] if exchange.rank == 1 else []
        tell_of_documents(batches_of("pages", own, COLUMNS, 100), seen, exchange, stores_bodies=True)
        new = [question(f"http://b.example/{number}", f"{number}") for number in range(300)]
        return sum(
            known is not None for known in seen.ask(exchange, new if exchange.rank == 0 else [], wants=Wanted.ALL_NOW)
        )

    with patch.object(module, "PAGES_AT_ONCE", 50):
        assert on_ranks(3, go_on) == [300, 0, 0]


@pytest.mark.parametrize("is_packed", [False, True])
def test_a_body_that_comes_again_in_the_same_encoding_is_stored_once(tmp_path: Path, is_packed: bool) -> None:
    """What an intake records is enough to know a document and its payload again."""
    document = b"<p>the same everywhere"
    body = gzip.compress(document, mtime=0) if is_packed else document
    coding = [b"Content-Encoding: gzip"] if is_packed else []
    crawl = Crawl(tmp_path / "session", lambda rank: PageComparisons(waiting_pages(tmp_path / f"scratch-{rank}")))
    crawl.superstep(html("http://a.example/", body, *coding))
    rows = crawl.end().read("pages").to_pylist()
    again = ContentQuestion(sha1(document).digest(), sha1(body).digest(), 5, "http://b.example/", START)

    def go_on(exchange: FakeExchange) -> list[First | None]:
        seen = ContentSeen(tmp_path / "again", PLENTY)
        tell_of_documents(batches_of("pages", rows, COLUMNS), seen, exchange, stores_bodies=True)
        known, _ = seen.ask(exchange, [again, again._replace(payload=bytes(20))], wants=Wanted.ALL_NOW)
        return [known.first_with(again) if known is not None else None]

    assert on_ranks(1, go_on) == [[First(url_hash("http://a.example/"), "http://a.example/", START)]]


def test_pages_that_wait_are_compared_with_what_was_told(tmp_path: Path) -> None:
    waiting = waiting_pages(tmp_path)
    assert waiting.add(waiting_page("http://b.example/", b"a"))
    rows = [page(1, "a")._asdict()]

    def go_on(exchange: FakeExchange) -> list[Any]:
        tell_of_documents(batches_of("pages", rows, COLUMNS), waiting, exchange, stores_bodies=True)
        return [first for _, first in waiting.settle(exchange, wants_all=True)]

    assert on_ranks(1, go_on) == [[First(url_hash("http://a.example/1"), "http://a.example/1", START + 1)]]
