"""Every figure of a report from its definition, with networkx and plain loops: what the fast code is compared with."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import networkx as nx
import numpy as np

from partition.map.partition_map import PartitionMap
from partition.map.url_numbers import encode_numbers
from partition.measures.traffic import Traffic
from sessions.url import site_of, url_hashes
from tests.partition.quality.support.webs import SmallWeb

Owner = Callable[[int, str], int]
"""The part that owns a URL, given the part that has found it."""


def directed(web: SmallWeb, targets: Sequence[str]) -> nx.DiGraph:
    """The links of a web that lead to these targets."""
    found = nx.DiGraph()
    found.add_nodes_from([*web.sizes, *targets])
    found.add_edges_from((source, target) for source, target in web.links if target in targets)
    return found


def sent_by(links: nx.DiGraph, parts: Mapping[str, int], owner: Owner, part: int) -> list[tuple[str, str]]:
    """The links that leave a part."""
    pages = [page for page, own in parts.items() if own == part]
    return [(source, target) for source, target in links.out_edges(pages) if owner(part, target) != part]


def traffic_by_definition(links: nx.DiGraph, parts: Mapping[str, int], owner: Owner, k: int) -> Traffic:
    """What `partition.measures.traffic.traffic` must say."""
    sent = [sent_by(links, parts, owner, part) for part in range(k)]
    received: list[list[str]] = [[] for _ in range(k)]
    for part, leaving in enumerate(sent):
        for _, target in leaving:
            received[owner(part, target)].append(target)
    once = [{target for _, target in leaving} for leaving in sent]
    pairs = {(part, owner(part, target)) for part, targets in enumerate(once) for target in targets}
    return Traffic(
        links=links.number_of_edges(),
        cut_links=sum(map(len, sent)),
        cut_bytes=sum(len(target.encode()) for leaving in sent for _, target in leaving),
        sent_links=sum(map(len, once)),
        sent_bytes=sum(len(target.encode()) for targets in once for target in targets),
        messages=len(pairs),
        most_sent_links=max(map(len, sent)),
        most_sent_bytes=max(sum(len(target.encode()) for _, target in leaving) for leaving in sent),
        most_received_links=max(map(len, received)),
        most_received_bytes=max(sum(map(len, map(str.encode, targets))) for targets in received),
    )


def imbalance_by_definition(weights: Mapping[str, int], parts: Mapping[str, int], shares: Sequence[float]) -> float:
    """The largest of the parts' weights over what they should be, less one."""
    total = sum(weights.values())
    loads = [sum(weight for page, weight in weights.items() if parts[page] == part) for part in range(len(shares))]
    wanted = [share / sum(shares) * total for share in shares]
    return max(load / want for load, want in zip(loads, wanted, strict=True)) - 1 if total else 0.0


def numbered_by_definition(
    links: nx.DiGraph, parts: Mapping[str, int], owner: Owner, numbers: Mapping[str, int], k: int
) -> int:
    """The encoded length of what each part has to tell each other."""
    total = 0
    for sender in range(k):
        targets = {target for _, target in sent_by(links, parts, owner, sender)}
        for receiver in range(k):
            told = sorted(numbers[target] for target in targets if owner(sender, target) == receiver)
            total += len(encode_numbers(np.array(told, np.int64)))
    return total


def overlap_by_definition(links: nx.DiGraph, owner: Owner, parts: Mapping[str, int]) -> int:
    """For each URL that is linked to, the owners that its finders name, less one."""
    owners: dict[str, set[int]] = {}
    for source, target in links.edges:
        owners.setdefault(target, set()).add(owner(parts[source], target))
    return sum(len(named) - 1 for named in owners.values())


def figures_by_definition(
    web: SmallWeb, parts: Mapping[str, int], owner: Owner, numbers: Mapping[str, int], k: int
) -> dict[str, Any]:
    """All figures that do not depend on the machine or the map's size, by name."""
    pages, everything = directed(web, list(web.sizes)), directed(web, [*web.sizes, *web.known])
    inner = traffic_by_definition(pages, parts, owner, k)
    live = traffic_by_definition(everything, parts, owner, k)
    ranks: dict[str, set[int]] = {}
    for page, part in parts.items():
        ranks.setdefault(site_of(page), set()).add(part)
    counts = Counter(len(owners) for owners in ranks.values())
    return {
        "storage_imbalance": imbalance_by_definition(web.sizes, parts, [1.0] * k),
        "requests_imbalance": imbalance_by_definition(dict.fromkeys(web.sizes, 1), parts, [1.0] * k),
        "links_imbalance": imbalance_by_definition(dict(everything.out_degree(web.sizes)), parts, [1.0] * k),
        "volume_bytes": inner.cut_bytes,
        "volume_links": inner.cut_links,
        "edge_cut": inner.cut_links / inner.links if inner.links else 0.0,
        "live_volume_bytes": live.cut_bytes,
        "live_volume_links": live.cut_links,
        "sent_bytes": inner.sent_bytes,
        "sent_links": inner.sent_links,
        "live_sent_bytes": live.sent_bytes,
        "live_sent_links": live.sent_links,
        "overlap": overlap_by_definition(everything, owner, parts),
        "numbered_bytes": numbered_by_definition(pages, parts, owner, numbers, k),
        "messages": inner.messages,
        "live_messages": live.messages,
        "most_sent_bytes": inner.most_sent_bytes,
        "most_received_bytes": inner.most_received_bytes,
        "most_sent_links": inner.most_sent_links,
        "most_received_links": inner.most_received_links,
        "ranks_per_site": sum(count * sites for count, sites in counts.items()) / len(ranks),
        "most_ranks_per_site": max(counts),
        "whole_sites": counts[1] / len(ranks),
        "empty_parts": k - len(set(parts.values())),
    }


def check_map(table: PartitionMap, web: SmallWeb) -> dict[str, int]:
    """See to it that the volumes that a map tells are those of the parts that it gives; the part of each page."""
    urls = list(web.sizes)
    own = dict(zip(urls, table.parts_of(url_hashes(urls), urls).tolist(), strict=True))
    told = traffic_by_definition(directed(web, urls), own, lambda _, url: own[url], table.parts)
    assert table.manifest.origin.volumes == {
        "sent_bytes": told.sent_bytes,
        "sent_links": told.sent_links,
        "cut_bytes": told.cut_bytes,
        "cut_links": told.cut_links,
    }
    return own
