"""What the next crawl gets by what `cutweb partition` does unless told otherwise, over pairs of webs and K = 4 to 64.

    .venv/bin/python -m scripts.foresight.default_path --pair sites-2020-01-01.warc.gz sites-2022-01-01.warc.gz \\
        --grow sites-2020-01-01.warc.gz --grow uci.warc.gz
    .venv/bin/python -m scripts.foresight.default_path --save ...           the same, into docs/foresight.md

A pair is cut in its older web and replayed in its newer one.  Webs that are to grow do so by 28 days
(`cutweb web make --evolve-from`), an invented one by 7, 28 and 56.  Beside the default stand the rule that was the
default before, the rule between the two, and page hash, which needs no cut.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median

from crawler.replay.foresight.foresight import foresee
from crawler.replay.foresight.request import Candidate, ForesightRequest
from crawler.replay.foresight.view import View
from partition.assignment.hashing import PageHash
from partition.choices import DEFAULT_RULE
from partition.models.settings import Settings
from scripts.shared.doc_tables import keep, table
from sessions.localweb.evolve.evolve import evolve_web
from sessions.localweb.generate.make import make_web

DOCUMENT = "foresight.md"
MODEL = "page"
RULES = ("prefix", DEFAULT_RULE, "directory")
_DAYS = (7, 28, 56)
_GROWTH_DAYS = 28


@dataclass(frozen=True)
class Load:
    """The largest rank over the mean, of pages and of bytes, and the bytes on the wire for each page."""

    pages: float
    bytes: float
    wire: float

    @property
    def worse(self) -> float:
        """The larger of the two."""
        return max(self.pages, self.bytes)

    @property
    def text(self) -> str:
        """All three, as a cell of the table."""
        return f"{self.pages:.2f} / {self.bytes:.2f} / {self.wire:.1f}"


Loads = dict[tuple[str, int, str], Load]
"""By pair, K and way."""


def main() -> None:
    """Print the tables, or keep them in the docs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pair", nargs=2, type=Path, action="append", default=[], metavar=("OLDER", "NEWER"))
    parser.add_argument(
        "--grow", type=Path, action="append", default=[], metavar="FILE", help="a WARC file to let grow"
    )
    parser.add_argument("--parts", default="4,8,16,32,64", metavar="K,...")
    parser.add_argument("--pages", type=int, default=6000, help="of the invented web")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", action="store_true", help="write the tables into docs/foresight.md")
    options = parser.parse_args()
    parts = tuple(map(int, options.parts.split(",")))
    with tempfile.TemporaryDirectory() as folder:
        loads: Loads = {}
        for older, newer in _webs(options, Path(folder)):
            loads |= _loads(older, newer, parts, Path(folder))
    for name, text in {"default-path-told": _told(loads), "default-path": _table(loads)}.items():
        print(text)
        if options.save:
            keep(DOCUMENT, name, text)


def _webs(options: argparse.Namespace, folder: Path) -> Iterator[tuple[Path, list[Path]]]:
    """Each older web, with those that come after it."""
    yield from ((older, [newer]) for older, newer in options.pair)
    for older in options.grow:
        grown = folder / f"{older.name.partition('.')[0]}-{_GROWTH_DAYS}-days.warc.gz"
        evolve_web(older, grown, days=_GROWTH_DAYS, seed=options.seed)
        yield older, [grown]
    webs = [folder / "invented.warc.gz"]
    make_web(webs[0], sites=60, pages=options.pages, seed=options.seed)
    for before, age in pairwise((0, *_DAYS)):
        webs.append(folder / f"invented-{age}-days.warc.gz")
        evolve_web(webs[-2], webs[-1], days=age - before, seed=options.seed)
    yield webs[0], webs[1:]


def _loads(older: Path, newer: list[Path], parts: tuple[int, ...], folder: Path) -> Loads:
    request = ForesightRequest((MODEL, PageHash.name), parts, RULES, cutting=Settings(seed=1))
    view = View(foresee(older, newer, request, made="", progress=_say, scratch=folder))

    def load(candidate: Candidate, session: int) -> Load:
        imbalances = (view.known(name, candidate, session) for name in ("requests_imbalance", "storage_imbalance"))
        pages, its_bytes = (1 + float(imbalance) for imbalance in imbalances)
        return Load(pages, its_bytes, float(view.known("wire_bytes_per_page", candidate, session)))

    return {
        (f"{_name(older)} -> {_name(web)}", candidate.k, candidate.way): load(candidate, session)
        for session, web in enumerate(newer, start=1)
        for candidate in view.candidates
    }


def _name(web: Path) -> str:
    return web.name.partition(".")[0]


def _of(loads: Loads, rule: str, *parts: int) -> list[tuple[Load, Load]]:
    """The loads by a rule, each with that by page hash."""
    return [
        (load, loads[pair, k, PageHash.name])
        for (pair, k, way), load in loads.items()
        if way == f"{MODEL}/{rule}" and (not parts or k in parts)
    ]


def _told(loads: Loads) -> str:
    lines = []
    for rule in RULES:
        small, all_of_them = _of(loads, rule, 4, 8), _of(loads, rule)
        points = max(100 * (own.worse - by_hash.worse) for own, by_hash in all_of_them)
        wire = median(own.wire / by_hash.wire for own, by_hash in all_of_them)
        lines.append(
            f"- `{rule}`{' (the default)' if rule == DEFAULT_RULE else ''}: at K = 4 and 8 the fullest rank has "
            f"{median(own.worse for own, _ in small):.2f} of the mean in the middle of all pairs, "
            f"{max(own.worse for own, _ in small):.2f} at worst; at any K it is at worst {points:.0f} points above "
            f"that of page hash; the bytes on the wire are {wire:.0%} of those by page hash in the middle.\n"
        )
    return "".join(lines)


def _table(loads: Loads) -> str:
    ways = [f"{MODEL}/{rule}" for rule in RULES] + [PageHash.name]
    rows = [
        [pair, str(k), *(loads[pair, k, way].text for way in ways)]
        for pair, k in dict.fromkeys((pair, k) for pair, k, _ in loads)
    ]
    return table(["pair", "K", *ways], rows)


def _say(what: str) -> None:
    if "%" not in what:
        print(what, file=sys.stderr)


if __name__ == "__main__":
    main()
