"""With what pages are compared, as the options say."""

import subprocess
import sys
from pathlib import Path

from crawler.config.crawl_options import CrawlOptions
from crawler.config.settings import settings_from
from crawler.drum.keep_alive import KeepAlive
from crawler.intake.comparisons import ComparisonSettings, PageComparisons, comparing
from partition.assignment.assignment import assignment_named
from sessions.url import url_hash
from tests.crawler.support.documents import waiting_page
from tests.crawler.support.intake_ranks import Crawl, html
from tests.crawler.support.thread_ranks import on_ranks

ALL_MINE = assignment_named("page-hash", 1)
PAGE = "http://a.example/"


SCRATCH = Path("never-made")
"""For what does not fit in memory, which is nothing here."""


def compared(**options: object) -> PageComparisons:
    return comparing(settings_from(CrawlOptions(**options), ComparisonSettings), 0, ALL_MINE, SCRATCH)  # type: ignore[arg-type]


def test_only_documents_are_compared_unless_more_is_asked_for() -> None:
    usual = compared()
    assert usual.waiting is not None
    assert (usual.simhash, usual.near_duplicates, usual.previous) == (None, None, None)
    assert not usual.skips_duplicate_links
    assert compared(duplicates=False) == PageComparisons()
    assert compared(skip_duplicate_links=True).skips_duplicate_links


def test_documents_and_pages_that_wait_have_the_memory_that_they_are_given(tmp_path: Path) -> None:
    options = CrawlOptions(content_memory=1 / 128, duplicate_memory=1 / 128)
    served: list[int] = []
    waiting = comparing(
        settings_from(options, ComparisonSettings), 0, ALL_MINE, tmp_path, KeepAlive(lambda: served.append(1))
    ).waiting
    assert waiting is not None
    for number in range(300):
        assert waiting.add(waiting_page(f"{PAGE}{number}", b"%d" % number))
    assert [path.suffix for path in tmp_path.iterdir()] == [".pages"]
    on_ranks(1, lambda exchange: list(waiting.settle(exchange, wants_all=True)))
    assert list(tmp_path.glob("content-seen.*"))
    assert served


def test_who_looks_for_pages_that_are_alike_needs_similarity_hashes() -> None:
    hashed = compared(simhash=True)
    assert hashed.simhash is not None
    assert hashed.simhash(b"one two three") is not None
    assert hashed.near_duplicates is None
    both = compared(near_dup=0)
    assert both.simhash is not None
    assert both.near_duplicates is not None


def test_the_previous_session_is_loaded_as_far_as_it_is_mine(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "before")
    crawl.superstep(html(PAGE, b"x", b'ETag: "1"'))
    crawl.end()
    previous = compared(previous=crawl.path).previous
    assert previous is not None
    assert previous.headers(url_hash(PAGE))
    owners = assignment_named("page-hash", 2)
    held = [
        comparing(settings_from(CrawlOptions(previous=crawl.path), ComparisonSettings), rank, owners, SCRATCH).previous
        for rank in range(2)
    ]
    assert sorted(len(of_rank) for of_rank in held if of_rank is not None) == [0, 1]


def test_the_compiler_is_not_loaded_for_nothing() -> None:
    code = "import sys, crawler.intake.comparisons; print('numba' in sys.modules)"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "False"
