"""Who finds the links of a rank's pages: libxml2 (`links`) at first and in what is rare, else `page_scanner`.

Both find the same, but the scanner takes a fifth of the time.  Its compiled code takes as long to load as some thousand
pages take to be read without it, and much longer on a machine where it was never loaded before; so a thread loads it
beside the crawl, once there have been so many pages, and what else is compiled for crawls that are not small.
"""

from threading import Thread
from typing import TYPE_CHECKING, Protocol

from crawler.pages.charset import as_utf8
from crawler.pages.links import PARSED_BYTES, IsOver, never, references_in_text
from crawler.urls import hash_table
from crawler.urls.targets import PageTargets

if TYPE_CHECKING:
    from crawler.pages.page_scanner import PageScanner

PAGES_BEFORE = 1000
"""Pages that are read before the scanner is loaded."""


class PageReferences(Protocol):
    """The links of a page, and what its meta elements say."""

    @property
    def metas(self) -> list[tuple[str, str]]:
        """Names and contents of its first hundred meta elements that have both."""
        ...

    @property
    def is_cut(self) -> bool:
        """Was reading stopped before the end?"""
        ...

    def targets(self, *, nofollow: bool = False, most: int | None = None, is_over: IsOver = never) -> PageTargets:
        """The distinct targets of the links, in document order, but ``most`` of them.

        ``nofollow``: the page asks that of all its links.  Those that are not looked at because the time is over count
        as dropped.
        """
        ...


class LinkFinder:
    """Finds the links of one page after the other; the scanner is loaded after ``pages_before`` of them."""

    def __init__(self, pages_before: int = PAGES_BEFORE) -> None:
        self._pages_before = pages_before
        self._pages = 0
        self._scanner: PageScanner | None = None

    def references(self, url: str, document: bytes, content_type: str, is_over: IsOver = never) -> PageReferences:
        """The links of an HTML document that was fetched from ``url``, its content encoding taken off.

        Reading stops where ``is_over`` says so.
        """
        self._pages += 1
        if self._pages == self._pages_before:
            Thread(target=self.load_compiled, name="load compiled code").start()
        text, encoding = as_utf8(document[:PARSED_BYTES], content_type)
        found = self._scanner.references(url, text, encoding) if self._scanner is not None else None
        return found if found is not None else references_in_text(url, text, encoding, is_over)

    def load_compiled(self) -> None:
        """Load the scanner and what probes hash tables now, and have both compiled if they never were."""
        from crawler.pages.page_scanner import PageScanner

        scanner = PageScanner()
        scanner.references("http://cutweb.invalid/", b"<base href=/><a href=x>", "utf-8")
        self._scanner = scanner
        hash_table.load_compiled()
