"""What two volunteers saw of the same URLs (Anansi, section on trust): the one way to learn that one of them invents.

Two fetches are compared if they lie within some hours; they differ if they have another status or other links.  Pages
change, and servers tell different visitors different things, so a difference is no proof, and a share of differences
says more than one.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from crawler.work.examination import Examined
from crawler.work.ledger import Ledger
from sessions.session import Session, SessionError, damage_told
from sessions.url import Hashes, url_hashes


class Sighting(NamedTuple):
    """What a volunteer saw of a URL, and when; ``links`` are the hashes of the pages that it links to."""

    status: int
    links: frozenset[int]
    fetched: datetime


@dataclass(frozen=True)
class Comparison:
    """What came of comparing a unit with the one it repeats.

    ``compared`` URLs were fetched by both within the hours that were given, and of these ``differing`` differ, each an
    object of merge.json.  ``problem`` says why nothing could be compared, if so.
    """

    first: str
    second: str
    compared: int = 0
    differing: tuple[dict[str, Any], ...] = ()
    problem: str = ""


def compare(again: Examined, ledger: Ledger, slot_hours: float) -> Comparison:
    """Compare a unit that repeats another with what was merged of that one."""
    assert again.line.repeats is not None
    first = ledger.merged[again.line.repeats]
    keys = first.key, again.volunteer.key
    urls = [url for url, _ in again.unit.urls]
    hashes = url_hashes(urls)
    try:
        with damage_told(Path(first.session)):
            seen = _sightings(Session.open(first.session), first.rank, hashes)
    except SessionError as error:
        return Comparison(*keys, problem=f"what unit {first.unit} saw cannot be read: {error}")
    pairs = list(_pairs(urls, hashes, seen, _sightings(again.session, 0, hashes), timedelta(hours=slot_hours)))
    differing = tuple(_difference(url, keys, *pair) for url, pair in pairs if _differ(*pair))
    return Comparison(*keys, len(pairs), differing)


def distrusted(comparisons: list[Comparison], ledger: Ledger, share: float) -> Mapping[str, str]:
    """Return by public key why volunteers are not trusted, of whose URLs that others saw too more than a share differs.

    All that the ledger knows counts, and both of a pair: which of them is right is not known.
    """
    compared: Counter[str] = Counter()
    differing: Counter[str] = Counter()
    for merged in ledger.merged.values():
        for key in {merged.key, merged.other} - {None}:
            assert key is not None
            compared[key] += merged.compared
            differing[key] += merged.differing
    for comparison in comparisons:
        for key in (comparison.first, comparison.second):
            compared[key] += comparison.compared
            differing[key] += len(comparison.differing)
    return {
        key: f"of {compared[key]:,} URLs that others saw too {differing[key]:,} differ, more than {share:g}"
        for key in compared
        if differing[key] > share * compared[key]
    }


def _sightings(session: Session, rank: int, hashes: Hashes) -> dict[int, Sighting]:
    """What a rank of a session saw of some pages, by hash."""
    links: dict[int, set[int]] = {}
    for batch in session.batches("links", ["source", "target"], rank=rank):
        sources, targets = (batch[name].to_numpy() for name in ("source", "target"))
        for place in np.flatnonzero(np.isin(sources, hashes)):
            links.setdefault(int(sources[place]), set()).add(int(targets[place]))
    found: dict[int, Sighting] = {}
    for batch in session.batches("pages", ["hash", "status", "fetched"], rank=rank):
        is_wanted = np.isin(batch["hash"].to_numpy(), hashes)
        for row in np.flatnonzero(is_wanted).tolist():
            page, status, fetched = (column[row].as_py() for column in batch.columns)
            found[page] = Sighting(status, frozenset(links.get(page, ())), fetched)
    return found


def _pairs(
    urls: list[str], hashes: Hashes, first: dict[int, Sighting], second: dict[int, Sighting], slot: timedelta
) -> Iterator[tuple[str, tuple[Sighting, Sighting]]]:
    for url, page in zip(urls, hashes.tolist(), strict=True):
        if page in first and page in second and abs(first[page].fetched - second[page].fetched) <= slot:
            yield url, (first[page], second[page])


def _differ(first: Sighting, second: Sighting) -> bool:
    return first.status != second.status or first.links != second.links


def _difference(url: str, keys: tuple[str, str], first: Sighting, second: Sighting) -> dict[str, Any]:
    return {
        "url": url,
        "keys": list(keys),
        "status": [first.status, second.status],
        "links": [len(first.links), len(second.links)],
        "links_of_one": len(first.links ^ second.links),
        "fetched": [one.fetched.isoformat() for one in (first, second)],
    }
