"""One shard of a map, from its rows to its bytes: all that is in memory of a map at a time while it is written."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from xxhash import xxh3_64

from partition.assignment.url_prefixes import site_prefix
from partition.map.key_ranges import Groups, KeyRanges
from partition.map.majority_prefixes import majority, majority_prefixes, majority_sites
from partition.map.manifest import ShardEntry, parts_dtype
from partition.map.packed_integers import packed, width_for
from partition.map.prefix_table import make_trie, numbers_in
from partition.map.shard_layout import ALIGNMENT
from partition.map.spilled_rows import Rows
from partition.map.url_texts import keys_of
from sessions.url import url_hashes

_LARGE_SITE = 512
"""URLs of a site whose hashes take more than one page of memory."""


class Around(NamedTuple):
    """What a shard has to know of the rest of the map.

    Attributes:
        first: the first key that belongs to it.
        following: the first key of the next shard, None for the last.
        settled: the parts of the directories around these two keys, by all their pages.
        prefixes: the parts of the prefixes that keys in it may have; None if they follow from the pages' majorities.
    """

    first: str
    following: str | None
    settled: Mapping[str, int]
    prefixes: Mapping[str, int] | None


class WrittenShard(NamedTuple):
    """A shard's entry in the manifest, its bytes, and its rows in the order of their keys."""

    entry: ShardEntry
    content: list[bytes]
    rows: Rows


class _GroupedRows(NamedTuple):
    """How the rows of a shard lie in it: group by group, those of a part side by side, by hash in each.

    ``order``, int64[n], are the rows so.  ``groups``, uint32[g] ascending, are the groups there are; those of each are
    ``order[starts:ends]``, int64[g].
    """

    order: npt.NDArray[np.int64]
    groups: Groups
    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]


def write_shard(rows: Rows, k: int, around: Around) -> WrittenShard:
    """The shard that has these rows.  Raises ValueError if hashes are not those of the URLs, or URLs are alike."""
    rows, keys = _by_key(rows)
    urls = rows.urls.to_pylist()
    if not np.array_equal(rows.hashes, url_hashes(urls)):
        # Ranks turn numbers back into text: a hash that is not its URL's would have them fetch other pages.
        raise ValueError("hashes are not those of the URLs")
    url_trie = make_trie(urls)
    if len(url_trie) != len(urls):
        raise ValueError("URLs are not all different")
    grouped = _grouped(rows)
    if (np.diff(rows.hashes[grouped.order]) == 0).any():
        raise ValueError("hashes of the URLs are not all different")
    dtype = parts_dtype(k)
    numbers = numbers_in(url_trie, urls).astype(np.uint64)
    part_of_prefix, part_of_site = _prefixes_and_sites(keys, rows.parts, around)
    prefixes, prefix_parts = _trie_and_parts(part_of_prefix, dtype)
    exceptions, exception_parts = _trie_and_parts(part_of_site, dtype)
    tries = (url_trie.tobytes(), prefixes, exceptions)
    sections = [
        tries[0],
        grouped.groups.astype("<u4").tobytes(),
        grouped.starts.astype("<u4").tobytes(),
        grouped.ends.astype("<u4").tobytes(),
        rows.hashes[grouped.order].astype("<u8").tobytes(),
        packed(numbers[grouped.order], width_for(max(0, len(numbers) - 1))),
        rows.parts[grouped.order].astype(dtype).tobytes(),
        tries[1],
        prefix_parts,
        tries[2],
        exception_parts,
    ]
    content = list(_padded(sections))
    entry = ShardEntry(
        first=around.first,
        urls=len(rows.hashes),
        prefixes=len(part_of_prefix),
        sites=len(part_of_site),
        groups=len(grouped.groups),
        tries=(len(tries[0]), len(tries[1]), len(tries[2])),
        bytes=sum(map(len, content)),
        xxh3=_digest(content),
    )
    return WrittenShard(entry, content, rows)


def _by_key(rows: Rows) -> tuple[Rows, pa.Array]:
    """The rows in the order of their keys, and these; by hash where keys are alike, whatever ranks they came from."""
    rows = rows.take(np.argsort(rows.hashes, kind="stable"))
    keys = keys_of(rows.urls)
    by_key = pc.sort_indices(keys)
    return rows.take(by_key.to_numpy()), keys.take(by_key)


def _grouped(rows: Rows) -> _GroupedRows:
    groups, group_of_each, sizes = np.unique(_groups(rows), return_inverse=True, return_counts=True)
    part_of_group = majority(group_of_each, rows.parts.astype(np.int64), np.ones(len(rows.hashes)))
    by_part = np.lexsort((groups, part_of_group))
    place_of_group = np.empty(len(groups), np.int64)
    place_of_group[by_part] = np.arange(len(groups))
    ends = np.cumsum(sizes[by_part])[place_of_group]
    order = np.lexsort((rows.hashes, place_of_group[group_of_each]))
    return _GroupedRows(order, groups, ends - sizes, ends)


def _digest(content: list[bytes]) -> str:
    digest = xxh3_64()
    for piece in content:
        digest.update(piece)
    return digest.hexdigest()


def _groups(rows: Rows) -> Groups:
    """The group of each URL: its site, or its directory, if the site is large and has URLs of several parts."""
    _, sites, directories = KeyRanges([""]).shards_and_groups(rows.urls)
    _, site_of_each, sizes = np.unique(sites, return_inverse=True, return_counts=True)
    has_part = np.zeros((2, len(sizes)), np.int64)
    has_part[0] = np.iinfo(np.int64).max
    np.minimum.at(has_part[0], site_of_each, rows.parts)
    np.maximum.at(has_part[1], site_of_each, rows.parts)
    is_divided = (sizes >= _LARGE_SITE) & (has_part[0] != has_part[1])
    return np.where(is_divided[site_of_each], directories, sites)


def _prefixes_and_sites(
    keys: pa.Array, parts: npt.NDArray[np.uint16], around: Around
) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """The parts of prefixes, and those of the sites whose majority is not their prefix's part."""
    weights = np.ones(len(keys))
    if around.following is not None:
        # Unknown keys between the last page here and the first of the next shard are looked up here, too: the places
        # around that page count, but not the page.
        keys = pa.concat_arrays([keys, pa.array([around.following], pa.large_string())])
        parts, weights = np.append(parts, np.uint16(0)), np.append(weights, 0.0)
    if around.prefixes is None:
        prefixes, own = majority_prefixes(keys, parts, weights, around.settled)
        return dict(zip(prefixes, own.tolist(), strict=True)), {}
    part_of_prefix = dict(around.prefixes)
    of_sites = majority_sites(keys, parts, weights, around.settled)
    for site, part in of_sites.items():
        part_of_prefix.setdefault(site_prefix(site), part)
    return part_of_prefix, {site: part for site, part in of_sites.items() if part_of_prefix[site_prefix(site)] != part}


def _trie_and_parts(part_of: Mapping[str, int], dtype: np.dtype[np.uint8] | np.dtype[np.uint16]) -> tuple[bytes, bytes]:
    texts = list(part_of)
    trie = make_trie(texts)
    parts = np.empty(len(texts), dtype)
    parts[numbers_in(trie, texts)] = list(part_of.values())
    return trie.tobytes(), parts.tobytes()


def _padded(sections: list[bytes]) -> Iterator[bytes]:
    """Each section, so long that the next one begins at a multiple of `ALIGNMENT`."""
    for section in sections:
        yield section + bytes(-len(section) % ALIGNMENT)
