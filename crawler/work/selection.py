"""Which URLs go out next, and in which unit.

Sites are taken in the order of their best URLs.  A site, and whatever shares an address with it, is in one unit at a
time, so that no two volunteers visit a server at once.  A site that does not fit into a unit goes on in a later one:
its URLs go out in the order of the list, so that how many have gone out says which are next.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from heapq import merge
from typing import NamedTuple

from crawler.work.site_addresses import Addresses
from crawler.work.unit import MOST_BYTES, UnitUrl, bytes_in_unit
from crawler.worklist.rows import KINDS
from crawler.worklist.worklist import Worklist
from sessions.url import site_of


def listed(worklist: Worklist) -> Iterator[UnitUrl]:
    """Yield all URLs of a worklist, new and old, the highest priority first.  Raises WorklistError."""

    def of_kind(kind: str) -> Iterator[tuple[float, float, int, UnitUrl]]:
        for placed in worklist.rows(kind):
            rows = placed.batch
            columns = (rows[name].to_pylist() for name in ("priority", "age", "hash", "url"))
            for priority, age, url_hash, url in zip(*columns, strict=True):
                yield -priority, -(age or 0.0), url_hash, UnitUrl(url, kind)

    return (item for *_, item in merge(*map(of_kind, KINDS)))


class Held(NamedTuple):
    """What is out: sites, and the addresses that they were at."""

    sites: set[str]
    addresses: set[str]


def held_by(sites: Iterable[str], addresses: Addresses) -> Held:
    """What these sites, which are out, hold back."""
    out = set(sites)
    return Held(out, {ip for site in out for ip in addresses.get(site, ())})


@dataclass
class _Room:
    """A unit that is being filled: how many URLs it can still take of each site, and those it has."""

    left: int
    wanted: Counter[str] = field(default_factory=Counter)
    urls: list[UnitUrl] = field(default_factory=list)
    bytes: int = 0


def select(
    worklist: Worklist, *, size: int, most: int, gone: Mapping[str, int], held: Held, addresses: Addresses
) -> list[list[UnitUrl]]:
    """Return the URLs of the units that can go out now, at most ``most`` units of at most ``size`` URLs each.

    ``gone`` is how many URLs of each site have gone out before.  The list is read twice: to count each site's URLs, and
    to take those that have a place.
    """
    left: Counter[str] = Counter(site for site, _ in _left(worklist, gone))
    rooms, room_of = _rooms(left, size=size, most=most, held=held, addresses=addresses)
    for site, item in _left(worklist, gone):
        room = room_of.get(site)
        if room is None or not room.wanted[site]:
            continue
        if room.bytes + bytes_in_unit(item.url) > MOST_BYTES:
            room.wanted[site] = 0  # the site's next URL must not overtake this one
            continue
        room.wanted[site] -= 1
        room.bytes += bytes_in_unit(item.url)
        room.urls.append(item)
    return [room.urls for room in rooms if room.urls]


def _left(worklist: Worklist, gone: Mapping[str, int]) -> Iterator[tuple[str, UnitUrl]]:
    """Yield the URLs that have not gone out, each with its site, the highest priority first."""
    passed: Counter[str] = Counter()
    for item in listed(worklist):
        site = site_of(item.url)
        passed[site] += 1
        if passed[site] > gone.get(site, 0):
            yield site, item


def _rooms(
    left: Counter[str], *, size: int, most: int, held: Held, addresses: Addresses
) -> tuple[list[_Room], dict[str, _Room]]:
    """Units without URLs yet, and which of them each site goes to.

    ``left`` is how many URLs of each site have not gone out; sites stand in the order of their best.
    """
    rooms: list[_Room] = []
    room_of: dict[str, _Room] = {}
    room_at: dict[str, _Room] = {}
    for site, count in left.items():
        ips = addresses.get(site, frozenset())
        if site in held.sites or not held.addresses.isdisjoint(ips):
            continue
        beside = {id(room): room for ip in ips if (room := room_at.get(ip)) is not None}
        if len(beside) > 1:
            continue  # its addresses are those of several units
        room = next(iter(beside.values()), None)
        if room is None:
            if not rooms or not rooms[-1].left:
                if len(rooms) == most:
                    break
                rooms.append(_Room(size))
            room = rooms[-1]
        if not room.left:
            continue
        room.wanted[site] = min(count, room.left)
        room.left -= room.wanted[site]
        room_of[site] = room
        room_at |= dict.fromkeys(ips, room)
    return rooms, room_of
