"""Crawl a web that changes, week by week, by worklists: which share of the pages that are stored is up to date.

`cutweb web make` invents a web and lets it grow older, seven days a step.  The first crawl fetches all of it; each
later one, by a worklist of all sessions before, as many pages as a third of the web has, nine tenths of them new ones
while there are any.  A URL is stored if its last fetch gave a page, and up to date if the web of that day has the same
body for it.  ``oldest first`` and ``random`` are the worklist of `--by anansi` with its old rows in another order.

    python -m scripts.ranking.series             print the table
    python -m scripts.ranking.series --save      and keep it, and the plot, in docs/
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from crawler.worklist.make_worklist import WorklistSettings, make_worklist
from crawler.worklist.manifest import WorklistOrigin, write_manifest
from crawler.worklist.rows import KINDS, OLD, SCHEMA, write_rows
from crawler.worklist.worklist import Worklist, open_worklist
from partition.communication.ranks import Ranks
from scripts.shared.doc_tables import ROOT, keep, table
from sessions.localweb.evolve.evolve import evolve_web
from sessions.localweb.generate.make import make_web
from sessions.localweb.serve.server import LocalWeb
from sessions.localweb.web_files import seeds_path
from sessions.session import Session

DAYS = 7
PLOT = "worklist-series.svg"
FORMULAS = ("anansi", "change", "value")

Priorities = Callable[[pa.Table, int], npt.NDArray[np.float64]]
"""Of old rows of a worklist, with a seed."""

OTHERS: dict[str, Priorities] = {
    "oldest first": lambda rows, seed: rows["age"].to_numpy(),
    "random": lambda rows, seed: np.random.default_rng(seed).random(rows.num_rows),
}
ORDERS = (*FORMULAS, *OTHERS)

Bodies = dict[str, bytes]
"""By URL, the SHA-1 of a page's body."""


class Web(NamedTuple):
    """The web of one week: its WARC file, and the bodies of its pages."""

    path: Path
    bodies: Bodies


class Week(NamedTuple):
    """Shares once a week's crawl has ended: of stored pages that are up to date, then and a week later, and of the
    web's pages that are stored and up to date.
    """

    after: float
    week_later: float
    of_web: float


def main() -> None:
    """Print the table."""
    asked = _options()
    with tempfile.TemporaryDirectory(dir=asked.folder) as scratch:
        folder = Path(scratch)
        webs = _webs(folder, asked.sites, asked.pages, asked.steps + 1)
        weeks = {order: _series(folder, webs, order) for order in ORDERS}
    rows = [[order, *(f"{share:.3f}" for share in np.mean(weeks[order], axis=0))] for order in ORDERS]
    head = ["order of old URLs", "after the crawl", "a week later", "of the web's pages"]
    changed = np.mean([_up_to_date(before.bodies, after) for before, after in pairwise(webs)])
    text = (
        f"{asked.steps} weeks, {asked.pages:,} pages on {asked.sites} sites at first; in a week {1 - changed:.0%} of "
        f"the pages change or go. Means over the weeks.\n\n{table(head, rows)}"
    )
    print(text)
    if asked.save:
        keep("ranking.md", "series", f"![share of stored pages that are up to date, by week]({PLOT})\n\n{text}")
        _draw(weeks, ROOT / "docs" / PLOT)


def _webs(folder: Path, sites: int, pages: int, weeks: int) -> list[Web]:
    """The web of each week; the last is only looked at."""
    paths = [folder / f"web-{week}.warc.gz" for week in range(weeks + 1)]
    make_web(paths[0], sites=sites, pages=pages, seed=1)
    for before, path in pairwise(paths):
        evolve_web(before, path, days=DAYS, seed=1)
    return [Web(path, _bodies_of(path, folder / f"all-{path.name}")) for path in paths]


def _bodies_of(web: Path, session: Path) -> Bodies:
    _cutweb(0, "import", "warc", str(web), "--out", str(session))
    return _stored([session])


