"""Writing a partition map: the whole folder under another name, brought to disk, then renamed into place."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from partition.assignment.url_prefixes import site_of_key, site_prefix, url_keys
from partition.choices import MODELS, MOST_PARTS, UNKNOWN_RULES
from partition.map.hash_index import bucket_bits_for, order_of
from partition.map.majority_prefixes import majority_sites
from partition.map.manifest import (
    HASHES,
    MANIFEST,
    MAPPED,
    NUMBERS,
    PARTS_TABLE,
    PREFIX_PARTS,
    PREFIXES,
    SITE_PARTS,
    SITES,
    URL_PARTS,
    URLS,
    Manifest,
    MapError,
    Origin,
    length_and_xxh3,
    parts_dtype,
)
from partition.map.packed_integers import packed, width_for
from partition.map.prefix_table import make_trie, numbers_in
from sessions.session import SessionError
from sessions.url import Hashes, url_hashes
from sessions.version import software_version
from sessions.writing.atomic_folder import whole_folder

_OF_SITES = ("site", "site-packed")
_OF_PREFIXES = (*_OF_SITES, "prefix")
"""Models whose parts are of URL prefixes; those of others are of pages."""


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
) -> Manifest:
    """Write a partition of ``urls`` into ``k`` parts as the map ``folder``, which must be absent or empty.

    ``urls`` are n distinct canonical URLs, ``hashes`` uint64[n] theirs, ``parts`` int[n] in [0, k).  ``prefixes`` are m
    distinct URL prefixes (`partition.assignment.url_prefixes`), ``prefix_parts`` int[m]; a site that has pages and no
    entry of its own is given one, its pages' majority.  ``unknown`` is the rule for URLs that the map does not hold.

    The folder is there whole or not at all.  Raises MapError if it cannot be written, ValueError for arguments that
    make no map.
    """
    url_parts, own_parts = _checked(k, urls, parts, "URLs"), _checked(k, prefixes, prefix_parts, "prefixes")
    MODELS.check(origin.model)
    UNKNOWN_RULES.check(unknown)
    if strange := [prefix for prefix in prefixes if "/" not in prefix[1:]]:
        raise ValueError(f"{strange[0]!r} is not a prefix: it lacks the slash after the host")
    in_order = np.argsort(hashes, kind="stable")
    ascending = np.asarray(hashes, np.uint64)[in_order]
    # Ranks turn numbers back into text: a hash that is not its URL's would have them fetch other pages.
    if not np.array_equal(hashes, url_hashes(urls)) or (ascending[1:] == ascending[:-1]).any():
        raise ValueError("hashes are not those of the URLs, all different")
    bits, dtype = bucket_bits_for(len(urls)), parts_dtype(k)
    part_of_prefix = dict(zip(prefixes, own_parts.tolist(), strict=True))
    exceptions = _take_sites_in(part_of_prefix, majority_sites(url_keys(urls), url_parts))
    with _whole(folder) as partial:
        url_trie = make_trie(urls)
        numbers = numbers_in(url_trie, urls)[in_order].astype(np.uint64)
        url_trie.save(str(partial / URLS))
        (partial / HASHES).write_bytes(order_of(ascending, bits))
        (partial / NUMBERS).write_bytes(packed(numbers, width_for(max(0, len(urls) - 1))))
        (partial / URL_PARTS).write_bytes(url_parts[in_order].astype(dtype).tobytes())
        _write_prefixes(partial, PREFIXES, PREFIX_PARTS, part_of_prefix, dtype)
        _write_prefixes(partial, SITES, SITE_PARTS, exceptions, dtype)
        _write_parts_table(partial / PARTS_TABLE, origin.model, urls, url_parts, prefixes, own_parts)
        manifest = Manifest(
            origin=origin,
            parts=k,
            unknown=unknown,
            software=f"cutweb {software_version()}",
            made=datetime.now(UTC).isoformat(timespec="seconds"),
            urls=len(urls),
            prefixes=len(part_of_prefix),
            sites=len(exceptions),
            bucket_bits=bits,
            files={name: _described(partial / name) for name in (*MAPPED, PARTS_TABLE)},
        )
        (partial / MANIFEST).write_text(manifest.as_json(), encoding="utf-8")
    return manifest


@contextmanager
def _whole(folder: Path) -> Iterator[Path]:
    """`whole_folder`, with errors in a map's own terms."""
    try:
        with whole_folder(folder) as partial:
            yield partial
    except SessionError as error:
        raise MapError(str(error)) from error
    except OSError as error:
        raise MapError(f"{folder}: {error.strerror or error}") from error


def _checked(k: int, keys: Sequence[str], parts: npt.ArrayLike, what: str) -> npt.NDArray[np.int32]:
    array = np.asarray(parts, np.int32)
    if not 1 <= k <= MOST_PARTS:
        raise ValueError(f"{k} parts: must be from 1 to {MOST_PARTS}")
    if array.shape != (len(keys),) or (len(array) and not 0 <= array.min() <= array.max() < k):
        raise ValueError(f"parts of {what} are not one in [0, {k}) for each")
    if len(set(keys)) != len(keys):
        raise ValueError(f"{what} are not all different")
    return array


def _take_sites_in(part_of_prefix: dict[str, int], part_of_site: dict[str, int]) -> dict[str, int]:
    """Give each site without a prefix of its own one; the sites whose majority is not their prefix's part."""
    for site, part in part_of_site.items():
        part_of_prefix.setdefault(site_prefix(site), part)
    return {site: part for site, part in part_of_site.items() if part_of_prefix[site_prefix(site)] != part}


def _write_prefixes(
    folder: Path, name: str, parts_name: str, part_of: dict[str, int], dtype: np.dtype[np.uint8] | np.dtype[np.uint16]
) -> None:
    trie = make_trie(list(part_of))
    parts = np.empty(len(part_of), dtype)
    parts[numbers_in(trie, list(part_of))] = list(part_of.values())
    trie.save(str(folder / name))
    (folder / parts_name).write_bytes(parts.tobytes())


def _write_parts_table(
    path: Path,
    model: str,
    urls: Sequence[str],
    url_parts: npt.NDArray[np.int32],
    prefixes: Sequence[str],
    prefix_parts: npt.NDArray[np.int32],
) -> None:
    """The partition as people and other tools read it: a key, that is what the model has as vertices, and its part."""
    keys, parts = (prefixes, prefix_parts) if model in _OF_PREFIXES else (urls, url_parts)
    if model in _OF_SITES:
        keys = [site_of_key(prefix) for prefix in prefixes]
    columns = {"key": pa.array(keys, pa.string()), "part": pa.array(parts, pa.uint16())}
    pq.write_table(pa.table(columns), path, compression="ZSTD", write_statistics=False)


def _described(path: Path) -> dict[str, int | str]:
    length, xxh3 = length_and_xxh3(path)
    return {"bytes": length, "xxh3": xxh3}
