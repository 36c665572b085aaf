"""Sessions of random webs, with everything that a report tells of: statuses, depths, duplicates, failures, overlap."""

from pathlib import Path

import numpy as np

from sessions.schema import FAILED
from sessions.session import Session
from tests.sessions.support.builder import Crawl

_STATUSES = ((200, "OK"), (200, "OK"), (200, "OK"), (404, "Not Found"), (410, "Gone"), (403, "Forbidden"), (500, "No"))


def random_session(path: Path, seed: int, pages: int = 40) -> Session:
    """A crawl by two ranks of up to ``pages`` pages on six sites of four domains."""
    draw = np.random.default_rng(seed)
    hosts = ["a.example.com", "b.example.com", "c.example.org", "d.test.net", "e.test.net", "www.f.co.uk"]
    urls = [f"http://{hosts[draw.integers(6)] if at > 5 else hosts[at]}/{at if at > 5 else ''}" for at in range(pages)]
    fetched = urls[: max(1, int(pages * 0.8))]
    crawl = Crawl(path, assignment="page-hash-discoverer", ranks=2)
    crawl.ranks[0].discover(urls)
    crawl.ranks[1].take_back(urls)
    for number, url in enumerate(fetched):
        rank = crawl.ranks[int(draw.integers(2))]
        status, reason = _STATUSES[draw.integers(len(_STATUSES))]
        targets = [str(target) for target in draw.choice(urls, draw.integers(0, 9))]
        rank._clock += float(draw.integers(0, 3000)) * (seed % 2)
        rank.fetch(
            url,
            b"page %d" % draw.integers(12),
            links=[(target, 0) for target in dict.fromkeys([*targets, *targets[:1]])],
            status_line=f"HTTP/1.1 {status} {reason}".encode(),
            depth=int(draw.integers(0, 5)),
        )
        if number % 7 == 3:
            other = crawl.ranks[1 - rank.rank]
            other.fetch(url, b"again", links=[(urls[0], 0), (urls[-1], 0)], depth=int(draw.integers(0, 5)))
        if number % 15 == 14:
            crawl.commit()
    for url in urls[len(fetched) : len(fetched) + 3]:
        crawl.ranks[0].settle(url, FAILED, "timeout")
    crawl.commit("max-pages")
    crawl.close()
    return Session.open(path)


class Tables:
    """The rows of a session as Python has them, and what brute force makes of them."""

    def __init__(self, session: Session) -> None:
        self.rows = session.read("pages").to_pylist()
        self.pages = {row["hash"]: row for row in self.rows}
        """The last fetch of each page."""
        self.links = {
            (link["source"], link["target"])
            for link in session.read("links").to_pylist()
            if link["source"] in self.pages and link["source"] != link["target"]
        }
        self.urls = {row["hash"]: row["url"] for row in session.read("urls").to_pylist()}
        self.failed = {row["hash"] for row in session.read("outcomes").to_pylist() if row["state"] == FAILED}
        order = sorted(range(len(self.rows)), key=lambda at: (self.rows[at]["fetched"], at))
        self.in_time = [self.rows[at] for at in order]
        self.first = list({row["hash"]: row for row in reversed(self.in_time)}.values())
        self.first.sort(key=lambda row: self.in_time.index(row))

    def back_links(self, page: int) -> int:
        return sum(target == page for _, target in self.links)
