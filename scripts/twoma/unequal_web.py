"""A recorded web that lies at four places, one near to each of four ranks, and how long its requests take from there.

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


def site_name(site: int) -> str:
    """Return the host name of a site."""
    return f"site{site:03}.example"


def make_unequal_web(folder: Path, *, sites: int = SITES, with_addresses: bool = True) -> UnequalWeb:
    """Make the recording in a new folder inside ``folder``.

    With addresses, the sites of one place have a /24 of addresses; else nobody knows which of them lie together.
    """
    chance = np.random.default_rng(_SEED)
    near = chance.permutation(np.arange(sites) % RANKS)
    sizes = np.rint(_MEAN_BYTES * chance.lognormal(-(_DEVIATION**2) / 2, _DEVIATION, sites * PAGES)).astype(int)
    urls, edges = folder / "urls.tsv", folder / "edges.tsv"
    urls.write_text("".join(f"{_url(page)}\t{size}\n" for page, size in enumerate(sizes.tolist())))
    edges.write_text("".join(f"{source}\t{target}\n" for source, target in _links(chance, sites)))
    session = folder / "recorded"
    import_edges(edges, session, urls=urls)
    if with_addresses:
        _give_addresses(session, near)
    return UnequalWeb(session, near)


def latencies(web: UnequalWeb) -> str:
    """Return the lines of `cutweb replay --latency @FILE`: each site near to one rank."""
    return "".join([f"* * {FAR}\n", *(f"{rank} {site_name(site)} {NEAR}\n" for site, rank in enumerate(web.near))])


def latencies_of_one_near_rank(rank: int) -> str:
    """Return lines by which one rank is near to all sites."""
    return f"* * {FAR}\n{rank} * {NEAR}\n"


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


def _url(page: int) -> str:
    site, number = divmod(page, PAGES)
    return f"http://{site_name(site)}/{number % _DIRECTORIES}/{number}"


def _give_addresses(session: Path, near: npt.NDArray[np.int64]) -> None:
    """Write addresses into the recorded pages: imported ones have none."""
    (path,) = session.glob("rank-*/pages-*.parquet")
    pages = pq.read_table(path, partitioning=None)
    numbers = [int(site[4:7]) for site in pages["site"].to_pylist()]
    ips = pa.array([f"10.0.{near[site]}.{1 + site % 250}" for site in numbers], pages.schema.field("ip").type)
    pq.write_table(pages.set_column(pages.schema.get_field_index("ip"), pages.schema.field("ip"), ips), path)
