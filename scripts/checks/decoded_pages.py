"""How the pages of WARC files are decoded, and which links they have: by this commit, and beside another.

    python -m scripts.checks.decoded_pages web.warc.gz --save before.tsv       with one commit
    python -m scripts.checks.decoded_pages web.warc.gz --against before.tsv    with another

Counts pages whose text, as UTF-8, is another, and links that only one of the two commits finds.  Of each encoding, how
many pages are in it is printed, too.  --no-header leaves the headers' charsets out, as if the pages alone told.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from fastwarc.warc import ArchiveIterator, WarcRecordType
from xxhash import xxh3_64_hexdigest

from crawler.pages.charset import as_utf8
from crawler.pages.links import find_references, resolve

_HTML = ("text/html", "application/xhtml+xml")
_SHOWN = 10


class Page(NamedTuple):
    """What is compared of a page: hashes of its text and of its links, and its encoding."""

    text: str
    encoding: str
    links: tuple[str, ...]


def pages(warcs: list[Path], has_header: bool) -> Iterator[tuple[str, Page]]:
    """URL and decoding of each HTML page; bodies have their content encodings taken off by the reader."""
    for path in warcs:
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream, record_types=WarcRecordType.response):
                content_type = record.http_headers.get("Content-Type", "") if record.http_headers else ""
                if content_type.lower().lstrip().startswith(_HTML):
                    content_type = content_type if has_header else content_type.partition(";")[0]
                    document = record.reader.read()
                    url = record.headers["WARC-Target-URI"]
                    text, encoding = as_utf8(document, content_type)
                    links = resolve(find_references(url, document, content_type)).urls
                    hashes = tuple(xxh3_64_hexdigest(link.encode()) for link in links)
                    yield url, Page(xxh3_64_hexdigest(text), encoding, hashes)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("warcs", nargs="+", type=Path)
    parser.add_argument("--save", type=Path, help="write what is found, for a comparison")
    parser.add_argument("--against", type=Path, help="compare with what was found before")
    parser.add_argument("--no-header", action="store_true", help="leave the headers' charsets out")
    options = parser.parse_args()
    found = dict(pages(options.warcs, not options.no_header))
    encodings = Counter(page.encoding for page in found.values())
    print(f"{len(found):,} pages, {sum(len(page.links) for page in found.values()):,} links; "
          + ", ".join(f"{encoding} {count:,}" for encoding, count in encodings.most_common()))  # fmt: skip
    if options.save:
        lines = ("\t".join((url, page.text, page.encoding, " ".join(page.links))) for url, page in found.items())
        options.save.write_text("\n".join(lines), encoding="utf-8")
    if options.against:
        sys.exit(compare(found, dict(_read(options.against))))


def _read(path: Path) -> Iterator[tuple[str, Page]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        url, text, encoding, links = line.split("\t")
        yield url, Page(text, encoding, tuple(links.split()))


def compare(found: dict[str, Page], before: dict[str, Page]) -> str | None:
    """Print what differs; a message if these are not the same pages."""
    if found.keys() != before.keys():
        return "these are other pages than before"
    texts = [url for url, page in found.items() if page.text != before[url].text]
    links = [url for url, page in found.items() if page.links != before[url].links]
    gone = sum(len(set(before[url].links) - set(found[url].links)) for url in links)
    come = sum(len(set(found[url].links) - set(before[url].links)) for url in links)
    print(f"{len(texts):,} pages are decoded otherwise, {len(links):,} have other links: {gone:,} gone, {come:,} new")
    changes = Counter((before[url].encoding, found[url].encoding) for url in texts)
    for (old, new), count in changes.most_common():
        print(f"    {old} -> {new}: {count:,}")
    for url in links[:_SHOWN]:
        print(f"    other links: {url}")
    return None


if __name__ == "__main__":
    main()
