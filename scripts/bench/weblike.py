"""An invented web-like graph of any size: a page copies most links of an earlier page of its site (the copying model).

    python -m scripts.bench.weblike 1000000 10 links.txt       1,000,000 pages, 10 links drawn for each
    cutweb import edges links.txt --out session

Sizes of sites are heavy-tailed (Pareto, exponent 1.1); pages of a site have numbers in a row.  Of a page's links 72%
are copied from a page of its site shortly before it, 24% lead near by within the site, 4% anywhere, most of these to
where links lead already, so that there are hubs (Kumar et al., "Stochastic Models for the Web Graph", FOCS 2000).  The
same numbers give the same graph.  Repeated links are dropped by the import: of ten some seven are distinct.
"""

import argparse
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

from sessions.compiled import compiled

_SEED = 7
_COPIED, _NEAR = 0.72, 0.96
_POPULAR = 0.7


def main() -> None:
    """Write the links, a pair of page numbers a line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", type=int)
    parser.add_argument("degree", type=int, help="links drawn for a page, in the mean")
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    links = weblike(options.pages, options.degree)
    columns = pa.table({"source": links[:, 0], "target": links[:, 1]})
    pyarrow.csv.write_csv(columns, options.out, pyarrow.csv.WriteOptions(include_header=False, delimiter="\t"))
    print(f"{options.out}: {options.pages:,} pages, {len(links):,} links, repeated ones among them")


def weblike(pages: int, degree: int, seed: int = _SEED) -> np.ndarray:
    """The links, int32[m, 2], by source; ``degree`` is the mean number of links that are drawn for a page."""
    starts = _site_starts(pages, np.random.default_rng(seed))
    sites = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    return _links(pages, degree, starts, sites, seed)


def _site_starts(pages: int, rng: np.random.Generator) -> np.ndarray:
    """Where each site begins, and the number of pages."""
    sizes = np.minimum((rng.pareto(1.1, pages) * 30 + 3).astype(np.int64), max(1, pages // 50))
    ends = np.cumsum(sizes)
    ends = ends[: np.searchsorted(ends, pages) + 1]
    ends[-1] = pages
    return np.concatenate(([0], ends))


@compiled
def _links(pages: int, degree: int, starts: np.ndarray, sites: np.ndarray, seed: int) -> np.ndarray:
    np.random.seed(seed)
    links = np.empty((pages * degree, 2), np.int32)
    first = np.zeros(pages + 1, np.int64)
    count = 0
    for page in range(pages):
        first[page] = count
        begin, end = starts[sites[page]], starts[sites[page] + 1]
        copied = max(begin, page - 1 - int(np.random.exponential(8))) if page > begin else -1
        for _ in range(1 + np.random.poisson(degree - 1)):
            if count == len(links):
                break
            target = _target(links, first, count, page, begin, end, copied)
            if target != page:
                links[count, 0], links[count, 1] = page, target
                count += 1
        first[page + 1] = count
    return links[:count]


@compiled
def _target(links: np.ndarray, first: np.ndarray, count: int, page: int, begin: int, end: int, copied: int) -> int:
    chance = np.random.random()
    if copied >= 0 and chance < _COPIED and first[copied + 1] > first[copied]:
        return int(links[first[copied] + np.random.randint(first[copied + 1] - first[copied]), 1])
    if chance < _NEAR:
        distance = int(np.random.exponential(40))
        near = page + distance if np.random.random() < 0.5 else page - distance
        return int(near if begin <= near < end else begin + np.random.randint(end - begin))
    if count and np.random.random() < _POPULAR:
        return int(links[np.random.randint(count), 1])
    return int(np.random.randint(len(first) - 1))


if __name__ == "__main__":
    main()
