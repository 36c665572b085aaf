"""What crosses between parts: the communication of a crawl, from the links and the owners of their ends.

All figures are those of Cambazoglu, Turk and Aykanat, "Data-Parallel Web Crawling Models" (ISCIS 2004, sections 3 and
5): a link whose source lies in one part and whose target is owned by another has its URL sent from the one to the
other.  `sends` is the same where a part sends each URL once, however many of its pages link there.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from partition.assignment.assignment import Owners
from partition.graphs.group_sums import summed
from partition.graphs.link_graph import LinkGraph, Numbers


@dataclass(frozen=True)
class Finds:
    """E links as the parts see them.

    Attributes:
        k: K, the number of parts.
        finders: the part that holds each link's source, int32[E].
        owners: the part that owns each link's target, int32[E].
        targets: number of each link's target, of any integer type, an index into ``lengths``.
        lengths: length of each target's canonical URL in bytes, int64[t].
    """

    k: int
    finders: Owners
    owners: Owners
    targets: Numbers
    lengths: Numbers

    def crossing(self) -> tuple[Numbers, Numbers]:
        """Of each link that crosses, finder and owner as one number, finder x K + owner, and its target: int64[c]."""
        crosses = self.finders != self.owners
        pairs = self.finders[crosses].astype(np.int64) * self.k + self.owners[crosses]
        return pairs, self.targets[crosses].astype(np.int64)


@dataclass(frozen=True)
class Traffic:
    """Sums over links that cross parts; bytes are those of canonical URLs with scheme.

    Attributes:
        links: all links, those within a part too.
        cut_links, cut_bytes: the links that cross, each sent: the paper's volume, with every link 1 and as bytes.
        sent_links, sent_bytes: the same if each part sends each URL once.
        messages: ordered pairs of parts between which at least one link crosses.
        most_sent_links, most_sent_bytes: what the part that sends most sends, of ``cut_links`` and ``cut_bytes``.
        most_received_links, most_received_bytes: what the part that receives most receives of them.
    """

    links: int
    cut_links: int
    cut_bytes: int
    sent_links: int
    sent_bytes: int
    messages: int
    most_sent_links: int
    most_sent_bytes: int
    most_received_links: int
    most_received_bytes: int


@dataclass(frozen=True)
class Sends:
    """URLs that cross, each once for every part that finds it: from whom, to whom, which target; int64[s] each.

    They are in order of sender, receiver and target.
    """

    senders: Numbers
    receivers: Numbers
    targets: Numbers


def finds_of_pages(graph: LinkGraph, parts: Owners, k: int) -> Finds:
    """The links between downloaded pages, page i lying in ``parts[i]``, int32[n] in [0, k)."""
    return Finds(k, parts[graph.sources], parts[graph.links.indices], graph.links.indices, graph.url_bytes)


def finds_of_all(graph: LinkGraph, parts: Owners, known_owners: Owners | None, k: int) -> Finds:
    """The links to downloaded pages and to URLs that were only seen: what a live crawl of the same pages finds.

    ``known_owners`` is the owner of each URL only seen, int32[u] in [0, k); None if whoever finds one owns it.
    """
    pages = finds_of_pages(graph, parts, k)
    finders = np.repeat(parts, np.diff(graph.known_links.indptr))
    known = graph.known_links.indices
    owners = finders if known_owners is None else known_owners[known]
    lengths = graph.known_url_bytes
    return Finds(
        k,
        np.concatenate([pages.finders, finders]),
        np.concatenate([pages.owners, owners]),
        np.concatenate([pages.targets, known.astype(np.int64) + len(graph)]),
        np.concatenate([pages.lengths, lengths]),
    )


def traffic(finds: Finds) -> Traffic:
    """All sums over the links that cross."""
    k = finds.k
    pairs, targets = finds.crossing()
    links = summed(np.ones(len(pairs), np.int64), pairs, k * k).reshape(k, k)
    lengths = summed(finds.lengths[targets], pairs, k * k).reshape(k, k)
    once = sends(finds).targets
    return traffic_of(len(finds.targets), links, lengths, len(once), int(finds.lengths[once].sum()))


def traffic_of(of_all: int, links: Numbers, lengths: Numbers, sent_links: int, sent_bytes: int) -> Traffic:
    """The sums, given how many links cross from each part to each, int64[k, k], and the bytes of these.

    ``of_all`` is the number of links, those within a part too; the last two are of each URL sent once.
    """
    return Traffic(
        links=of_all,
        cut_links=int(links.sum()),
        cut_bytes=int(lengths.sum()),
        sent_links=sent_links,
        sent_bytes=sent_bytes,
        messages=int(np.count_nonzero(links)),
        most_sent_links=int(links.sum(axis=1).max()),
        most_sent_bytes=int(lengths.sum(axis=1).max()),
        most_received_links=int(links.sum(axis=0).max()),
        most_received_bytes=int(lengths.sum(axis=0).max()),
    )


def sends(finds: Finds) -> Sends:
    """What crosses if a part sends each URL once."""
    pairs, targets = finds.crossing()
    count = max(1, len(finds.lengths))
    keys = np.sort(pairs * count + targets)
    pairs, targets = np.divmod(keys[_are_first(keys)], count)
    senders, receivers = np.divmod(pairs, finds.k)
    return Sends(senders, receivers, targets)


def _are_first(ascending: Numbers) -> npt.NDArray[np.bool_]:
    """Which of some ascending numbers are the first of their kind: bool[n]."""
    first = np.ones(len(ascending), bool)
    np.not_equal(ascending[1:], ascending[:-1], out=first[1:])
    return first


def overlap(finds: Finds) -> int:
    """How many pages would be fetched too often: for each URL, the owners that it has, less one.

    A rule that depends on who finds a URL gives it as many owners as parts that link to it.
    """
    owners = finds.targets.astype(np.int64) * finds.k + finds.owners
    owners.sort()
    targets = owners[_are_first(owners)] // finds.k
    return int(len(targets) - np.count_nonzero(_are_first(targets)))
