"""On how many pages are the links that the crawler finds not those of the HTML standard's tree?

Reads the HTML pages of WARC files, finds their links with `crawler.pages.links`, and with a parser that builds the tree
that the HTML standard describes (lexbor, through selectolax), and compares the two sets of URLs, page by page.  A
document is decoded once, for both.

    python -m scripts.checks.compare_links web.warc.gz
    python -m scripts.checks.compare_links --sample 0.1 --show 20 web.warc.gz  # one page in ten, always the same ones
    python -m scripts.checks.compare_links --save NAME=web.warc.gz             # keep the table in docs/life-of-a-url.md
"""

import argparse
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from fastwarc.warc import ArchiveIterator, WarcRecordType
from selectolax.lexbor import LexborHTMLParser

from crawler.pages.charset import as_utf8
from crawler.pages.content_decoding import decoded
from crawler.pages.content_type import is_html
from crawler.pages.links import PARSED_BYTES, References, find_references, resolve
from scripts.shared.doc_tables import keep, table
from sessions.url import canonical, join

_LIMIT = 64 << 20
_UTF8 = "text/html; charset=utf-8"
_FOLLOWED = {"next", "prev", "previous", "canonical"}
_HTML_WITHIN = {
    "svg": {"foreignobject", "desc", "title"},
    "math": {"mi", "mo", "mn", "ms", "mtext", "annotation-xml"},
}


class Difference(NamedTuple):
    """A page on which the two differ: URLs that only the standard's tree has, and that only the crawler finds."""

    url: str
    missing: list[str]
    extra: list[str]


class Comparison(NamedTuple):
    """What the pages of one file gave."""

    pages: int
    links: int
    differing: list[Difference]


def main() -> None:
    options = _options()
    rows = []
    for name, path in options.files:
        found = compare(path, options.sample, options.seed)
        rows.append(_row(name, found))
        for page in found.differing[: options.show]:
            print(f"{page.url}: missing {page.missing[:3]}, extra {page.extra[:3]}")
    text = table(["pages of", "pages", "differ", "links", "missing", "too many"], rows)
    print(text, end="")
    if options.save:
        keep("life-of-a-url.md", "compare_links", text)


def compare(path: Path, sample: float, seed: int) -> Comparison:
    """Compare the links of the HTML pages of a WARC file, or of a random ``sample`` of them, a share from 0 to 1."""
    rng = random.Random(seed)
    pages = links = 0
    differing = []
    for url, document, _encoding in html_pages(path):
        if rng.random() >= sample:
            continue
        ours = resolve(find_references(url, document, _UTF8)).urls
        tree = resolve(references_of_tree(url, document)).urls
        pages += 1
        links += len(tree)
        if set(ours) != set(tree):
            differing.append(Difference(url, sorted(set(tree) - set(ours)), sorted(set(ours) - set(tree))))
    return Comparison(pages, links, differing)


def references_of_tree(url: str, document: bytes) -> References:
    """The link texts of the tree that the HTML standard makes of a document in UTF-8, templates left out."""
    tree = LexborHTMLParser(document)
    base, texts = None, []
    for node in tree.css("base,a,area,frame,iframe,link"):
        name = "src" if node.tag in ("frame", "iframe") else "href"
        if name not in node.attributes or (node.tag != "a" and _is_foreign(node)):
            continue
        text = node.attributes[name] or ""
        if node.tag == "base":
            base = text if base is None else base
        elif node.tag != "link" or not _FOLLOWED.isdisjoint(_relations(node)):
            texts.append(text)
    if base is not None:
        url = join(url, [base])[0] or url
    return References(url, texts, [0] * len(texts), [])


def _relations(node) -> list[str]:  # type: ignore[no-untyped-def]
    return (node.attributes.get("rel") or "").lower().replace(",", " ").split()


def _is_foreign(node) -> bool:  # type: ignore[no-untyped-def]
    """Whether an element is one of SVG or MathML, and not HTML within that."""
    passed = set()
    parent = node.parent
    while parent is not None and (root := parent.tag.lower()) not in _HTML_WITHIN:
        passed.add(root)
        parent = parent.parent
    return parent is not None and passed.isdisjoint(_HTML_WITHIN[root])


def html_pages(path: Path) -> Iterator[tuple[str, bytes, str]]:
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


def _row(name: str, found: Comparison) -> list[str]:
    counts = Counter(missing=0, extra=0)
    for page in found.differing:
        counts.update(missing=len(page.missing), extra=len(page.extra))
    share = f"{len(found.differing):,} ({len(found.differing) / max(found.pages, 1):.3%})"
    return [name, f"{found.pages:,}", share, f"{found.links:,}", f"{counts['missing']:,}", f"{counts['extra']:,}"]


def _named(text: str) -> tuple[str, Path]:
    name, equals, path = text.rpartition("=")
    return (name, Path(path)) if equals else (Path(text).name, Path(text))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=_named, metavar="[NAME=]FILE", help="WARC files")
    parser.add_argument("--sample", type=float, default=1.0, help="share of the pages, from 0 to 1 (default: all)")
    parser.add_argument("--seed", type=int, default=1, help="which pages a sample takes")
    parser.add_argument("--show", type=int, default=0, help="print so many of the pages that differ")
    parser.add_argument("--save", action="store_true", help="keep the table in docs/life-of-a-url.md")
    return parser.parse_args()


if __name__ == "__main__":
    main()
