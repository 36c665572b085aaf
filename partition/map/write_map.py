"""Writing a partition map: by one process or all ranks, whole or not at all, in memory that does not grow with the map.

Rows come in batches, and lie on disk, beside a sample of their keys that says where shards begin.  Then each rank takes
a stretch of shards: rows travel to the rank of their shard, lie on disk again, and one shard after the other is made of
them.  Rank 0 puts the shards into one file, and writes the manifest last.
"""

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from partition.assignment.url_prefixes import site_of_key
from partition.choices import MOST_PARTS, UNKNOWN_RULES, WHOLE_SITES, map_models
from partition.communication.ranks import Ranks
from partition.map.key_ranges import KeyRanges
from partition.map.key_sample import KeySample
from partition.map.manifest import (
    MANIFEST,
    PARTS_TABLE,
    SHARDS,
    Manifest,
    MapError,
    Origin,
    ShardEntry,
    length_and_xxh3,
)
from partition.map.open_directories import OpenDirectories
from partition.map.spilled_rows import NO_ROWS, Rows, SpilledRows
from partition.map.url_texts import keys_of
from partition.map.write_shard import Around, write_shard
from sessions.hash_arrays import grouped
from sessions.session import SessionError
from sessions.url import Hashes
from sessions.version import software_version
from sessions.writing.atomic_folder import whole_folder

SHARD_URLS = 1 << 18
"""URLs in a shard, about: larger ones take more memory, and more time for each URL; small ones more bytes."""
_AT_ONCE = 1 << 17
"""Rows that a rank sends in a round."""
_OF_PREFIXES = (*WHOLE_SITES, "prefix")
"""Models whose parts are of URL prefixes; those of others are of pages."""
_COPIED = 1 << 22

FilesBeside = Mapping[str, Callable[[Path], None]]
"""By name, what writes a file into the folder of a map, for others than its ranks."""
_NOTHING: FilesBeside = {}


@dataclass(frozen=True)
class Prefixes:
    """m distinct URL prefixes (`partition.assignment.url_prefixes`), each with its part, int[m]."""

    texts: Sequence[str]
    parts: npt.ArrayLike


def write_map(
    folder: Path,
    origin: Origin,
    *,
    k: int,
    urls: Sequence[str],
    hashes: Hashes,
    parts: npt.ArrayLike,
    prefixes: Sequence[str],
    prefix_parts: npt.ArrayLike,
    unknown: str = "prefix",
    beside: FilesBeside = _NOTHING,
    shard_urls: int = SHARD_URLS,
) -> Manifest:
    """Write a partition of ``urls`` into ``k`` parts as the map ``folder``, which must be absent or empty.

    ``urls`` are n distinct canonical URLs, ``hashes`` uint64[n] theirs, ``parts`` int[n] in [0, k).  ``prefixes`` are m
    distinct URL prefixes (`partition.assignment.url_prefixes`), ``prefix_parts`` int[m]; a site that has pages and no
    entry of its own is given one, its pages' majority.  ``unknown`` is the rule for URLs that the map does not hold.
    ``beside`` are files that no rank reads, by name, each with the function that writes it.

    The folder is there whole or not at all.  Raises MapError if it cannot be written, ValueError for arguments that
    make no map.
    """
    rows = Rows(pa.array(urls, pa.large_string()), np.asarray(hashes, np.uint64), np.asarray(parts))
    given = Prefixes(prefixes, prefix_parts)
    return build_map(
        folder, origin, k=k, rows=[rows], prefixes=given, unknown=unknown, beside=beside, shard_urls=shard_urls
    )


def build_map(
    folder: Path,
    origin: Origin,
    *,
    k: int,
    rows: Iterable[Rows],
    prefixes: Prefixes | None,
    unknown: str = "prefix",
    beside: FilesBeside = _NOTHING,
    ranks: Ranks | None = None,
    shard_urls: int = SHARD_URLS,
) -> Manifest:
    """Write a map of the ``rows`` of all ranks, in batches of any size; collective, and the same for any ranks.

    ``prefixes`` are the same on all ranks; None stands for `partition.map.majority_prefixes` of all rows.  All else is
    as for `write_map`.  A rank has in memory a batch, a shard, the prefixes, and a sample of keys; and all its rows,
    uncompressed, in a file beside the map, which takes twice the room while rows travel.
    """
    if origin.model not in map_models():
        raise ValueError(f"no model {origin.model!r}; there are {', '.join(map_models())}")
    UNKNOWN_RULES.check(unknown)
    if not 1 <= k <= MOST_PARTS:
        raise ValueError(f"{k} parts: must be from 1 to {MOST_PARTS}")
    ranks = ranks or Ranks()
    given = None if prefixes is None else _part_of_prefix(k, prefixes)
    with _whole(folder, ranks) as partial:
        writing = _Writing(partial, origin, k, given, ranks)
        with ranks.each(lambda: SpilledRows(partial / f"came-{ranks.rank}")) as came:
            with ranks.each(lambda: SpilledRows(partial / f"rows-{ranks.rank}")) as spilled:
                ranges = writing.taken_in(rows, spilled, shard_urls)
                settled = writing.brought_to_shards(spilled, came, ranges)
            entries, tables = writing.shards(came, ranges, settled)
        tables |= ranks.first(lambda: _written(partial, beside))
        return ranks.first(lambda: writing.manifest(entries, tables, unknown))


