"""Handing out units: those that are due, those that did not come back, and those that repeat a few URLs."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from math import ceil
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from xxhash import xxh3_64_intdigest

from crawler.work.keys import SigningKey
from crawler.work.ledger import LATE, LEDGER, REFUSED, ExportedUnit, Ledger, locked, present, read_ledger
from crawler.work.selection import Held, held_by, select
from crawler.work.site_addresses import Addresses, site_addresses
from crawler.work.unit import Unit, UnitUrl, read_unit, unit_name
from crawler.work.units_folder import note_folder, noted_folder
from crawler.work.work_error import WorkError
from crawler.worklist.worklist import Worklist, open_worklist
from sessions.storage.durable_json import make_folder, replace
from sessions.url import site_of

MOST_UNITS = 1000


@dataclass(frozen=True)
class ExportSettings:
    """``unit`` URLs in each of at most ``most`` units, worth something for ``days``.

    ``options`` are those of `crawler.work.unit.OPTIONS` that are not left to their defaults.  ``overlap`` is the share
    of a unit's URLs, once it is back, that go out in one more unit.  ``again``: only what is late or was refused.
    """

    unit: int = 500
    days: float = 7.0
    most: int = MOST_UNITS
    options: Mapping[str, float] = field(default_factory=dict)
    overlap: float = 0.0
    again: bool = False


def export(worklist_path: Path, out: Path, key: SigningKey, settings: ExportSettings) -> list[ExportedUnit]:
    """Write units into ``out``, and their lines into its ledger; those lines.

    Raises WorklistError if the worklist is damaged, WorkError if it has no URLs to hand out or ``out`` is no folder for
    its units, and OSError.
    """
    worklist = checked_worklist(worklist_path)
    _check_folder(worklist, worklist_path, out)
    make_folder(out)
    with locked(out) as ledger:
        note_folder(worklist_path, out)
        at = present()
        made: list[ExportedUnit] = []
        addresses = site_addresses(Path(worklist.last_session.path))
        for due in _due(worklist, out, ledger.ledger, settings, addresses, at):
            number = ledger.ledger.next_number + len(made)
            made.append(_hand_out(out, number, worklist, due, key, settings, at))
        ledger.append(made)
    return made


def checked_worklist(path: Path) -> Worklist:
    """Open a worklist and read all of it.  Raises WorklistError, or WorkError if there is nothing in it to visit."""
    worklist = open_worklist(path)
    if not worklist.manifest.has_urls:
        raise WorkError(f"{path}: has no URLs: it was made of sessions that were imported without them")
    worklist.check()
    if not worklist.manifest.new + worklist.manifest.old:
        raise WorkError(f"{path}: lists no URLs, so there is nothing to hand out")
    return worklist


def _check_folder(worklist: Worklist, path: Path, out: Path) -> None:
    """Raise WorkError unless ``out`` is new, empty, or has the units of this worklist, and no other folder has."""
    if out.exists() and not out.is_dir():
        raise WorkError(f"{out}: is a file, not a folder")
    if out.is_dir() and any(out.iterdir()) and not (out / LEDGER).exists():
        raise WorkError(f"{out}: is not empty, and has no units; name a new folder, or one with units of this worklist")
    other = noted_folder(path)
    if other is not None and (other / LEDGER).exists() and other.resolve() != out.resolve():
        raise WorkError(f"{path}: its units are in {other}, whose ledger says what is out; give --out {other}")
    if (out / LEDGER).exists():
        known = read_ledger(out).worklist
        if known not in (None, worklist.identity):
            raise WorkError(f"{out}: has units of another worklist ({known}); name another folder")


class _Due(NamedTuple):
    """URLs that go out as a unit; they may have gone out before, as all of unit ``again``, or in unit ``repeats``.

    ``options`` are those that they went out with then: by others another volunteer might see other links.
    """

    urls: Sequence[UnitUrl]
    again: int | None = None
    repeats: int | None = None
    options: Mapping[str, float] = MappingProxyType({})


def _due(
    worklist: Worklist, out: Path, ledger: Ledger, settings: ExportSettings, addresses: Addresses, at: datetime
) -> Iterator[_Due]:
    """Yield the URLs of each unit that goes out now."""
    sites_of = {number: _sites_in(out, number) for number in ledger.units}
    out_now = Counter(site for number, sites in sites_of.items() if ledger.is_out(number, at) for site in sites)
    if settings.again:
        yield from _once_more(out, ledger, sites_of, out_now, addresses, at)
        return
    for due in _to_repeat(out, ledger, settings.overlap):
        repeated = Counter(site_of(url) for url, _ in due.urls)
        if _is_free(repeated, held_by(out_now, addresses), addresses):
            out_now.update(repeated)
            yield due
    gone: Counter[str] = Counter()
    for number, sites in sites_of.items():
        if ledger.units[number].again is None and ledger.units[number].repeats is None:
            gone.update(sites)
    held = held_by(out_now, addresses)
    selected = select(worklist, size=settings.unit, most=settings.most, gone=gone, held=held, addresses=addresses)
    yield from map(_Due, selected)


def _once_more(
    out: Path,
    ledger: Ledger,
    sites_of: Mapping[int, Counter[str]],
    out_now: Counter[str],
    addresses: Addresses,
    at: datetime,
) -> Iterator[_Due]:
    """Yield the units that are late or were refused, unless a site of theirs is out in another unit."""
    for number in ledger.units:
        if ledger.standing(number, at) not in (LATE, REFUSED):
            continue
        if ledger.is_out(number, at):
            out_now = out_now - sites_of[number]
        if _is_free(sites_of[number], held_by(out_now, addresses), addresses):
            unit = _unit(out, number)
            yield _Due(unit.urls, number, ledger.units[number].repeats, unit.options)
        out_now = out_now + sites_of[number]


def _to_repeat(out: Path, ledger: Ledger, share: float) -> Iterator[_Due]:
    """Yield a share of the URLs of each unit that is back and was not repeated yet, drawn by hash."""
    for number in ledger.merged:
        if share and ledger.units[number].repeats is None and number not in ledger.repeated:
            unit = _unit(out, number)
            by_chance = sorted(unit.urls, key=lambda item: xxh3_64_intdigest(item.url.encode(), number))
            drawn = set(by_chance[: ceil(share * len(by_chance))])
            yield _Due([item for item in unit.urls if item in drawn], repeats=number, options=unit.options)


def _is_free(sites: Iterable[str], held: Held, addresses: Addresses) -> bool:
    """Is none of these sites out, nor any address of theirs?"""
    return all(site not in held.sites and held.addresses.isdisjoint(addresses.get(site, ())) for site in sites)


def _hand_out(
    out: Path,
    number: int,
    worklist: Worklist,
    due: _Due,
    key: SigningKey,
    settings: ExportSettings,
    at: datetime,
) -> ExportedUnit:
    """Write a unit's file; its line for the ledger."""
    exported, deadline = (time.isoformat(timespec="seconds") for time in (at, at + timedelta(days=settings.days)))
    options = {**due.options, **settings.options}
    unit = Unit(number, worklist.identity, exported, deadline, options, tuple(due.urls))
    text = unit.as_text(key)
    replace(out / unit_name(number), text.decode(), f"{number:06d}")
    return ExportedUnit(
        number,
        sha256(text).hexdigest(),
        worklist.identity,
        unit.identity,
        len(due.urls),
        key.public,
        exported,
        deadline,
        due.again,
        due.repeats,
    )


def _unit(out: Path, number: int) -> Unit:
    return read_unit(out / unit_name(number)).unit


def _sites_in(out: Path, number: int) -> Counter[str]:
    return Counter(site_of(url) for url, _ in _unit(out, number).urls)
