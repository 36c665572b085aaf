"""Does the scanner find in real pages what libxml2 finds?

Reads the HTML pages of WARC files, finds their links with `crawler.pages.page_scanner` and with `crawler.pages.links`,
and compares URLs, hashes, flags, base and meta elements, page by page.  What both take is measured, too: CPU time of
finding, joining and hashing, the character set being known.

    python -m scripts.checks.compare_scanner web.warc.gz ...
    python -m scripts.checks.compare_scanner --save NAME=web.warc.gz ...  # keep the table in docs/life-of-a-url.md
"""

import argparse
import sys
from collections import Counter
from pathlib import Path
from time import process_time

from crawler.pages.links import References, references_in_text
from crawler.pages.page_scanner import PageScanner, ScannedReferences
from scripts.checks.compare_links import html_pages
from scripts.shared.doc_tables import keep, table

_WAYS = ("libxml2", "scanner")


def main() -> int:
    options = _options()
    rows, differing = [], 0
    for name, path in options.files:
        counts, seconds = compare(path)
        differing += counts["differ"]
        micros = [1e6 * seconds[way] / max(counts["pages"], 1) for way in _WAYS]
        figures = [f"{counts[what]:,}" for what in ("pages", "links", "left to libxml2", "differ")]
        rows.append([name, *figures, *(f"{one:.0f}" for one in micros)])
    columns = ["pages of", "pages", "links", "left to libxml2", "differ", "libxml2, µs a page", "scanner, µs a page"]
    text = table(columns, rows)
    print(text, end="")
    if options.save:
        keep("life-of-a-url.md", "compare_scanner", text)
    return 1 if differing else 0


def compare(path: Path) -> tuple[Counter[str], dict[str, float]]:
    """How many pages and links a file has, how many of the pages the scanner leaves, and in how many it errs.

    The second: CPU seconds of each way.
    """
    counts: Counter[str] = Counter()
    seconds = dict.fromkeys(_WAYS, 0.0)
    scanner = PageScanner()
    scanner.references("http://cutweb.invalid/", b"<a href=x>", "utf-8")
    for url, document, encoding in html_pages(path):
        began = process_time()
        scanned = scanner.references(url, document, encoding)
        between = process_time()
        read = references_in_text(url, document, encoding)
        hashes = read.targets().targets.hashes
        seconds["scanner"] += between - began
        seconds["libxml2"] += process_time() - between
        counts["pages"] += 1
        counts["links"] += len(hashes)
        if scanned is None:
            counts["left to libxml2"] += 1
        elif _told(scanned) != _told(read):
            counts["differ"] += 1
            print(f"{url}: differs", file=sys.stderr)
    return counts, seconds


def _told(references: References | ScannedReferences) -> tuple[object, ...]:
    targets, flags, dropped = references.targets()
    urls = targets.urls(range(len(flags)))
    return urls, targets.hashes.tolist(), flags.tolist(), dropped, references.base, references.metas


def _named(text: str) -> tuple[str, Path]:
    name, equals, path = text.rpartition("=")
    return (name, Path(path)) if equals else (Path(text).name, Path(text))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=_named, metavar="[NAME=]FILE", help="WARC files")
    parser.add_argument("--save", action="store_true", help="keep the table in docs/life-of-a-url.md")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
