"""Does every K and assignment fetch what a plain breadth-first search finds?

Serves WARC files on loopback, crawls them from their root pages with K = 1, 2 and 4 under page hash and site hash,
and compares each session's set of fetched pages with a breadth-first search over the files' own links.

    python -m scripts.checks.equal_crawls web.warc.gz
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from fastwarc.warc import ArchiveIterator, WarcRecordType
from xxhash import xxh3_64_hexdigest

from crawler.pages.links import find_references, resolve
from scripts.shared.without_rules import WITHOUT_RULES
from sessions.localweb.serve.server import LocalWeb
from sessions.session import Session
from sessions.url import canonical, join, url_hashes

RANKS = (1, 2, 4)
ASSIGNMENTS = ("page-hash", "site-hash")


def main() -> None:
    options = _options()
    documents = dict(_documents(options.warcs))
    roots = sorted(url for url in documents if url.split("/", 3)[3] == "")
    if not roots:
        sys.exit("no page of these files has the path /")
    began = time.monotonic()
    expected = breadth_first_search(documents, roots)
    print(f"breadth-first search: {len(expected):,} of {len(documents):,} pages from {len(roots)} root pages "
          f"({time.monotonic() - began:.1f} s)")  # fmt: skip
    with tempfile.TemporaryDirectory() as folder, LocalWeb(options.warcs, keep_log=False) as web:
        seeds = Path(folder) / "seeds.txt"
        seeds.write_text("\n".join(roots))
        differing = [
            name
            for ranks in options.ranks
            for assignment in ASSIGNMENTS
            if not _crawl_is_equal(
                name := f"K={ranks} {assignment}", ranks, assignment, seeds, web, expected, documents
            )
        ]
    sys.exit(f"different: {', '.join(differing)}" if differing else None)


def breadth_first_search(documents: dict[str, tuple[int, str, str, bytes]], roots: list[str]) -> set[str]:
    """The pages of ``documents`` that can be reached from ``roots`` by links and redirects."""
    reached = dict.fromkeys(roots)
    queue = list(reached)
    for url in queue:
        for target in _targets(url, *documents[url]):
            if target in documents and target not in reached:
                reached[target] = None
                queue.append(target)
    return set(reached)


def _targets(url: str, status: int, content_type: str, location: str, document: bytes) -> list[str]:
    if 300 <= status < 400 and location:
        return [target for target in join(url, [location]) if target is not None]
    if not 200 <= status < 300 or not content_type.startswith("text/html"):
        return []
    return resolve(find_references(url, document, content_type)).urls


def _documents(warcs: list[Path]) -> Iterator[tuple[str, tuple[int, str, str, bytes]]]:
    for path in warcs:
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream, record_types=WarcRecordType.response):
                url = canonical(record.headers["WARC-Target-URI"])
                head = record.http_headers
                if url is not None and head is not None:
                    content_type = head.get("Content-Type", "")
                    yield url, (head.status_code, content_type, head.get("Location", ""), record.reader.read())


def _crawl_is_equal(
    name: str,
    ranks: int,
    assignment: str,
    seeds: Path,
    web: LocalWeb,
    expected: set[str],
    documents: dict[str, tuple[int, str, str, bytes]],
) -> bool:
    out = seeds.parent / "session"
    shutil.rmtree(out, ignore_errors=True)
    command = [sys.executable, "-m", "crawler", "crawl", "--ranks", str(ranks), "--assign", assignment]
    command += ["--seeds", str(seeds), "--out", str(out), "--delay", "0", "--server-delay", "0", "--max-wait", "0"]
    command += ["--connect-to", web.connect_to, "--ca-cert", str(web.ca_cert), *WITHOUT_RULES]
    crawl = subprocess.run(command, capture_output=True, text=True, check=False)
    if crawl.returncode:
        print(f"{name}: exit code {crawl.returncode}\n{crawl.stderr}")
        return False
    session = Session.open(out)
    pages = session.read("pages", ["url", "status"])
    fetched = [url for url in pages["url"].to_pylist() if url in documents]
    checked = subprocess.run(
        [sys.executable, "-m", "crawler", "check", str(out)], capture_output=True, text=True, check=False
    )
    is_equal = set(fetched) == expected and len(fetched) == len(expected)
    everything = np.sort(url_hashes(pages["url"].to_pylist()))
    seconds = session.ended["seconds"] if session.ended else 0.0
    print(
        f"{name}: {len(fetched):,} pages {'equal' if is_equal else 'DIFFERENT'}, {pages.num_rows:,} requests answered "
        f"(set {xxh3_64_hexdigest(everything.tobytes())[:8]}), {seconds:.1f} s, "
        f"check {'accepts' if not checked.returncode else checked.stdout + checked.stderr}",
        flush=True,
    )
    return is_equal and not checked.returncode


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warcs", nargs="+", type=Path)
    parser.add_argument("--ranks", nargs="+", type=int, default=list(RANKS))
    return parser.parse_args()


if __name__ == "__main__":
    main()