class _Writing:
    """The steps in which ranks write a map into the folder ``partial``; all but `manifest` are collective."""

    def __init__(self, partial: Path, origin: Origin, k: int, given: Mapping[str, int] | None, ranks: Ranks) -> None:
        self._folder = partial
        self._origin = origin
        self._k = k
        self._given = given
        self._ranks = ranks

    def taken_in(self, rows: Iterable[Rows], spilled: SpilledRows, shard_urls: int) -> KeyRanges:
        """Put all rows on disk; the ranges of keys that shards are to have."""
        sample = KeySample()

        def take_in() -> int:
            count = 0
            for batch in rows:
                batch = batch._replace(parts=_checked(self._k, len(batch.urls), batch.parts, "URLs"))
                if len(batch.hashes) != len(batch.urls):
                    raise ValueError("hashes are not those of the URLs")
                for begin in range(0, len(batch.urls), _AT_ONCE):
                    some = batch.slice(begin, begin + _AT_ONCE)
                    sample.add(some)
                    spilled.append(some)
                count += len(batch.urls)
            return count

        count = self._ranks.total(self._ranks.each(take_in))
        return KeyRanges(sample.firsts(max(1, -(-count // shard_urls)), self._ranks))

    def brought_to_shards(self, spilled: SpilledRows, came: SpilledRows, ranges: KeyRanges) -> list[Mapping[str, int]]:
        """Send rows to the ranks of their shards; the parts of the directories that reach beyond each shard."""
        directories = OpenDirectories(ranges)
        for rows in self._ranks.in_step(spilled.read(), NO_ROWS):
            owners = self._owner(ranges.shards_and_groups(rows.urls)[0], len(ranges))
            (hashes, parts), _ = self._ranks.sent(owners, rows.hashes, rows.parts)
            rows = Rows(self._ranks.sent_texts(owners, rows.urls), hashes, parts)
            self._ranks.each(lambda rows=rows: _sort_out(rows, ranges, came, directories))  # type: ignore[misc]
        return directories.settled(self._ranks)

    def shards(
        self, came: SpilledRows, ranges: KeyRanges, settled: list[Mapping[str, int]]
    ) -> tuple[list[ShardEntry], dict[str, dict[str, int | str]]]:
        """Write the shards and the table for other tools; the entries of all shards, and the table's files."""
        if len(ranges) > 1:
            self._ranks.first((self._folder / PARTS_TABLE).mkdir)
        owned = np.flatnonzero(self._owner(np.arange(len(ranges)), len(ranges)) == self._ranks.rank)
        given = self._given_by_shard(ranges)
        own = self._ranks.each(
            lambda: [self._shard(shard, came, ranges, settled[shard], given) for shard in owned.tolist()]
        )
        entries = [entry for its in self._ranks.together([entry for entry, _ in own]) for entry in its]
        tables = [table for its in self._ranks.together([table for _, table in own]) for table in its]
        self._ranks.first(self._put_together)
        return entries, dict(tables)

    def manifest(self, entries: list[ShardEntry], tables: dict[str, dict[str, int | str]], unknown: str) -> Manifest:
        """Write the manifest."""
        manifest = Manifest(
            origin=self._origin,
            parts=self._k,
            unknown=unknown,
            software=f"cutweb {software_version()}",
            made=datetime.now(UTC).isoformat(timespec="seconds"),
            urls=sum(entry.urls for entry in entries),
            prefixes=sum(entry.prefixes for entry in entries),
            sites=sum(entry.sites for entry in entries),
            files=tables,
            shards=tuple(entries),
        )
        (self._folder / MANIFEST).write_text(manifest.as_json(), encoding="utf-8")
        return manifest

    def _owner(self, shards: npt.NDArray[np.int64], count: int) -> npt.NDArray[np.int64]:
        """The rank that makes each shard: they follow each other."""
        return shards * self._ranks.size // count

    def _given_by_shard(self, ranges: KeyRanges) -> list[dict[str, int]] | None:
        """For each shard the given prefixes that its keys may have."""
        if self._given is None:
            return None
        by_shard: list[dict[str, int]] = [{} for _ in range(len(ranges))]
        for text, part in self._given.items():
            for shard in ranges.shards_below(text):
                by_shard[shard][text] = part
        return by_shard

    def _shard(
        self,
        shard: int,
        came: SpilledRows,
        ranges: KeyRanges,
        settled: Mapping[str, int],
        given: list[dict[str, int]] | None,
    ) -> tuple[ShardEntry, tuple[str, dict[str, int | str]]]:
        """Write a shard; its entry, and its file of the table for other tools."""
        following = ranges.firsts[shard + 1] if shard + 1 < len(ranges) else None
        prefixes = None if given is None else given[shard]
        written = write_shard(came.all(shard), self._k, Around(ranges.firsts[shard], following, settled, prefixes))
        with self._own_shards(self._ranks.rank).open("ab") as file:
            file.writelines(written.content)
        name = PARTS_TABLE if len(ranges) == 1 else f"{PARTS_TABLE}/{shard:05}.parquet"
        keys: Sequence[str] | pa.Array = written.rows.urls
        parts: npt.ArrayLike = written.rows.parts
        if prefixes is not None and self._origin.model in _OF_PREFIXES:
            keys = [text for text in prefixes if ranges.shard_of(text) == shard]
            parts = [prefixes[text] for text in keys]
        _write_parts_table(self._folder / name, self._origin.model, keys, parts)
        return written.entry, (name, _described(self._folder / name))

    def _own_shards(self, rank: int) -> Path:
        return self._folder / f"shards-{rank}"

    def _put_together(self) -> None:
        """Make one file of those of all ranks: one file is opened and mapped faster than many."""
        first, *others = (self._own_shards(rank) for rank in range(self._ranks.size))
        with first.open("ab") as whole:
            for path in filter(Path.exists, others):
                with path.open("rb") as file:
                    shutil.copyfileobj(file, whole, _COPIED)
                path.unlink()
        first.rename(self._folder / SHARDS)


def _sort_out(rows: Rows, ranges: KeyRanges, came: SpilledRows, directories: OpenDirectories) -> None:
    """Put rows to those of their shards."""
    order, begins = grouped(ranges.shards_and_groups(rows.urls)[0], len(ranges))
    in_order = rows.take(order)
    for shard in np.flatnonzero(np.diff(begins)).tolist():
        some = in_order.slice(begins[shard], begins[shard + 1])
        came.append(some, shard)
        directories.add(shard, keys_of(some.urls), some.parts)


@contextmanager
def _whole(folder: Path, ranks: Ranks) -> Iterator[Path]:
    """`whole_folder`, of all ranks, with errors in a map's own terms."""
    try:
        with ExitStack() as stack:
            yield ranks.first(lambda: stack.enter_context(whole_folder(folder)))
            ranks.first(stack.close)
    except SessionError as error:
        raise MapError(str(error)) from error
    except OSError as error:
        raise MapError(f"{folder}: {error.strerror or error}") from error


def _part_of_prefix(k: int, prefixes: Prefixes) -> dict[str, int]:
    parts = _checked(k, len(prefixes.texts), prefixes.parts, "prefixes")
    if strange := [prefix for prefix in prefixes.texts if "/" not in prefix[1:]]:
        raise ValueError(f"{strange[0]!r} is not a prefix: it lacks the slash after the host")
    part_of_prefix = dict(zip(prefixes.texts, parts.tolist(), strict=True))
    if len(part_of_prefix) != len(prefixes.texts):
        raise ValueError("prefixes are not all different")
    return part_of_prefix


def _checked(k: int, count: int, parts: npt.ArrayLike, what: str) -> npt.NDArray[np.uint16]:
    array = np.asarray(parts)
    if array.shape != (count,) or (count and not 0 <= array.min() <= array.max() < k):
        raise ValueError(f"parts of {what} are not one in [0, {k}) for each")
    return array.astype(np.uint16)


def _write_parts_table(path: Path, model: str, keys: Sequence[str] | pa.Array, parts: npt.ArrayLike) -> None:
    """The partition as people and other tools read it: a key, that is what the model has as vertices, and its part."""
    if model in WHOLE_SITES:
        keys = [site_of_key(prefix) for prefix in keys]
    columns = {"key": pa.array(keys, pa.string()), "part": pa.array(parts, pa.uint16())}
    pq.write_table(pa.table(columns), path, compression="ZSTD", write_statistics=False)


def _written(folder: Path, beside: FilesBeside) -> dict[str, dict[str, int | str]]:
    """Write these files; what the manifest says of them."""
    for name, write in beside.items():
        write(folder / name)
    return {name: _described(folder / name) for name in beside}


def _described(path: Path) -> dict[str, int | str]:
    length, xxh3 = length_and_xxh3(path)
    return {"bytes": length, "xxh3": xxh3}
