"""Which rank is whose gatekeeper."""

from xxhash import xxh3_64_intdigest


def keeper_of(key: str, ranks: int) -> int:
    """The rank that keeps a site, or a server, by its name, or its address."""
    return xxh3_64_intdigest(key.encode()) % ranks
