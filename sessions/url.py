"""URL identity: what makes two spellings the same page, and which site and domain a page is on.

Canonical form is what a browser would request: parsed by the WHATWG URL standard (through ada), http and https only.
The fragment is dropped, and so are a name and password: they are not ours to log in with, nor to write down.  A page is
known everywhere by the 64-bit xxh3 of its canonical form.  Every part of the project takes these functions from here,
so that two ranks never disagree on a page's name.
"""

import re
from collections.abc import Sequence
from functools import cache, lru_cache

import can_ada
import numpy as np
import numpy.typing as npt
from publicsuffixlist import PublicSuffixList
from xxhash import xxh3_64_intdigest

Hashes = npt.NDArray[np.uint64]

LONGEST_URL = 8192
"""Characters of a canonical URL; what is longer is no page to us.  Few servers and fewer WARC readers take more."""
_NOT_ASCII = re.compile(rb"[\x80-\xff]")
_NO_URL = (ValueError, TypeError)  # TypeError where text has a lone surrogate, as arguments and file names may have


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()


def canonical(url: str) -> str | None:
    """The canonical form of an absolute URL, or None if it is no valid http or https URL, or too long."""
    try:
        parsed = str(can_ada.parse(url))
    except _NO_URL:
        return None
    return _requestable(parsed)


def join(base: str, references: Sequence[str]) -> list[str | None]:
    """Canonical forms of a page's link texts, in order; None where the link is not an http or https URL.

    ``base`` is the document's base URL; if it is invalid, every answer is None.
    """
    try:
        parsed_base = can_ada.parse(base)
    except _NO_URL:
        return [None for _ in references]
    try:
        return [_requestable(str(parsed_base + reference)) for reference in references]
    except _NO_URL:
        return [_join_one(parsed_base, reference) for reference in references]


def _join_one(base: can_ada.URL, reference: str) -> str | None:
    try:
        return _requestable(str(base + reference))
    except _NO_URL:
        return None


def _requestable(url: str) -> str | None:
    if not url.startswith(("http://", "https://")):
        return None
    fragment = url.find("#")
    form = url if fragment < 0 else url[:fragment]
    if "@" in form:
        form = _without_user(form)
    return form if len(form) <= LONGEST_URL else None


def _without_user(url: str) -> str:
    scheme, empty, authority, rest = url.split("/", 3)
    return "/".join((scheme, empty, authority.rpartition("@")[2], rest))


def percent_encoded(header: bytes) -> str:
    """A URL or link text of a header as ASCII: bytes above 0x7F are percent-encoded as they came."""
    return _NOT_ASCII.sub(lambda match: b"%%%02X" % match[0][0], header).decode("ascii")


def url_hash(url: str) -> int:
    """The 64-bit xxh3 of a canonical URL."""
    return xxh3_64_intdigest(url.encode())


def url_hashes(urls: Sequence[str]) -> Hashes:
    """`url_hash` of each URL of a batch: uint64[len(urls)]."""
    return np.fromiter(map(xxh3_64_intdigest, map(str.encode, urls)), dtype=np.uint64, count=len(urls))


def site_of(url: str) -> str:
    """The site of a canonical URL: its host, with the port if that is not the scheme's own."""
    authority = url.split("/", 3)[2].partition("?")[0]
    return authority.rpartition("@")[2]


def site_of_origin(origin: str) -> str:
    """The site of an origin, which is written as `origin_of` does."""
    return origin.partition("//")[2]


def host_of(site: str) -> str:
    """A site without its port; the brackets of an IPv6 address are kept."""
    head, colon, port = site.rpartition(":")
    return head if colon and port.isdigit() else site


@lru_cache(maxsize=1 << 14)
def domain_of(site: str) -> str:
    """The pay-level domain of a site by the public-suffix list; an address or a bare suffix is its own domain."""
    host = host_of(site)
    if host.startswith("[") or host.rpartition(".")[2].isdigit():
        return host
    return _suffixes().privatesuffix(host) or host


def origin_of(url: str) -> str:
    """Scheme, host and port of a canonical URL: what one robots.txt governs (RFC 9309, section 2.3)."""
    scheme, _, authority = url.split("/", 3)[:3]
    return f"{scheme}//{authority.rpartition('@')[2]}"
