"""What a week does to an invented web, beside what studies of the web found: new and gone pages, edits, new links.

.venv/bin/python -m scripts.foresight.evolved_rates
.venv/bin/python -m scripts.foresight.evolved_rates --save          the same, into docs/evolving-web.md
"""

import argparse
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from scripts.shared.doc_tables import keep, table
from sessions.localweb.evolve.evolve import evolve_web
from sessions.localweb.evolve.snapshot import take_snapshot
from sessions.localweb.generate.make import make_web
from sessions.storage.warc_index import build_index

DOCUMENT = "evolving-web.md"
DAYS = 7
CITED = {"new pages": "8% [1]", "gone pages": "8% [1]", "edited pages": "35% to 40% [2, 3]", "new links": "25% [1]"}


class Week(NamedTuple):
    """Shares after a week: of the pages that are there then, of those that were, and of the links that are there."""

    new_pages: float
    gone_pages: float
    edited_pages: float
    new_links: float
    new_links_of_new_pages: float


def main() -> None:
    """Print the table, or keep it in the docs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sites", type=int, default=60)
    parser.add_argument("--pages", type=int, default=3000)
    parser.add_argument("--webs", type=int, default=6, help="how many webs, each of another seed")
    parser.add_argument("--save", action="store_true", help="write the table into docs/evolving-web.md")
    options = parser.parse_args()
    weeks = [_week(options.sites, options.pages, seed) for seed in range(1, options.webs + 1)]
    names = ["new pages", "gone pages", "edited pages", "new links", "of them on new pages"]
    rows = []
    for name, values in zip(names, np.array(weeks).T, strict=True):
        rows.append([name, f"{values.mean():.1%}", f"{values.min():.1%} to {values.max():.1%}", CITED.get(name, "-")])
    text = table(["after 7 days", "mean", "least and most", "found in studies"], rows)
    about = f"{options.webs} webs of {options.sites} sites and {options.pages:,} pages:\n\n"
    print(about + text)
    if options.save:
        keep(DOCUMENT, "week", about + text)


def _week(sites: int, pages: int, seed: int) -> Week:
    with tempfile.TemporaryDirectory() as folder:
        first, second = Path(folder) / "a.warc.gz", Path(folder) / "b.warc.gz"
        make_web(first, sites=sites, pages=pages, seed=seed)
        told = evolve_web(first, second, days=DAYS, seed=seed)
        print(f"evolved web {seed}", file=sys.stderr)
        web = take_snapshot(second, build_index([second]), lambda *_: None)
        links = sum(len(web.targets[page]) for page in np.flatnonzero(web.is_page).tolist())
    before = told.pages - told.born + told.gone
    return Week(
        told.born / told.pages,
        told.gone / before,
        (told.edited - told.relinked) / (told.pages - told.born),
        (told.links_added + told.links_born) / links,
        told.links_born / links,
    )


if __name__ == "__main__":
    main()
