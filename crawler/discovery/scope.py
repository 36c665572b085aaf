"""Which URLs belong to a crawl at all."""

from collections.abc import Iterable, Sequence
from copy import copy
from pathlib import Path

import numpy as np

from crawler.urls.batch import Mask
from sessions.hash_arrays import are_among
from sessions.url import Hashes, canonical, domain_of, host_of, site_of, url_hashes

_SITES_REMEMBERED = 1 << 15


class ScopeError(Exception):
    """A scope file that cannot be read; the message names the file and the line."""


class Scope:
    """A set of URLs given by sites, domains and URL prefixes, and by URL; all URLs if none of these is given."""

    def __init__(
        self,
        *,
        sites: Iterable[str] = (),
        domains: Iterable[str] = (),
        suffixes: Iterable[str] = (),
        prefixes: Iterable[str] = (),
        urls: Iterable[str] = (),
    ) -> None:
        self._sites = frozenset(sites)
        self._domains = frozenset(domains)
        self._suffixes = tuple(suffixes)
        self._prefixes = tuple(prefixes)
        self._urls = frozenset(urls)
        self.is_everything = not (self._sites or self._domains or self._suffixes or self._prefixes)
        self._known: dict[str, bool] = {}
        self._hashes: Hashes = np.empty(0, np.uint64)

    def including(self, hashes: Hashes) -> "Scope":
        """The same with these URLs in it, too: uint64[n]."""
        wider = copy(self)
        wider._hashes = np.sort(hashes)
        return wider

    def contains(self, urls: Sequence[str]) -> Mask:
        """Which canonical URLs are in the scope: bool[n]."""
        if self.is_everything:
            return np.ones(len(urls), bool)
        are_inside = np.fromiter(map(self._has, urls), bool, len(urls))
        if len(self._hashes):
            are_inside |= are_among(url_hashes(urls), self._hashes)
        return are_inside

    def _has(self, url: str) -> bool:
        site = site_of(url)
        known = self._known.get(site)
        if known is None:
            if len(self._known) >= _SITES_REMEMBERED:
                self._known.clear()
            known = self._known[site] = self._has_site(site)
        return known or url.startswith(self._prefixes) or url in self._urls

    def _has_site(self, site: str) -> bool:
        return (
            site in self._sites
            or (bool(self._domains) and domain_of(site) in self._domains)
            or f".{host_of(site)}".endswith(self._suffixes)
        )


EVERYTHING = "all"
NAMED_SCOPES = (EVERYTHING, "sites", "domains")
"""Scopes that are no files."""


def scope_named(name: str, seeds: Sequence[str]) -> Scope:
    """The scope ``all``, ``sites`` or ``domains`` (those of the seeds), or the one that a file of that name gives.

    The seeds are always inside, on every rank, or links to one would count on some and not on others.  Raises
    ScopeError if the file cannot be read or has no rule in it.
    """
    match name:
        case "all":
            return Scope()
        case "sites":
            return Scope(sites=map(site_of, seeds))
        case "domains":
            return Scope(domains=(domain_of(site_of(seed)) for seed in seeds))
        case _:
            return _from_file(Path(name), seeds)


def _from_file(path: Path, seeds: Sequence[str]) -> Scope:
    """One rule a line: ``example.org`` a site, ``.example.org`` it and all below it, ``http://...`` a URL prefix."""
    sites, suffixes, prefixes = [], [], []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ScopeError(f"--scope {path}: cannot be read ({error}); give all, sites, domains or a file") from error
    for number, line in enumerate(lines, 1):
        rule = line.partition("#")[0].strip()
        if not rule:
            continue
        if "://" in rule:
            prefix = canonical(rule)
            if prefix is None:
                raise ScopeError(f"{path}:{number}: not an http(s) URL: {rule}")
            prefixes.append(prefix)
            continue
        url = canonical(f"http://{rule.removeprefix('.')}/")
        if url is None or "/" in rule:
            raise ScopeError(f"{path}:{number}: not a site, .domain or URL prefix: {rule}")
        if rule.startswith("."):
            suffixes.append(f".{host_of(site_of(url))}")
        else:
            sites.append(site_of(url))
    if not (sites or suffixes or prefixes):
        raise ScopeError(f"{path}: has no rule in it")
    return Scope(sites=sites, suffixes=suffixes, prefixes=prefixes, urls=seeds)
