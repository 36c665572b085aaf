"""Pages that wait for what is said of their documents."""

from pathlib import Path

from crawler.intake.duplicates.content_messages import First
from crawler.intake.duplicates.content_seen import ContentSeen
from crawler.intake.duplicates.page_spool import PageSpool
from crawler.intake.duplicates.pending_pages import PendingPages
from sessions.url import url_hash
from tests.crawler.support.documents import PLENTY, waiting_page, waiting_pages
from tests.crawler.support.thread_ranks import FakeExchange, on_ranks

LITTLE = 1 << 14
"""Memory for a few dozen documents."""


def settled(pages: PendingPages, *, wants_all: bool = True) -> list[tuple[str, First | None]]:
    """What is said of each page that need not wait any longer."""
    (found,) = on_ranks(1, lambda exchange: list(pages.settle(exchange, wants_all=wants_all)))
    return [(page.row.url, first) for page, first in found]


ONE, TWO, THREE = sorted((f"http://{name}.example/" for name in "abc"), key=url_hash)


def test_pages_wait_until_they_are_settled(tmp_path: Path) -> None:
    pages = waiting_pages(tmp_path)
    for url, body in ((ONE, b"x"), (TWO, b"y"), (THREE, b"x")):
        assert pages.add(waiting_page(url, body))
    assert len(pages) == 3
    first = First(url_hash(ONE), ONE, waiting_page(ONE, b"x").exchange.fetched)
    assert settled(pages, wants_all=False) == [(ONE, None), (TWO, None), (THREE, first)]
    assert len(pages) == 0
    assert settled(pages) == []


def test_where_there_is_no_room_in_memory_pages_wait_on_disk(tmp_path: Path) -> None:
    pages = waiting_pages(tmp_path, memory=0)
    for number in range(50):
        assert pages.add(waiting_page(f"http://d.example/{number}", b"%d" % (number // 2)))
    found = settled(pages)
    assert [url for url, _ in found] == [f"http://d.example/{number}" for number in range(50)]
    assert sum(first is None for _, first in found) == 25


def filled(folder: Path, disk: int = PLENTY, *, in_pieces: bool = False) -> PendingPages:
    """Waiting pages, none yet, where more documents are remembered than memory holds."""
    pages = waiting_pages(folder, content=LITTLE, memory=0, disk=disk, in_pieces=in_pieces)
    for number in range(600):
        assert pages.add(waiting_page(f"http://filling.example/{number}", b"filling %d" % number))
        if number % 20 == 0:
            settled(pages)
    settled(pages)
    return pages


def test_pages_wait_over_supersteps_while_documents_wait_on_disk(tmp_path: Path) -> None:
    pages = filled(tmp_path)
    assert pages.add(waiting_page(ONE, b"filling 7"))
    assert settled(pages, wants_all=False) == []
    assert pages.add(waiting_page(TWO, b"new"))
    assert settled(pages, wants_all=False) == []
    assert len(pages) == 2
    (told, new) = settled(pages)
    assert told[1] is not None
    assert told[1].url == "http://filling.example/7"
    assert new == (TWO, None)
    assert len(pages) == 0


def test_a_merge_that_keeps_up_with_the_spool_leaves_no_page_for_a_merge_in_one_go(tmp_path: Path) -> None:
    pages = filled(tmp_path, disk=1 << 18, in_pieces=True)
    count = most = merged = 0
    for number in range(200):
        assert pages.add(waiting_page(f"http://g.example/{number}", b"%d" % number, member=bytes(1 << 13)))
        while pages.merge_lag > 0:
            pages.merge_on()
            merged += not pages.is_merging
        most = max(most, len(pages))
        count += len(settled(pages, wants_all=False))
    assert count + len(pages) == 200
    assert 8 <= most < 16
    assert merged > 5


def test_a_spool_that_is_half_full_wants_its_answers_at_once(tmp_path: Path) -> None:
    pages = filled(tmp_path, disk=1 << 18)
    count = most = 0
    for number in range(200):
        assert pages.add(waiting_page(f"http://g.example/{number}", b"%d" % number, member=bytes(1 << 13)))
        most = max(most, len(pages))
        count += len(settled(pages, wants_all=False))
    assert 12 < most < 18
    assert count + len(pages) == 200


def test_the_more_documents_are_remembered_the_more_pages_may_wait(tmp_path: Path) -> None:
    """A merge for them rewrites all documents: were the pages no more, a page would cost the more of these."""

    def count_of(pages: PendingPages) -> int:
        added = (pages.add(waiting_page(f"http://g.example/{n}", b"%d" % n, member=bytes(1 << 13))) for n in range(50))
        return sum(added)

    assert count_of(waiting_pages(tmp_path / "new", memory=0, disk=1 << 16)) == 7
    assert count_of(filled(tmp_path, disk=1 << 16)) == 256 * 600 // (1 << 13) - 1


def test_what_found_no_room_is_noted_all_the_same_within_bounds(tmp_path: Path) -> None:
    most = 4096
    pages = PendingPages(ContentSeen(tmp_path, PLENTY), PageSpool(tmp_path, 0, 1 << 12))
    page = waiting_page(ONE, b"x", member=bytes(1 << 15))
    assert not pages.add(page)
    for number in range(most):
        row = page.row._replace(content_digest=number.to_bytes(20, "little"))
        assert not pages.add(page._replace(row=row))
    assert len(pages) == 0
    assert settled(pages) == []
    known = []
    for number in (0, most - 2, most - 1):
        row = page.row._replace(content_digest=number.to_bytes(20, "little"))
        assert pages.add(page._replace(row=row, members=None))
        known += [first is not None for _, first in settled(pages)]
    assert known == [True, True, False]


def test_a_rank_that_wants_all_has_all_ranks_told(tmp_path: Path) -> None:
    def work(exchange: FakeExchange) -> list[int]:
        pages = waiting_pages(tmp_path / str(exchange.rank), content=LITTLE >> 2)
        for number in range(300):
            pages.add(waiting_page(f"http://{exchange.rank}.example/{number}", b"%d %d" % (exchange.rank, number)))
        list(pages.settle(exchange, wants_all=True))
        pages.add(waiting_page(f"http://{exchange.rank}.example/", b"x"))
        waiting = []
        for wanting in (False, exchange.rank == 2):
            list(pages.settle(exchange, wants_all=wanting))
            waiting.append(len(pages))
        return waiting

    assert on_ranks(3, work) == [[1, 0]] * 3
