"""Parts under the names of an earlier map's, by ranks that each know their own pages' owners then and now."""

from dataclasses import astuple, replace

import numpy as np

from partition.assignment.assignment import Owners
from partition.cut.balance import Balance
from partition.cut.remap import best_names
from partition.graphs.group_sums import summed
from partition.map.partition_map import PartitionMap
from partition.map.write_map import Prefixes
from partition.measures.moves import Moves, moves
from partition.shares.link_share import LinkShare


def under_earlier_names(
    table: PartitionMap, links: LinkShare, parts: Owners, prefixes: Prefixes | None, balance: Balance
) -> tuple[Owners, Prefixes | None, Moves]:
    """The same parts of this rank's pages, int32[n], and of all prefixes, under other names; what moves on all ranks.

    ``table`` is the earlier map.
    """
    before = table.parts_of(links.hashes, links.urls.to_pylist())
    names = _earlier_names(before, parts, links, balance)
    renamed = names[parts]
    if prefixes is not None:
        prefixes = replace(prefixes, parts=names[np.asarray(prefixes.parts)])
    return renamed, prefixes, _moves_of_all(before, renamed, links)


def _earlier_names(before: Owners, parts: Owners, links: LinkShare, balance: Balance) -> Owners:
    """The names that leave most bytes of all ranks with the parts ``before``: int32[k], the same on each.

    ``before`` and ``parts`` are of this rank's pages, int32[n].  Parts beyond k, that are no more, are left out.
    """
    k = balance.parts
    is_held = (before >= 0) & (before < k)
    pairs = parts[is_held].astype(np.int64) * k + before[is_held]
    kept = links.ranks.summed(summed(links.bytes[is_held], pairs, k * k))
    return best_names(kept.reshape(k, k), balance)


def _moves_of_all(before: Owners, parts: Owners, links: LinkShare) -> Moves:
    """What moves from the parts ``before`` to ``parts``, int32[n] of this rank's pages: of all ranks together."""
    own = np.array(astuple(moves(before, parts, links.bytes)), np.int64)
    return Moves(*links.ranks.summed(own).tolist())
