"""The files of a partition map beside its manifest."""

import numpy as np

URLS = "urls.marisa"
"""A trie of all known URLs; a URL's number is its number there."""
HASHES = "hashes.bin"
"""The URLs' hashes in ascending order (`partition.map.hash_index`)."""
NUMBERS = "numbers.bin"
"""The number of each URL, in the order of the hashes (`partition.map.packed_integers`)."""
URL_PARTS = "url-parts.bin"
"""The part of each URL, in the order of the hashes."""
PREFIXES = "prefixes.marisa"
"""A trie of URL prefixes."""
PREFIX_PARTS = "prefix-parts.bin"
"""The part of each prefix, by its number in its trie."""
SITES = "sites.marisa"
"""A trie of the sites most of whose pages lie in another part than their prefix."""
SITE_PARTS = "site-parts.bin"
"""The part of each of these sites, by its number in its trie."""
MAPPED = (URLS, HASHES, NUMBERS, URL_PARTS, PREFIXES, PREFIX_PARTS, SITES, SITE_PARTS)
"""What every rank maps into its memory."""
PARTS_TABLE = "parts.parquet"
"""The partition as people and other tools read it; ranks do not."""


def parts_dtype(k: int) -> np.dtype[np.uint8] | np.dtype[np.uint16]:
    """How a part of ``k`` is stored."""
    return np.dtype(np.uint8) if k <= 256 else np.dtype("<u2")
