"""The columns of a session's tables.  docs/formats.md is written for people, this for the programs; a test compares.

Readers accept files in which columns are missing (older sessions): those columns read as nulls.
"""

import builtins
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import pyarrow as pa

FORMAT_VERSION = 1

NOFOLLOW = 1
"""Link flag: the author asks that the link be given no credit (rel=nofollow)."""
REDIRECT = 2
"""Link flag: the source answered with a redirect to the target."""
EMBEDDED = 4
"""Link flag: the target is a frame or iframe of the source."""
UNFOLLOWED = 8
"""Link flag: not followed, because the source is a near duplicate of another page of its site."""

FILTERED = "filtered"
FAILED = "failed"

PAGES = pa.schema(
    [
        ("url", pa.string()),
        ("hash", pa.uint64()),
        ("site", pa.string()),
        ("status", pa.uint16()),
        ("bytes", pa.int64()),
        ("decoded_bytes", pa.int64()),
        ("content_type", pa.string()),
        ("content_encoding", pa.string()),
        ("content_digest", pa.binary(20)),
        ("etag", pa.string()),
        ("last_modified", pa.string()),
        ("fetched", pa.timestamp("us", tz="UTC")),
        ("milliseconds", pa.float32()),
        ("depth", pa.uint16()),
        ("hops", pa.uint8()),
        ("ip", pa.string()),
        ("truncated", pa.string()),
        ("simhash", pa.uint64()),
        ("rank", pa.uint16()),
        ("superstep", pa.uint32()),
        ("run", pa.string()),
        ("warc_file", pa.string()),
        ("warc_offset", pa.int64()),
        ("error", pa.string()),
        ("redirect", pa.string()),
        ("noindex", pa.bool_()),
        ("nofollow", pa.bool_()),
        ("duplicate_of", pa.uint64()),
        ("unchanged_since", pa.timestamp("us", tz="UTC")),
        ("payload_digest", pa.binary(20)),
    ]
)

LINKS = pa.schema([("source", pa.uint64()), ("target", pa.uint64()), ("flags", pa.uint8())])

URLS = pa.schema([("hash", pa.uint64()), ("url", pa.string()), ("depth", pa.uint16()), ("hops", pa.uint8())])

NEARER = pa.schema([("hash", pa.uint64()), ("depth", pa.uint16()), ("hops", pa.uint8())])

OUTCOMES = pa.schema(
    [("hash", pa.uint64()), ("state", pa.string()), ("reason", pa.string()), ("epoch", pa.uint32())],
)

FRONTIER = pa.schema(
    [
        ("hash", pa.uint64()),
        ("depth", pa.uint16()),
        ("hops", pa.uint8()),
        ("reason", pa.string()),
    ]
)

ROBOTS = pa.schema(
    [
        ("origin", pa.string()),
        ("url", pa.string()),
        ("status", pa.uint16()),
        ("error", pa.string()),
        ("ip", pa.string()),
        ("fetched", pa.timestamp("us", tz="UTC")),
        ("bytes", pa.int64()),
        ("crawl_delay", pa.float32()),
        ("sitemaps", pa.list_(pa.field("element", pa.string()))),
        ("rank", pa.uint16()),
        ("rules", pa.binary()),
        ("expires", pa.timestamp("us", tz="UTC")),
    ]
)

EXCHANGES = pa.schema(
    [
        ("superstep", pa.uint32()),
        ("rank", pa.uint16()),
        ("receiver", pa.uint16()),
        ("urls", pa.int64()),
        ("numbers", pa.int64()),
        ("bytes", pa.int64()),
        ("wire_bytes", pa.int64()),
    ]
)

REFERRALS = pa.schema([("source", pa.uint64()), ("target", pa.uint64())])

EXTERNAL_SITES = pa.schema([("source_site", pa.string()), ("target_site", pa.string()), ("links", pa.int64())])

EXTERNAL_URLS = pa.schema([("source", pa.uint64()), ("url", pa.string()), ("flags", pa.uint8())])

RESTS = pa.schema(
    [
        ("site", pa.string()),
        ("answered", pa.timestamp("us", tz="UTC")),
        ("seconds", pa.float32()),
        ("failures", pa.uint16()),
    ]
)

TABLES = {
    "pages": PAGES,
    "links": LINKS,
    "urls": URLS,
    "nearer": NEARER,
    "outcomes": OUTCOMES,
    "frontier": FRONTIER,
    "robots": ROBOTS,
    "exchanges": EXCHANGES,
    "referrals": REFERRALS,
    "rests": RESTS,
    "external_sites": EXTERNAL_SITES,
    "external_urls": EXTERNAL_URLS,
}


class Page(NamedTuple):
    """One row of the pages table; the fields stand in the order of `PAGES`."""

    url: str
    hash: int
    site: str
    status: int
    bytes: int
    decoded_bytes: int
    content_type: str | None
    content_encoding: str | None
    content_digest: builtins.bytes | None
    etag: str | None
    last_modified: str | None
    fetched: datetime
    milliseconds: float
    depth: int
    hops: int
    ip: str | None
    truncated: str | None
    simhash: int | None
    rank: int
    superstep: int
    run: str
    warc_file: str | None
    warc_offset: int | None
    error: str | None
    redirect: str | None
    noindex: bool | None
    nofollow: bool | None
    duplicate_of: int | None = None
    unchanged_since: datetime | None = None
    payload_digest: builtins.bytes | None = None


class RobotsRow(NamedTuple):
    """One row of the robots table; the fields stand in the order of `ROBOTS`."""

    origin: str
    url: str
    status: int | None
    error: str | None
    ip: str | None
    fetched: datetime
    bytes: int
    crawl_delay: float | None
    sitemaps: Sequence[str]
    rank: int
    rules: builtins.bytes | None = None
    expires: datetime | None = None


class RestRow(NamedTuple):
    """One row of the rests table; the fields stand in the order of `RESTS`."""

    site: str
    answered: datetime
    seconds: float
    failures: int
