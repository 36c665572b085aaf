"""What keeping the links out of scope costs a page, on the links of a real crawl.

    .venv/bin/python -m scripts.bench.external_cost SESSION --sites a.example,b.example

SESSION is a crawl without a scope: it has the links that a crawl of these sites alone would have dropped.  They go
through the code that a rank hands them to, in batches as it makes them.  Time is the processor's, the least of some
rounds; bytes are those of the committed tables.
"""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import process_time

import numpy as np

from crawler.discovery.discovery import LINKS_PER_BATCH
from crawler.discovery.external_links import external_links
from crawler.urls.batch import UrlBatch
from sessions.session import Session
from sessions.url import site_of, url_hashes
from sessions.writing.recorder import Recorder

_ROUNDS = 5
Link = tuple[int, str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("session", type=Path)
    parser.add_argument("--sites", required=True, help="the sites in scope, with commas between")
    options = parser.parse_args()
    sites = frozenset(options.sites.split(","))
    pages, links = outside(Session.open(options.session), sites)
    print(f"{len(pages):,} pages, {len(links) / max(1, len(pages)):.2f} links out of scope a page")
    for kept in ("sites", "all"):
        with tempfile.TemporaryDirectory() as folder:
            seconds, size = cost(kept, pages, links, Path(folder))
        print(f"--external {kept}: {1e6 * seconds / len(pages):.2f} us and {size / len(pages):.2f} bytes a page")


def outside(session: Session, sites: frozenset[str]) -> tuple[dict[int, str], list[Link]]:
    """The sites of the pages in scope, by hash, and the links from these that lead out of it."""
    url_of = dict(zip(*(session.read("urls")[name].to_pylist() for name in ("hash", "url")), strict=True))
    pages = {
        page["hash"]: page["site"]
        for page in session.read("pages", ["hash", "site"]).to_pylist()
        if page["site"] in sites
    }
    links = [
        (link["source"], url_of[link["target"]])
        for link in session.read("links", ["source", "target"]).to_pylist()
        if link["source"] in pages and site_of(url_of[link["target"]]) not in sites
    ]
    return pages, links


def cost(kept: str, pages: dict[int, str], links: Sequence[Link], folder: Path) -> tuple[float, float]:
    """Seconds of processor time and bytes for all these links."""
    recorder = Recorder(folder, 0, "bench", store_bodies=False)
    external = external_links(kept, recorder)
    assert external is not None
    batches = [links[begin : begin + LINKS_PER_BATCH] for begin in range(0, len(links), LINKS_PER_BATCH)]
    made = [(np.array([source for source, _ in batch], np.uint64), _as_batch(batch)) for batch in batches]
    spent = []
    for _ in range(_ROUNDS):
        began = process_time()
        for sources, batch in made:
            for source in dict.fromkeys(sources.tolist()):
                external.page(source, pages[source])
            external.links(sources, batch, np.ones(len(batch), bool))
            external.settled()
        files = recorder.close_epoch()["tables"]
        spent.append(process_time() - began)
    recorder.close()
    return min(spent), float(sum(file["bytes"] for file in files.values()))


def _as_batch(links: Sequence[Link]) -> UrlBatch:
    urls = [url for _, url in links]
    none = np.zeros(len(urls), np.uint8)
    return UrlBatch(urls, url_hashes(urls), np.zeros(len(urls), np.uint16), none, none)


if __name__ == "__main__":
    main()
