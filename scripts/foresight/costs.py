"""What `cutweb advise` promised on one session, beside what came in the next, for K = 4 to 64.

    .venv/bin/python -m scripts.foresight.costs sites-2020-01-01.warc.gz sites-2022-01-01.warc.gz
    .venv/bin/python -m scripts.foresight.costs --save FILE FILE      the same, into docs/foresight.md
    .venv/bin/python -m scripts.foresight.costs --save --days 28 --pages 1200 --sites 30 --models prefix,site-hash
                                                                    an invented web that grows older, into the same

Either may be a WARC file or a session's folder.  The next session is replayed under partitions of all of the first, and
under hashes; what it costs is reckoned with the same prices as the promise.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from crawler.replay.advice import Advice, Option, advise
from crawler.replay.costs import Band, Cost, cost_of, handovers
from crawler.replay.estimation.estimate import estimate
from crawler.replay.foresight.partitions import Cuts
from crawler.replay.measuring.measures import measures_of
from crawler.replay.recording import Recording, recording_of
from crawler.replay.settings import ReplaySettings
from crawler.replay.source import recorded_session
from partition.graphs.link_graph import link_graph
from partition.models.settings import Settings
from partition.quality.request import ALL_MODELS
from scripts.shared.doc_tables import keep, table
from sessions.localweb.evolve.evolve import evolve_web
from sessions.localweb.generate.make import make_web
from sessions.session import Session

DOCUMENT = "foresight.md"
CUTTING = Settings(effort="low")


class Came(NamedTuple):
    """What came of an option of an advice."""

    advice: Advice
    option: Option
    cost: Cost


def main() -> None:
    """Print the tables, or keep them in the docs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="two sessions or WARC files, older first")
    parser.add_argument("--parts", default="4,8,16,32,64", metavar="K,...")
    parser.add_argument("--days", type=int, default=28, help="age of the invented web, if no files are named")
    parser.add_argument("--sites", type=int, default=60)
    parser.add_argument("--pages", type=int, default=6000)
    parser.add_argument("--models", default=",".join(ALL_MODELS), metavar="NAME,...", help="and page-hash in any case")
    parser.add_argument("--save", action="store_true", help="write the tables into docs/foresight.md")
    options = parser.parse_args()
    if len(options.files) not in (0, 2):
        parser.error("two files, or none")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = options.files or _webs(folder, options.sites, options.pages, options.days)
        with recorded_session(files[0], folder) as first, recorded_session(files[1], folder) as later:
            models, parts = options.models.split(","), map(int, options.parts.split(","))
            came = [found for k in parts for found in _came(first, later, k, models, folder)]
    name = "costs" if options.files else "costs-aging"
    for mark, text in {name: _table(came), f"{name}-told": _told(came)}.items():
        print(text)
        if options.save:
            keep(DOCUMENT, mark, text)


def _webs(folder: Path, sites: int, pages: int, days: int) -> list[Path]:
    webs = [folder / "day-0.warc.gz", folder / f"day-{days}.warc.gz"]
    make_web(webs[0], sites=sites, pages=pages, seed=1)
    evolve_web(webs[0], webs[1], days=days, seed=1)
    return webs


def _came(first: Path, later: Path, k: int, models: Sequence[str], folder: Path) -> Iterator[Came]:
    """What came of each way that an advice for K ranks shows."""
    advice = advise(first, k, models=models, cutting=CUTTING, progress=_say)
    recording = recording_of(later)
    maps = folder / f"maps-{k}"
    maps.mkdir()
    cuts = Cuts(link_graph(Session.open(first)), CUTTING, maps, _say)
    for option in advice.shown:
        if cuts.problem(option.candidate) is None:
            yield Came(advice, option, _cost(recording, cuts, advice, option))


def _cost(recording: Recording, cuts: Cuts, advice: Advice, option: Option) -> Cost:
    ownership = cuts.ownership(recording, option.candidate)
    course = estimate(recording, ownership, ReplaySettings())
    found = measures_of(recording, ownership, course)
    wire_bytes = found.wire_bytes_sent / found.urls_sent if found.urls_sent else 0.0
    given = handovers(recording, ownership.owners, advice.ranks)
    return cost_of(recording, ownership.owners, given, wire_bytes, advice.prices, np.ones(recording.page_count))


def _table(came: list[Came]) -> str:
    head = ["K", "way", "slowest rank, ms a page", "imbalance of requests, %", "of storage, %", "on the wire, B a page"]
    rows = []
    for advice, option, cost in came:
        mark = " (recommended)" if option == advice.chosen else ""
        rows.append(
            [
                str(advice.ranks),
                f"{option.candidate.way}{mark}",
                _beside(option.page_ms, cost.page_ms, "{:.3f}"),
                _beside(option.requests_imbalance, cost.requests_imbalance, "{:.0f}", 100),
                _beside(option.storage_imbalance, cost.storage_imbalance, "{:.0f}", 100),
                _beside(option.wire_bytes, cost.wire_bytes, "{:.1f}"),
            ]
        )
    return table(head, rows)


def _beside(band: Band, actual: float, form: str, factor: float = 1.0) -> str:
    """The promise, its band, and what came, marked where it is outside."""
    middle, low, high, came = (form.format(factor * value) for value in (band.middle, band.low, band.high, actual))
    mark = "" if band.holds(actual) else " below" if actual < band.low else " **above**"
    return f"{middle} ({low} to {high}) → {came}{mark}"


def _told(came: list[Came]) -> str:
    """In how many cases the band held what came, and how good what was recommended turned out to be."""
    lines = []
    for title, name in (
        ("Cost", "page_ms"),
        ("Imbalance of requests", "requests_imbalance"),
        ("Imbalance of storage", "storage_imbalance"),
        ("Bytes on the wire", "wire_bytes"),
    ):
        pairs = [(getattr(option, name), getattr(cost, name)) for _, option, cost in came]
        within = sum(band.holds(value) for band, value in pairs)
        above = sum(value > band.high for band, value in pairs)
        lines.append(f"- {title}: within the band in {within} of {len(pairs)} cases, above it in {above}.")
    for k in dict.fromkeys(advice.ranks for advice, _, _ in came):
        of_k = [found for found in came if found.advice.ranks == k]
        (chosen,) = (found for found in of_k if found.option == found.advice.chosen)
        best = min(of_k, key=lambda found: found.cost.page_ms)
        more = chosen.cost.page_ms / best.cost.page_ms - 1
        told = "as cheap as any" if best is chosen else f"{more:.1%} above the cheapest, {best.option.candidate.way}"
        lines.append(f"- K = {k}: {chosen.option.candidate.way} was recommended, and turned out {told}.")
    return "\n".join(lines) + "\n"


def _say(what: str) -> None:
    print(what, file=sys.stderr)


if __name__ == "__main__":
    main()
