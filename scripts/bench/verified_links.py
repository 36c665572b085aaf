"""What verifying links costs and saves: crawls of a web as it is, and with missing pages or PDFs beside its own.

A web of the house is served from this machine.  Beside it lie half as many URLs again that are missing, or PDFs, spread
over its sites; all are among the seeds.  Counted are requests (by the server, those for robots.txt left out), bytes
that came (bodies, and header lines that answered a HEAD), and the seconds that the crawl took, nearly all of which are
delays.

    python -m scripts.bench.verified_links             print the table
    python -m scripts.bench.verified_links --save      and keep it in docs/ranking.md
"""

import argparse
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from crawler.pages.link_verification import OF_HEADS, RULES
from crawler.process.printing import size
from scripts.shared.doc_tables import keep, table
from sessions.counters import COUNTERS
from sessions.localweb.generate.make import MadeWeb, make_web
from sessions.localweb.serve.server import LocalWeb
from sessions.session import Session
from sessions.storage.warc import Exchange
from sessions.storage.warc_file import WarcFile

SITES, PAGES = 40, 1_200
WEB = {"sites": SITES, "pages": PAGES, "skew": 0.0, "seed": 1, "links": 30.0, "page_kb": 22.0, "gzip": True}
BESIDE = PAGES // 2
PDF_BYTES = 200_000
DELAY_SECONDS = 0.2
HEAD = ["URLs", "`--verify-links`", "pages", "filtered by HEADs", "HEADs", "requests", "bytes that came", "seconds"]


def main() -> None:
    options = _options()
    with TemporaryDirectory() as folder:
        text = table(HEAD, _rows(Path(folder)))
    print(text)
    if options.save:
        keep("ranking.md", "verified_links", text)


def _rows(folder: Path) -> Iterator[Sequence[str]]:
    made = make_web(folder / "web.warc.gz", **WEB)  # type: ignore[arg-type]
    missing = _beside(made, "missing.html")
    pdfs = _beside(made, "report.pdf")
    with_pdfs = _write_pdfs(folder / "pdfs.warc.gz", pdfs)
    webs = {
        f"a web of {PAGES:,} pages": [],
        f"and {BESIDE:,} missing ones": missing,
        f"and {BESIDE:,} PDFs of {size(PDF_BYTES)}": pdfs,
    }
    with LocalWeb([made.path, with_pdfs], keep_log=False) as server:
        for name, beside in webs.items():
            seeds = folder / "seeds.txt"
            seeds.write_text("\n".join(made.seeds + beside))
            for rule in reversed(RULES):
                yield name, rule, *_crawled(folder / f"{len(beside)}-{name[-1]}-{rule}", seeds, server, rule)


def _beside(made: MadeWeb, name: str) -> list[str]:
    return [f"{made.seeds[number % SITES]}beside/{number}/{name}" for number in range(BESIDE)]


def _write_pdfs(path: Path, urls: Sequence[str]) -> Path:
    warc = WarcFile(path)
    dice = np.random.default_rng(1)
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\nContent-Length: {PDF_BYTES}\r\n\r\n".encode()
    for url in urls:
        warc.append(Exchange(url=url, fetched=0.0, response_head=head, body=dice.bytes(PDF_BYTES)))
    warc.close()
    return path


def _crawled(out: Path, seeds: Path, server: LocalWeb, rule: str) -> Iterator[str]:
    """Crawl, and tell what came of it, a cell each."""
    print(f"{out.name} ...", file=sys.stderr)
    command = [sys.executable, "-m", "crawler", "crawl", "--seeds", str(seeds), "--out", str(out)]
    command += ["--verify-links", rule, "--connect-to", server.connect_to, "--ca-cert", str(server.ca_cert)]
    command += ["--delay", str(DELAY_SECONDS), "--server-delay", "0", "--scope", "sites"]
    before = server.requests_served
    subprocess.run(command, check=True, capture_output=True)
    reports = Session.open(out).rank_reports()
    total = {name: counter.total(reports) for name, counter in COUNTERS.items()}
    filtered = total["reasons"]["filtered"]
    yield f"{total['fetched']:,}"
    yield f"{sum(count for reason, count in filtered.items() if reason.startswith(OF_HEADS)):,}"
    yield f"{total['head_requests']:,}"
    yield f"{server.requests_served - before - total['robots_fetched']:,}"
    yield size(total["bytes"] + total["head_bytes"])
    yield f"{total['seconds']:.1f}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--save", action="store_true", help="keep the table in docs/ranking.md")
    return parser.parse_args()


if __name__ == "__main__":
    main()
