"""Maps as versions before shards wrote them: nothing writes them any more, and every version reads them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from xxhash import xxh3_64_hexdigest

from partition.assignment.url_prefixes import site_prefix, url_keys
from partition.map.format_1 import order_bytes
from partition.map.majority_prefixes import majority_prefixes, majority_sites
from partition.map.manifest import FORMAT_1_FILES, MANIFEST, parts_dtype
from partition.map.packed_integers import packed, width_for
from partition.map.prefix_table import make_trie, numbers_in
from sessions.url import Hashes, url_hashes


def bucket_bits_for(count: int) -> int:
    """How many leading bits name a bucket where ``count`` hashes are to take the fewest bytes: 8, 16 or 24."""
    return min((8, 16, 24), key=lambda bits: order_bytes(count, bits))


def order_of(hashes: Hashes, bucket_bits: int) -> bytes:
    """Ascending, distinct hashes as they are stored: where each bucket begins (uint32), then the packed rests."""
    buckets = hashes >> np.uint64(64 - bucket_bits)
    offsets = np.searchsorted(buckets, np.arange((1 << bucket_bits) + 1, dtype=np.uint64))
    width = (64 - bucket_bits) // 8
    return offsets.astype("<u4").tobytes() + packed(hashes, width) + bytes(8 - width)


def write_format_1(
    folder: Path,
    urls: Sequence[str],
    parts: npt.ArrayLike,
    k: int,
    prefixes: Mapping[str, int] | None = None,
    **values: object,
) -> None:
    """A map of ``urls``; prefixes by majority if none are given, ``values`` replace those of the manifest."""
    folder.mkdir()
    own = np.asarray(parts, np.int64)
    if prefixes is None:
        texts, found = majority_prefixes(url_keys(urls), own)
        prefixes = dict(zip(texts, found.tolist(), strict=True))
    part_of_prefix, of_sites = dict(prefixes), majority_sites(url_keys(urls), own)
    for site, part in of_sites.items():
        part_of_prefix.setdefault(site_prefix(site), part)
    sites = {site: part for site, part in of_sites.items() if part_of_prefix[site_prefix(site)] != part}
    hashes = url_hashes(urls)
    in_order, bits, dtype = np.argsort(hashes), bucket_bits_for(len(urls)), parts_dtype(k)
    trie, width = make_trie(urls), width_for(max(0, len(urls) - 1))
    numbers = numbers_in(trie, urls)[in_order].astype(np.uint64)
    contents = [trie.tobytes(), order_of(hashes[in_order], bits), packed(numbers, width) + bytes(8 - width)]
    contents.append(own[in_order].astype(dtype).tobytes())
    for part_of in (part_of_prefix, sites):
        its_trie, its_parts = make_trie(list(part_of)), np.empty(len(part_of), dtype)
        its_parts[numbers_in(its_trie, list(part_of))] = list(part_of.values())
        contents += [its_trie.tobytes(), its_parts.tobytes()]
    files = {}
    for name, content in zip(FORMAT_1_FILES, contents, strict=True):
        (folder / name).write_bytes(content)
        files[name] = {"bytes": len(content), "xxh3": xxh3_64_hexdigest(content)}
    origin = {"model": "page", "session": None, "run": None, "objective": "", "weights": [], "volumes": {}}
    origin |= {"imbalances": {}, "settings": {}, "seed": None}
    content = {"format": 1, **origin, "parts": k, "unknown": "prefix", "software": "cutweb 0", "made": "2026-01-01"}
    content |= {"urls": len(urls), "prefixes": len(part_of_prefix), "sites": len(sites), "bucket_bits": bits}
    (folder / MANIFEST).write_text(json.dumps({**content, "files": files, **values}, indent=1) + "\n")