def _series(folder: Path, webs: list[Web], order: str) -> list[Week]:
    """Crawl the web week by week, and look at what is stored."""
    sessions = [folder / f"{order}-0"]
    _crawl(webs[0], 0, sessions[0], "--scope", "all", "--seeds", str(seeds_path(webs[0].path)))
    pages = len(webs[0].bodies) // 3
    weeks = []
    for week, (web, next_web) in enumerate(pairwise(webs[1:]), start=1):
        worklist = _worklist(sessions, week, order, folder / f"{order}-list-{week}")
        sessions.append(folder / f"{order}-{week}")
        _crawl(web, week, sessions[-1], "--worklist", str(worklist), "--max-pages", str(pages))
        stored = _stored(sessions)
        fresh = sum(web.bodies.get(url) == body for url, body in stored.items())
        weeks.append(Week(fresh / len(stored), _up_to_date(stored, next_web), fresh / len(web.bodies)))
        print(order, week, weeks[-1], flush=True)
    return weeks


def _up_to_date(stored: Bodies, web: Web) -> float:
    """The share of stored pages that the web has with the same body."""
    return sum(web.bodies.get(url) == body for url, body in stored.items()) / len(stored)


def _stored(sessions: Sequence[Path]) -> Bodies:
    """What a reader of these sessions has: of each URL whose last fetch gave a page, the body."""
    names = ["url", "status", "fetched", "content_digest"]
    pages = pa.concat_tables(Session.open(path).read("pages", names) for path in sessions).sort_by("fetched")
    last = {row["url"]: row for row in pages.to_pylist()}
    return {url: row["content_digest"] for url, row in last.items() if row["status"] in (200, 304)}


def _crawl(web: Web, week: int, out: Path, *options: str) -> None:
    with LocalWeb([web.path]) as local:
        where = ["--connect-to", local.connect_to, "--ca-cert", str(local.ca_cert), "--contact", "series@example.org"]
        _cutweb(week, "crawl", "--out", str(out), *where, "--delay", "0", "--server-delay", "0", *options)


def _cutweb(week: int, *arguments: str) -> None:
    """Run the command line as if it were so many weeks later."""
    command = [sys.executable, "-m", "scripts.ranking.days_later", str(DAYS * week), *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)}: {done.stderr}")


def _worklist(sessions: list[Path], week: int, order: str, out: Path) -> Path:
    """The worklist for the crawl of a week."""
    now = datetime.now(UTC) + timedelta(days=DAYS * week)
    formula = order if order in FORMULAS else "anansi"
    make_worklist(Ranks(), sessions, out, WorklistSettings(now, by=formula))
    if order in OTHERS:
        _order_old(open_worklist(out), OTHERS[order], week)
    return out


def _order_old(worklist: Worklist, priorities: Priorities, seed: int) -> None:
    """Give the old URLs of a worklist other priorities, and write it anew."""
    files = []
    for kind in KINDS:
        batches = [placed.batch for placed in worklist.rows(kind)]
        if batches and kind == OLD:
            rows = pa.Table.from_batches(batches)
            place = rows.schema.get_field_index("priority")
            rows = rows.set_column(place, SCHEMA.field(place), pa.array(priorities(rows, seed)))
            order = [("priority", "descending"), ("age", "descending"), ("hash", "ascending")]
            batches = rows.sort_by(order).to_batches()
        files.append(write_rows(worklist.path, kind, 0, batches))
    told = {field.name: getattr(worklist.manifest, field.name) for field in fields(WorklistOrigin)}
    write_manifest(worklist.path, WorklistOrigin(**told), [file for file in files if file is not None], worklist.seeds)


def _draw(weeks: dict[str, list[Week]], path: Path) -> None:
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot

    looks: dict[Any, Any] = {
        "svg.hashsalt": "series",
        "svg.fonttype": "none",
        "font.size": 9,
        "axes.grid": True,
        "grid.alpha": 0.3,
    }
    with pyplot.rc_context(looks):
        figure, axes = pyplot.subplots(figsize=(6, 3.5), layout="constrained")
        for order, shares in weeks.items():
            axes.plot(range(1, len(shares) + 1), [week.after for week in shares], marker=".", label=order)
        axes.set(xlabel="week", ylabel="stored pages that are up to date")
        axes.legend(ncols=2)
        figure.savefig(path, metadata={"Date": None})
        pyplot.close(figure)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sites", type=int, default=40)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--folder", type=Path, help="where sessions lie meanwhile")
    parser.add_argument("--save", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
