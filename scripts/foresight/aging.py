"""How long partitions of an invented web last while it grows older, by model, rule for unknown URLs and age.

    .venv/bin/python -m scripts.foresight.aging
    .venv/bin/python -m scripts.foresight.aging --save          the same, into docs/foresight.md

The web is made by `cutweb web make` and grows older by `cutweb web make --evolve-from`, each time from the one before.
"""

import argparse
import sys
import tempfile
from itertools import pairwise
from pathlib import Path

from crawler.replay.foresight.figures import BY_NAME, OVERLAP, scale_of
from crawler.replay.foresight.findings import days, sentences
from crawler.replay.foresight.foresight import Foresight, foresee
from crawler.replay.foresight.request import ForesightRequest
from crawler.replay.foresight.view import View
from partition.models.settings import Settings
from scripts.shared.doc_tables import keep, table
from sessions.localweb.evolve.evolve import evolve_web
from sessions.localweb.generate.make import make_web

DOCUMENT = "foresight.md"


def main() -> None:
    """Print the tables, or keep them in the docs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sites", type=int, default=60)
    parser.add_argument("--pages", type=int, default=6000)
    parser.add_argument("--ages", default="7,14,28,56", metavar="DAYS,...", help="ages of the webs, ascending")
    parser.add_argument("--parts", default="4,8,16", metavar="K,...")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", action="store_true", help="write the tables into docs/foresight.md")
    options = parser.parse_args()
    request = ForesightRequest(parts=tuple(map(int, options.parts.split(","))), cutting=Settings(seed=1))
    with tempfile.TemporaryDirectory() as folder:
        webs = _webs(Path(folder), options.sites, options.pages, options.seed, options.ages)
        foresight = foresee(webs[0], webs[1:], request, made="", progress=_say, scratch=Path(folder))
    told = "".join(f"- {sentence}\n" for sentence in sentences(foresight))
    for name, text in {"aging-stands-out": told, "aging": _by_age(foresight)}.items():
        print(text)
        if options.save:
            keep(DOCUMENT, name, text)


def _webs(folder: Path, sites: int, pages: int, seed: int, ages: str) -> list[Path]:
    webs = [folder / "day-0.warc.gz"]
    make_web(webs[0], sites=sites, pages=pages, seed=seed)
    for before, age in pairwise([0, *map(int, ages.split(","))]):
        webs.append(folder / f"day-{age}.warc.gz")
        evolve_web(webs[-2], webs[-1], days=age - before, seed=seed)
        _say(f"made {webs[-1].name}")
    return webs


def _by_age(foresight: Foresight) -> str:
    """The larger imbalance of each way at each age, and at the last age the bytes on the wire and the overlap."""
    view, last = View(foresight), len(foresight.sessions) - 1
    scales = {name: scale_of(BY_NAME[name], view.values(name, (last,))) for name in ("wire_bytes_per_page", OVERLAP)}
    ages = [days(session.age or 0.0) for session in foresight.sessions[1:]]
    head = ["K", "model", "unknown URLs", "predicted", *(f"after {age}" for age in ages)]
    head += [f"{BY_NAME[name].title.lower()}, {scale.unit}" for name, scale in scales.items()]
    rows = (
        [
            str(candidate.k),
            candidate.model,
            candidate.rule or "-",
            *(f"{view.imbalance(candidate, session):.0%}" for session in range(last + 1)),
            *(scale.text(view.known(name, candidate, last)) for name, scale in scales.items()),
        ]
        for candidate in sorted(view.candidates, key=lambda candidate: candidate.k)
    )
    return table(head, rows)


def _say(what: str) -> None:
    print(what, file=sys.stderr)


if __name__ == "__main__":
    main()
