"""Five sessions in a row from crawl points near to some sites and far from others, by replay (docs/learning.md).

    python -m scripts.twoma.unequal_points             print all tables
    python -m scripts.twoma.unequal_points --save      and keep them, and the plots, in docs/
    ... --only curve overloaded                        some of them: chains, curve, overloaded

Four ranks; 200 sites of 25 pages, of which each is near to one rank (2 ms, 100 Mbit/s) and far from the others (40 ms,
10 Mbit/s); 8 connections a rank, no delays.  Time is virtual, so the same comes of it on any machine.
"""

import argparse
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from scripts.shared.doc_tables import ROOT, keep, table
from scripts.twoma.plots import Lines, draw_lines
from scripts.twoma.session_chain import Crawled, Points, ReplayedPoints, chain, partition
from scripts.twoma.unequal_web import latencies, latencies_of_one_near_rank, make_unequal_web

SESSIONS, NEAR_RANK = 5, 2
COST, LOWER_COST = 800, 600
COSTS = (100, 300, 500, LOWER_COST, 650, 700, 750, COST, 1000)
"""Of a second, in bytes of URLs."""
LEARNERS = ("twoma", "try-all", "thompson", "settling")
PREFIX = ("--model", "prefix")
TIMED = (*PREFIX, "--learn", "settling", "--time-cost")
PAGE = "learning.md"
FIGURES = ["sent, bytes", "imbalance of bytes", "of requests", "of seconds"]


class Told(NamedTuple):
    """An experiment's table, and its plot, if it has one."""

    text: str
    lines: Lines | None = None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--save", action="store_true", help="keep the tables and plots in docs/")
    parser.add_argument("--only", nargs="*", choices=EXPERIMENTS, help="some of the experiments")
    options = parser.parse_args()
    for name in options.only or EXPERIMENTS:
        with tempfile.TemporaryDirectory() as folder:
            told = EXPERIMENTS[name](Path(folder))
        plot = f"learning-{name}.svg"
        image = f"![{name}]({plot})\n\n" if told.lines else ""
        print(told.text, flush=True)
        if options.save:
            keep(PAGE, name, image + told.text)
            if told.lines:
                draw_lines(told.lines, ROOT / "docs" / plot)


def chains(folder: Path) -> Told:
    """Makespans of all sessions, by who owns pages."""
    points, first = _points(folder / "known")
    blind, blind_first = _points(folder / "blind", with_addresses=False)
    found = {"site hash": [first] * SESSIONS, "site partition": _chain(points, first, "--model", "site")}
    for learner in LEARNERS:
        found[learner] = _chain(points, first, "--model", "twoma", "--learn", learner)
    for cost in (COST, LOWER_COST):
        found[f"twoma+prefix, X = {cost}"] = _chain(points, first, *TIMED, str(cost))
    found[f"twoma+prefix, X = {COST}, addresses unknown"] = _chain(blind, blind_first, *TIMED, str(COST))
    rows = []
    for name, sessions in found.items():
        last, makespans = sessions[-1], [f"{one.makespan:.2f}" for one in sessions]
        rows.append([name, *makespans, f"{last.makespan / first.makespan:.2f}", *figures(last)])
    head = ["owners", *(f"session {number}, s" for number in range(1, SESSIONS + 1)), "to site hash", *FIGURES]
    curves = {name: [(number, one.makespan) for number, one in enumerate(some, 1)] for name, some in found.items()}
    return Told(table(head, rows), Lines("session", "makespan, s", curves))


def curve(folder: Path) -> Told:
    """Seconds against bytes sent, over X, after one session by site hash."""
    points, first = _points(folder / "known")
    asked = {"site hash": first, "0": _after(points, first, folder / "0", *PREFIX)}
    asked |= {str(cost): _after(points, first, folder / str(cost), *TIMED, str(cost)) for cost in COSTS}
    rows = [[name, f"{one.makespan:.2f}", *figures(one)] for name, one in asked.items()]
    dots = [(one.sent_bytes / 1000, one.makespan) for name, one in asked.items() if name != "site hash"]
    return Told(table(["X", "makespan, s", *FIGURES], rows), Lines("sent, kB", "makespan, s", {"twoma+prefix": dots}))


def overloaded(folder: Path) -> Told:
    """One rank near to all sites: who gives it everything, and who its share."""
    points, first = _points(folder / "one", near_rank=NEAR_RANK)
    even = ("--balance", "bytes,requests,seconds")
    found = {
        "site hash": first,
        **{learner: _chain(points, first, "--model", "twoma", "--learn", learner)[-1] for learner in LEARNERS[:2]},
        "twoma+prefix, even bytes and requests": _after(points, first, folder / "two", *TIMED, str(COST)),
        "twoma+prefix, even seconds, too": _after(points, first, folder / "three", *TIMED, str(COST), *even),
    }
    rows = []
    for name, one in found.items():
        weight = "" if one.weight_imbalance is None else f"{one.weight_imbalance:.1%}"
        rows.append([name, f"{one.makespan:.2f}", f"{one.share_of(NEAR_RANK):.0%}", *figures(one), weight])
    head = ["owners", "makespan, s", "pages of the near rank", *FIGURES, "of the weight seconds"]
    return Told(table(head, rows))


def _points(folder: Path, *, with_addresses: bool = True, near_rank: int | None = None) -> tuple[Points, Crawled]:
    """The crawl points, and the first session from there, by site hash."""
    folder.mkdir()
    web = make_unequal_web(folder, with_addresses=with_addresses)
    (folder / "latencies").write_text(latencies(web) if near_rank is None else latencies_of_one_near_rank(near_rank))
    points = ReplayedPoints(web.session, folder / "latencies")
    return points, points.crawl(folder / "first")


def _chain(points: Points, first: Crawled, *cut: str) -> Sequence[Crawled]:
    folder = first.path.parent / "-".join(cut).replace("--", "")
    return list(chain(points, first, folder, SESSIONS, cut))


def _after(points: Points, first: Crawled, folder: Path, *cut: str) -> Crawled:
    """The session after the first."""
    folder.mkdir()
    return points.crawl(folder / "session", partition(first, folder / "map", *cut))


def figures(session: Crawled) -> list[str]:
    return [f"{session.sent_bytes:,}", *(f"{imbalance:.1%}" for imbalance in session.imbalances.values())]


EXPERIMENTS: dict[str, Callable[[Path], Told]] = {"chains": chains, "curve": curve, "overloaded": overloaded}


if __name__ == "__main__":
    main()
