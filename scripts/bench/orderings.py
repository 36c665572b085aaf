"""Cho's experiment: how soon the orders of `--order` reach the hot pages, by replay, and what they cost a page.

J. Cho, H. Garcia-Molina, L. Page, "Efficient Crawling Through URL Ordering", WWW 1998, section 6.  Sessions are given
as name=SESSION; each is replayed in every order at K = 1 and 4, by site hash, or by page hash if it has no URLs.
`random` is estimated for its other seeds, which gives the replay's figures.  `priority` is by PageRank, as
`cutweb worklist` has it of the session itself.

    python -m scripts.bench.orderings uci=session cnr-2000=other    print the tables
    ... --save                                                      keep them, and the plot, in docs/
    ... --coarse uci.warc=session                                   sessions that are replayed at the defaults
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from crawler.frontier.order_settings import OrderSettings
from crawler.frontier.priorities import read_priorities
from crawler.frontier.priority_order import priority_keys
from crawler.frontier.random_order import random_keys
from crawler.replay.course import Course, course_of
from crawler.replay.estimation.estimate import estimate
from crawler.replay.measuring.importance import importance_of
from crawler.replay.measuring.quality import first_fetches
from crawler.replay.ownership import ownership_by_hash
from crawler.replay.recording import Recording, recording_of
from crawler.replay.settings import ReplaySettings
from crawler.worklist.make_worklist import WorklistSettings, make_worklist
from partition.communication.ranks import Ranks
from scripts.bench.sequential_crawl import Web, breadth_first, by_keys, by_page, by_site
from scripts.shared.doc_tables import ROOT, keep, table
from scripts.shared.this_machine import this_machine
from sessions.session import Session
from sessions.url import site_of, url_hash

ORDERS = ("bfs", "random", "backlink", "backlink-page", "priority")
RANKS = (1, 4)
SEEDS = range(1, 11)
SHARES = (0.1, 0.25, 0.5)
PLOT = "orderings.svg"
_GRAIN = 10
_HOT = 0.1

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


class Case(NamedTuple):
    """A session to be replayed, and how: ``arguments`` say how long supersteps are and when sites are ranked."""

    name: str
    path: Path
    recording: Recording
    is_hot: Mask
    arguments: list[str]
    pages_per_superstep: int

    @property
    def assignment(self) -> str:
        """By site, but where all URLs are invented, and so of one site."""
        return "page-hash" if self.recording.has_invented_urls else "site-hash"


class Replayed(NamedTuple):
    """What came of a replay: its course, CPU milliseconds and bytes about the order, both for each page."""

    course: Course
    milliseconds: float
    order_bytes: float


def main() -> None:
    options = _options()
    cases = [_case(name, _GRAIN) for name in options.sessions] + [_case(name, None) for name in options.coarse]
    rows: list[list[str]] = []
    costs: list[list[str]] = []
    curves: dict[str, dict[str, Floats]] = {}
    with tempfile.TemporaryDirectory(dir=options.folder) as scratch:
        for case in cases:
            worklist = _worklist(case, Path(scratch) / f"list-{case.name}")
            rows += [[case.name, *row] for row in _sequential(case, worklist)]
            for ranks in RANKS:
                for order in ORDERS:
                    replayed = _replay(case, order, ranks, worklist, Path(scratch))
                    curve = _curve(case, replayed.course)
                    if ranks == 1:
                        curves.setdefault(case.name, {})[order] = curve
                    told = _random(case, ranks) if order == "random" else [f"{value:.2f}" for value in _at(curve)]
                    rows.append([case.name, str(ranks), order, *told])
                    costs.append(
                        [case.name, str(ranks), order, f"{replayed.milliseconds:.3f}", f"{replayed.order_bytes:.1f}"]
                    )
                    print(rows[-1], costs[-1], flush=True)
    text = f"{this_machine()}.\n\n" + table(["session", "K", "order", "10%", "25%", "50%"], rows)
    text += "\n" + table(["session", "K", "order", "CPU ms a page", "bytes a page about the order"], costs)
    print(text)
    if options.save:
        keep("ranking.md", "orderings", f"![share of the hot pages by share of pages fetched]({PLOT})\n\n{text}")
        _draw(curves, ROOT / "docs" / PLOT)


def _case(told: str, grain: int | None) -> Case:
    name, _, path = told.partition("=")
    recording = recording_of(Path(path))
    arguments = ["--pages-per-superstep", str(grain), "--rerank", "1"] if grain is not None else []
    usual = ReplaySettings().pages_per_superstep
    hot = _hot(importance_of(recording).back_links)
    return Case(name, Path(path), recording, hot, arguments, grain or usual)


def _hot(back_links: npt.NDArray[np.int64]) -> Mask:
    """The pages with more than G back-links, G the least that at most a tenth of the pages exceed."""
    descending = np.sort(back_links)[::-1]
    is_hot: Mask = back_links > descending[int(_HOT * len(back_links))]
    return is_hot


def _curve(case: Case, course: Course) -> Floats:
    """The share of the hot pages that has been fetched after each page."""
    return _found(case, first_fetches(course.fetches))


def _found(case: Case, order: npt.NDArray[np.int64]) -> Floats:
    found: Floats = np.cumsum(case.is_hot[order]) / case.is_hot.sum()
    return found


def _at(curve: Floats) -> list[float]:
    return [float(curve[int(share * len(curve)) - 1]) for share in SHARES]


def _random(case: Case, ranks: int) -> list[str]:
    """Mean, least and most over the seeds, after each of the shares."""
    values = np.array([_at(_curve(case, _estimated(case, ranks, seed))) for seed in SEEDS])
    columns = zip(values.mean(0), values.min(0), values.max(0), strict=True)
    return [f"{mean:.2f} ({least:.2f} - {most:.2f})" for mean, least, most in columns]


def _estimated(case: Case, ranks: int, seed: int) -> Course:
    settings = ReplaySettings(case.pages_per_superstep, order="random", order_settings=OrderSettings(order_seed=seed))
    return estimate(case.recording, ownership_by_hash(case.recording, case.assignment, ranks), settings)


def _worklist(case: Case, folder: Path) -> Path:
    """A worklist of the session alone, by PageRank."""
    make_worklist(Ranks(), [case.path], folder, WorklistSettings(datetime.now(UTC), by="pagerank"))
    return folder


def _replay(case: Case, order: str, ranks: int, worklist: Path, scratch: Path) -> Replayed:
    out = scratch / f"{case.name}-{order}-{ranks}"
    command = [sys.executable, "-m", "cutweb", "replay", str(case.path), "--out", str(out), "--ranks", str(ranks)]
    command += ["--assign", case.assignment, "--order", order, *case.arguments]
    command += ["--priorities", str(worklist)] if order == "priority" else []
    subprocess.run(command, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    session = Session.open(out)
    reports = session.rank_reports()
    pages = sum(report["fetched"] for report in reports)
    cpu = sum(sum(report["cpu"].values()) for report in reports)
    sent = sum(report["order_bytes"] for report in reports)
    return Replayed(course_of(session, case.recording), 1000 * cpu / pages, sent / pages)


def _sequential(case: Case, worklist: Path) -> Iterator[list[str]]:
    """What a crawl reaches that fetches one page at a time and ranks after each."""
    recording = case.recording
    followed = np.concatenate([np.zeros(1, np.int64), np.cumsum(recording.is_followed)])
    names = [site_of(url) for url in recording.urls.to_pylist()]
    of_name = {name: url_hash(name) for name in set(names)}
    web = Web(
        followed[recording.starts],
        recording.targets[recording.is_followed],
        recording.seeds.tolist(),
        [of_name[name] for name in names],
    )
    orders = {
        "bfs": lambda: breadth_first(web),
        "random": lambda: by_keys(web, random_keys(recording.hashes, 1).tolist()),
        "backlink": lambda: by_site(web),
        "backlink-page": lambda: by_page(web),
        "priority": lambda: by_keys(web, priority_keys(recording.hashes, read_priorities(worklist)).tolist()),
    }
    for order, crawl in orders.items():
        at = _at(_found(case, np.array(crawl(), np.int64)))
        seed = ", seed 1" if order == "random" else ""
        yield ["one page at a time", f"{order}{seed}", *(f"{value:.2f}" for value in at)]


def _draw(curves: dict[str, dict[str, Floats]], path: Path) -> None:
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot

    looks = {"svg.hashsalt": "orderings", "svg.fonttype": "none", "font.size": 9, "axes.grid": True, "grid.alpha": 0.3}
    with pyplot.rc_context(looks):
        figure, panels = pyplot.subplots(
            1, len(curves), figsize=(3.6 * len(curves), 3.2), layout="constrained", sharey=True, squeeze=False
        )
        for axes, (name, of_orders) in zip(panels[0], curves.items(), strict=True):
            for order, curve in of_orders.items():
                places = np.linspace(0, len(curve) - 1, 101).astype(int)
                axes.plot((places + 1) / len(curve), curve[places], label=order)
            axes.set_title(name)
            axes.set_xlabel("share of the pages fetched")
        panels[0][0].set_ylabel("share of the hot pages")
        panels[0][-1].legend(frameon=False, loc="lower right")
        figure.savefig(path, metadata={"Date": None})
        pyplot.close(figure)
    path.write_text("".join(f"{line.rstrip()}\n" for line in path.read_text().splitlines()))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sessions", nargs="*", metavar="NAME=SESSION")
    parser.add_argument("--coarse", nargs="*", default=[], metavar="NAME=SESSION")
    parser.add_argument("--folder", type=Path, default=None, help="where replays are kept meanwhile")
    parser.add_argument("--save", action="store_true", help=f"write docs/ranking.md and docs/{PLOT}")
    return parser.parse_args()


if __name__ == "__main__":
    main()
