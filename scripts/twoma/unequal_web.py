"""A web that lies at four places, one near to each of four ranks: recorded for replays, or as pages to be served.

200 sites of 25 pages in five directories.  Four links of five stay within the site, most others lead to sites of the
same topic, of which there are twenty.  Topics know nothing of places: what is linked lies far apart.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from sessions.importing.edges import import_edges
from sessions.storage.warc import Exchange
from sessions.storage.warc_file import WarcFile

RANKS, SITES, PAGES, TOPICS = 4, 200, 25, 20
NEAR, FAR = "0.002+12.5e6/s", "0.04+1.25e6/s"
"""2 ms and 100 Mbit/s; 40 ms and 10 Mbit/s."""
_LINKS, _DIRECTORIES = 8, 5
_MEAN_BYTES, _DEVIATION = 10_000, 0.5
_SEED = 21


@dataclass(frozen=True)
class UnequalWeb:
    """A recording, and the rank to which each of its s sites is near, int64[s]."""

    session: Path
    near: npt.NDArray[np.int64]


@dataclass(frozen=True)
class _Drawn:
    """What chance says of s sites: the rank each is near to, int64[s]; the bytes of each page; links between pages."""

    near: npt.NDArray[np.int64]
    sizes: list[int]
    links: list[tuple[int, int]]


def site_name(site: int) -> str:
    """Return the host name of a site."""
    return f"site{site:03}.example"


def site_address(site: int, place: int) -> str:
    """Return the IP address of a site: those of one place share a /24."""
    return f"10.0.{place}.{1 + site % 250}"


def page_url(page: int) -> str:
    """Return the URL of a page; those of a site follow each other, its root page first."""
    site, number = divmod(page, PAGES)
    return f"http://{site_name(site)}/{number % _DIRECTORIES}/{number}"


def make_unequal_web(folder: Path, *, sites: int = SITES, with_addresses: bool = True) -> UnequalWeb:
    """Make the recording in a new folder inside ``folder``.

    With addresses, the sites of one place have a /24 of addresses; else nobody knows which of them lie together.
    """
    drawn = _draw(sites)
    urls, edges = folder / "urls.tsv", folder / "edges.tsv"
    urls.write_text("".join(f"{page_url(page)}\t{size}\n" for page, size in enumerate(drawn.sizes)))
    edges.write_text("".join(f"{source}\t{target}\n" for source, target in drawn.links))
    session = folder / "recorded"
    import_edges(edges, session, urls=urls)
    if with_addresses:
        _give_addresses(session, drawn.near)
    return UnequalWeb(session, drawn.near)


def write_unequal_pages(path: Path, *, sites: int = SITES) -> npt.NDArray[np.int64]:
    """Write the pages of the same web, as HTML, into a new WARC file; the rank each site is near to, int64[sites]."""
    drawn = _draw(sites)
    targets: list[list[int]] = [[] for _ in drawn.sizes]
    for source, target in drawn.links:
        targets[source].append(target)
    warc = WarcFile(path)
    for page, size in enumerate(drawn.sizes):
        body = _html(page, targets[page], size)
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n"
        warc.append(Exchange(url=page_url(page), fetched=0.0, response_head=head.encode(), body=body))
    warc.close()
    return drawn.near


def latencies(web: UnequalWeb) -> str:
    """Return the lines of `cutweb replay --latency @FILE`: each site near to one rank."""
    return "".join([f"* * {FAR}\n", *(f"{rank} {site_name(site)} {NEAR}\n" for site, rank in enumerate(web.near))])


def latencies_of_one_near_rank(rank: int) -> str:
    """Return lines by which one rank is near to all sites."""
    return f"* * {FAR}\n{rank} * {NEAR}\n"


def _draw(sites: int) -> _Drawn:
    chance = np.random.default_rng(_SEED)
    near = chance.permutation(np.arange(sites) % RANKS)
    sizes = np.rint(_MEAN_BYTES * chance.lognormal(-(_DEVIATION**2) / 2, _DEVIATION, sites * PAGES)).astype(int)
    return _Drawn(near, sizes.tolist(), _links(chance, sites))


def _links(chance: np.random.Generator, sites: int) -> list[tuple[int, int]]:
    """Links from each site's first page to its others, and from each page to some anywhere."""
    topic = chance.permutation(np.arange(sites) % TOPICS)
    of_topic = [np.flatnonzero(topic == one) for one in range(TOPICS)]
    found = [(site * PAGES, site * PAGES + page) for site in range(sites) for page in range(1, PAGES)]
    for page in range(sites * PAGES):
        for draw in chance.random(_LINKS):
            site = page // PAGES
            if draw > 0.95:
                site = int(chance.integers(sites))
            elif draw > 0.8:
                site = int(chance.choice(of_topic[topic[site]]))
            found.append((page, site * PAGES + int(chance.integers(PAGES))))
    return found


def _html(page: int, targets: list[int], size: int) -> bytes:
    """Return a page of so many bytes, or a little more if its links alone take more."""
    links = "".join(f'<a href="{page_url(target)}">{target}</a>\n' for target in targets)
    text = f"<!DOCTYPE html>\n<title>Page {page}</title>\n{links}<p>".encode()
    return text + b"." * (size - len(text))


def _give_addresses(session: Path, near: npt.NDArray[np.int64]) -> None:
    """Write addresses into the recorded pages: imported ones have none."""
    (path,) = session.glob("rank-*/pages-*.parquet")
    pages = pq.read_table(path, partitioning=None)
    numbers = [int(site[4:7]) for site in pages["site"].to_pylist()]
    ips = pa.array([site_address(site, near[site]) for site in numbers], pages.schema.field("ip").type)
    pq.write_table(pages.set_column(pages.schema.get_field_index("ip"), pages.schema.field("ip"), ips), path)
