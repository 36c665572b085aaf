"""Does the scanner find in real pages what libxml2 finds?

Reads the HTML pages of WARC files, finds their links with `crawler.pages.page_scanner` and with `crawler.pages.links`,
and compares URLs, hashes, flags, base and meta elements, page by page.

    python -m scripts.checks.compare_scanner web.warc.gz ...
"""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from fastwarc.warc import ArchiveIterator, WarcRecordType

from crawler.pages.charset import as_utf8
from crawler.pages.content_decoding import decoded
from crawler.pages.content_type import is_html
from crawler.pages.links import PARSED_BYTES, References, references_in_text
from crawler.pages.page_scanner import PageScanner, ScannedReferences
from scripts.shared.doc_tables import table
from sessions.url import canonical

_LIMIT = 64 << 20


def main() -> int:
    rows, differing = [], 0
    for path in map(Path, sys.argv[1:]):
        found = compare(path)
        differing += found["differ"]
        rows.append([path.name, *(f"{found[name]:,}" for name in ("pages", "links", "left to libxml2", "differ"))])
    print(table(["pages of", "pages", "links", "left to libxml2", "differ"], rows), end="")
    return 1 if differing else 0


def compare(path: Path) -> Counter[str]:
    """How many pages and links a file has, how many of the pages the scanner leaves, and in how many it errs."""
    counts: Counter[str] = Counter()
    scanner = PageScanner()
    for url, document, encoding in _pages(path):
        scanned, read = scanner.references(url, document, encoding), references_in_text(url, document, encoding)
        counts["pages"] += 1
        counts["links"] += len(read.targets().flags)
        if scanned is None:
            counts["left to libxml2"] += 1
        elif _told(scanned) != _told(read):
            counts["differ"] += 1
            print(f"{url}: differs", file=sys.stderr)
    return counts


def _told(references: References | ScannedReferences) -> tuple[object, ...]:
    targets, flags, dropped = references.targets()
    urls = targets.urls(range(len(flags)))
    return urls, targets.hashes.tolist(), flags.tolist(), dropped, references.base, references.metas


def _pages(path: Path) -> Iterator[tuple[str, bytes, str]]:
    """URL, document in UTF-8 and encoding of the HTML pages of a WARC file that were answered with success."""
    with path.open("rb") as stream:
        for record in ArchiveIterator(stream, record_types=WarcRecordType.response):
            head = record.http_headers
            url = canonical(record.headers["WARC-Target-URI"] or "")
            if url is None or head is None or not 200 <= (head.status_code or 0) < 300:
                continue
            content_type = head.get("Content-Type")
            document, _ = decoded(record.reader.read(), head.get("Content-Encoding", "").lower(), _LIMIT)
            if document and is_html(content_type, document):
                yield url, *as_utf8(document[:PARSED_BYTES], content_type or "")


if __name__ == "__main__":
    sys.exit(main())
