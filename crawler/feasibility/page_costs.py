"""What a page of a session cost, as far as the session tells it.

A session that was imported was never fetched, and one that was replayed was fetched from a disk: neither says what a
crawl of its pages takes of processors, memory and time.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from sessions.hash_arrays import distinct, hashes_of
from sessions.session import Session, SessionError

IMPORTED = "imported"


@dataclass(frozen=True)
class SessionCosts:
    """What a page of a session cost in the mean; None is what the session cannot tell.

    Attributes:
        pages: fetches.
        links: distinct links of a page [S].
        new_share: distinct pages with status 200 to 299 over fetches [a].
        received: bytes of bodies as received.
        stored: bytes of WARC files and tables.
        url_bytes: the mean length of a URL.
        cpu_ms: CPU in milliseconds.
        wire: bytes between ranks for a URL sent.
        rank_rate: pages a second that a rank fetched, whatever it had to wait for [F/K].
        base_memory: bytes of the largest rank.
    """

    pages: int
    links: float
    new_share: float
    received: float
    stored: float
    url_bytes: float
    cpu_ms: float | None
    wire: float | None
    rank_rate: float | None
    base_memory: float | None


def costs_of(session: Session) -> SessionCosts:
    """Read off a session what a page cost; 8 bytes of memory for each page.

    Raises SessionError if it has no pages, or no links.
    """
    reports = session.rank_reports()
    totals = (
        {name: sum(report[name] for report in reports) for name in ("fetched", "links", "bytes")} if reports else {}
    )
    pages = totals.get("fetched", 0)
    if not pages:
        raise SessionError(f"{session.path}: has no pages, so that nothing tells what one costs")
    if not totals["links"]:
        raise SessionError(f"{session.path}: has no links, so that nothing tells how a crawl would go on")
    if session.dropped:
        raise SessionError(
            f"{session.path}: its bodies were dropped on {session.dropped[-1]['at']}, so that nothing tells what room "
            "a page takes; name a session that has its bodies, or was crawled with --no-store-bodies"
        )
    is_crawl = session.header["assignment"] != IMPORTED and "replay" not in session.header["configuration"]
    sent, carried = (sum(report[name] for report in reports) for name in ("sent_urls", "wire_bytes"))
    cpu = sum(sum(report["cpu"].values()) for report in reports)
    seconds = max(report["seconds"] for report in reports)
    return SessionCosts(
        pages=pages,
        links=totals["links"] / pages,
        new_share=_good_pages(session) / pages,
        received=totals["bytes"] / pages,
        stored=_stored_bytes(session) / pages,
        url_bytes=_url_bytes(session),
        cpu_ms=1000 * cpu / pages if is_crawl else None,
        wire=carried / sent if sent else None,
        rank_rate=pages / seconds / session.ranks if is_crawl and seconds else None,
        base_memory=max(report["peak_rss"] for report in reports) if is_crawl else None,
    )


def _good_pages(session: Session) -> int:
    """Distinct pages that were answered with 200 to 299."""
    found = [np.zeros(0, np.uint64)]
    for batch in session.batches("pages", ["hash", "status"]):
        is_good = pc.and_(pc.greater_equal(batch["status"], 200), pc.less(batch["status"], 300))
        found.append(hashes_of(batch.filter(is_good), "hash"))
    return len(distinct(np.concatenate(found)))


def _stored_bytes(session: Session) -> int:
    warc, tables = session.warc_files(), session.table_files()
    return sum(file.bytes for file in warc) + sum(file.bytes for file in tables)


def _url_bytes(session: Session) -> float:
    """The mean length of the URLs that were discovered; of older sessions without them, that of the pages."""
    for table in ("urls", "pages"):
        urls, length = 0, 0
        for batch in session.batches(table, ["url"]):
            urls += len(batch)
            length += pc.sum(pc.binary_length(batch["url"])).as_py() or 0
        if urls:
            return length / urls
    return 0.0
