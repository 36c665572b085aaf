"""Who owns a page without a look at links: how even that is, what it costs, and what moves when K changes.

The baselines that the paper's tables leave out: the hash of the pay-level domain, consistent hashing, and whole sites
packed by weight.  `scripts.reproduce.cambazoglu2004` measures them on its data and writes the tables into its page.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from partition.assignment.assignment import assignment_named, assignments_for
from partition.assignment.ring import PLACES, HashRing
from partition.choices import ASSIGNMENTS
from partition.graphs.link_graph import LinkGraph
from partition.measures.moves import moves
from scripts.reproduce.number_format import percent, table, whole

NAMES = {
    "page-hash": "page hash",
    "page-ring": "page ring",
    "site-hash": "site hash",
    "site-ring": "site ring",
    "domain-hash": "domain hash",
    "site-packed": "sites packed",
}
_FIGURES = (
    ("storage_imbalance", "imbalance of storage, %", percent),
    ("requests_imbalance", "imbalance of requests, %", percent),
    ("volume_links", "volume, in links", whole),
)
_MORE_RANKS = (1, 8)


def moved_pages(graph: LinkGraph, parts: Iterable[int]) -> list[dict[str, Any]]:
    """The share of the pages that change owners from K ranks to one and to eight more, by assignment, for each K."""
    urls = graph.urls.to_pylist()
    names = assignments_for(has_urls=graph.has_urls)
    rows = []
    for k in parts:
        counts = [k, *(k + more for more in _MORE_RANKS)]
        found: dict[str, list[float]] = {}
        for name in names:
            before, *after = (assignment_named(name, ranks).owners(graph.hashes, urls) for ranks in counts)
            found[name] = [moves(before, owners, graph.bytes).share_of_pages for owners in after]
        rows += [
            {"k": k, "to": to, "moved": {name: shares[number] for name, shares in found.items()}}
            for number, to in enumerate(counts[1:])
        ]
    return rows


def ring_section(parts: Sequence[int]) -> Iterable[str]:
    """How even the ring itself is, whatever lies on it."""
    yield "## The ring\n"
    yield (
        f"Each rank has {PLACES:,} places on the ring of hashes.  How far the largest and the smallest share of it are "
        "from 1/K,\nbefore any page is looked at:\n"
    )
    shares = {k: HashRing(k).shares() for k in parts}
    rows = [[str(k), percent(k * own.max() - 1), percent(1 - k * own.min())] for k, own in shares.items()]
    yield table(["K", "most: above 1/K by, %", "least: below 1/K by, %"], rows)


def sections(data: dict[str, Any], compared: dict[str, str]) -> Iterable[str]:
    """The tables of the baselines on one data set, beside the models that are ``compared``, name by model."""
    found = {(row["model"], row["k"]): row for row in data["rows"] if row["way"] == "Cutweb"}
    models = {model: name for model, name in {**NAMES, **compared}.items() if any(key[0] == model for key in found)}
    for figure, title, text in _FIGURES:
        yield f"### Baselines: {title}\n"
        yield table(
            ["K", *models.values()],
            [[str(k), *(text(found.get((model, k), {}).get(figure)) for model in models)] for k in data["parts"]],
        )
    yield "### Baselines: pages that change owners when K changes, %\n"
    yield "*Needed* is what the new ranks must be given to have their shares.\n"
    named = [name for name in NAMES if name in ASSIGNMENTS and name in data["moved"][0]["moved"]]
    yield table(
        ["K", "needed", *(NAMES[name] for name in named)],
        [
            [
                f"{row['k']} → {row['to']}",
                percent(1 - row["k"] / row["to"]),
                *(percent(row["moved"][name]) for name in named),
            ]
            for row in data["moved"]
        ],
    )
