"""What checking URLs against all that were seen costs the disk: the paper's model of three methods.

The overhead w of a method is the bytes it reads and writes, over the bytes of all URLs that are parsed out of pages.  A
crawl of N pages parses n = lN links, of which the share p leads to URLs not seen before; U URLs were seen before the
crawl began.  All sizes are decimal: 1 GB is 10^9 bytes.

Source: H.-T. Lee, D. Leonard, X. Wang, D. Loguinov, "IRLbot: Scaling to 6 Billion Pages and Beyond", WWW 2008,
section 4, Theorems 1 to 3.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Load:
    """What a crawl asks of its URL-seen, by default as the paper has it; its letters in brackets."""

    key_bytes: float = 8.0
    """A key, and its value if it has one [H]."""
    pointer_bytes: float = 4.0
    """A pointer in memory [P]."""
    url_bytes: float = 110.0
    """The mean URL as text [b]."""
    packed_url_bytes: float = 5.5
    """The mean URL as Polybot keeps it, compressed [bq]; the text says 5, the printed table needs this."""
    links: float = 59.0
    """Links of a page [l]."""
    unique: float = 1 / 9
    """The share of links that lead to URLs not seen before [p]."""
    known: float = 1e8
    """URLs seen before the crawl begins [U]."""


@dataclass(frozen=True)
class Store:
    """What a method is given, in bytes."""

    memory: float
    """Memory [R]."""
    disk: float
    """Disk for the buckets of DRUM [D]; other methods do not ask for it."""
    buffer: float = 256_000.0
    """Memory in front of each of DRUM's bucket files [M]."""


def swept(load: Load, parsed: float) -> float:
    """Bytes read and written by all merges, times the links of a merge, over all links [z = 2UH + pHn].

    Each merge reads the sorted keys and writes them again; that they grow evenly from U to U + pn makes the mean.
    ``parsed`` is the number of links, n.
    """
    return 2 * load.known * load.key_bytes + load.unique * load.key_bytes * parsed


def mercator_overhead(load: Load, store: Store, pages: float) -> float:
    """Overhead w of Mercator-B, which merges whenever a hash table in memory is full.  Theorem 1.

    w = 2z(H + P)/(bR) + 2 + p
    """
    sweeps = 2 * swept(load, load.links * pages) * (load.key_bytes + load.pointer_bytes)
    return sweeps / (load.url_bytes * store.memory) + 2 + load.unique


def polybot_overhead(load: Load, store: Store, pages: float) -> float:
    """Overhead w of Polybot, which merges a search tree of whole URLs with a file of compressed ones.  Theorem 1.

    w = 2(2U bq + p bq n)(b + 4P)/(bR) + p
    """
    urls = (2 * load.known + load.unique * load.links * pages) * load.packed_url_bytes
    node = load.url_bytes + 4 * load.pointer_bytes
    return 2 * urls * node / (load.url_bytes * store.memory) + load.unique


def drum_overhead(load: Load, store: Store, pages: float) -> float:
    """Overhead w of DRUM.  Theorem 2.

    With c = 2 + p + 2H/b: w = 8M(H + P)z/(bR^2) + c where memory is what limits a merge (R^2 < L, `merge_limit`), and
    (H + b)z/(bD) + c where disk is.
    """
    return drum_bytes(load, merged_at_once(load, store), load.links * pages) / load.url_bytes + load.unique


def merge_limit(load: Load, store: Store) -> float:
    """The square of the memory with which a merge can take what fills the disk [L = 8MD(H + P)/(H + b)]."""
    node = load.key_bytes + load.pointer_bytes
    return 8 * store.buffer * store.disk * node / (load.key_bytes + load.url_bytes)


def merged_at_once(load: Load, store: Store) -> float:
    """Links that DRUM gathers between two merges.

    Half of the memory is k = R/(4M) pairs of buffers, the other half holds one bucket while it is sorted: R/(2(H + P))
    links.  Their product, R^2/(8M(H + P)), is what memory allows; the disk allows D/(H + b).
    """
    if store.memory**2 < merge_limit(load, store):
        return store.memory**2 / (8 * store.buffer * (load.key_bytes + load.pointer_bytes))
    return store.disk / (load.key_bytes + load.url_bytes)


def drum_bytes(load: Load, at_once: float, parsed: float) -> float:
    """Bytes that DRUM reads and writes for a link, without the new URLs themselves being written for their reader.

    z/E + 2(H + b), if ``at_once`` [E] links are gathered between two merges and ``parsed`` [n] in all: the sorted keys
    in every merge, and each link into its bucket and out again.  Theorem 2, before it is divided by b.
    """
    return swept(load, parsed) / at_once + 2 * (load.key_bytes + load.url_bytes)


def drum_bytes_of(load: Load, batches: Sequence[float]) -> float:
    """Bytes that DRUM reads and writes for all links of merges that take so many each, as `drum_bytes` counts them.

    That is the sum which Theorem 2 evaluates for merges of one size.
    """
    before, moved = load.known, 0.0
    for parsed in batches:
        after = before + load.unique * parsed
        moved += load.key_bytes * (before + after) + 2 * (load.key_bytes + load.url_bytes) * parsed
        before = after
    return moved


def best_disk(load: Load, memory: float, buffer: float = Store.buffer) -> float:
    """Bytes of disk beyond which more disk does not help DRUM [D_opt = R^2(H + b)/(8M(H + P))]."""
    return memory**2 * (load.key_bytes + load.url_bytes) / (8 * buffer * (load.key_bytes + load.pointer_bytes))


def growing_disk(load: Load, pages: float, least: float = 1e12) -> float:
    """Bytes of disk that the paper's Table 3 gives DRUM: as many as the keys take, and 1 TB at least [D(N)]."""
    return max(load.unique * load.key_bytes * load.links * pages, least)


def pages_per_second(load: Load, overhead: float, disk_rate: float) -> float:
    """The download rate that URL-seen allows [S_disk = W/(w b l)], Theorem 3; ``disk_rate`` in bytes/s [W]."""
    return disk_rate / (overhead * load.url_bytes * load.links)
