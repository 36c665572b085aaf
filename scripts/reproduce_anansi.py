"""The tables of Anansi's thesis on whether the whole web can be crawled, ours beside its own: docs/feasibility.md.

The thesis: Anansi (North Carolina State University, 2010), chapter 5.

    python -m scripts.reproduce_anansi               print the tables that are computed
    python -m scripts.reproduce_anansi SESSION       and rank as many links of a session as the thesis ranked
    python -m scripts.reproduce_anansi SESSION --save
                                                     and keep them, with the plots, in docs/
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from crawler.feasibility.random_web import RandomWeb
from crawler.feasibility.volunteer_needs import (
    Traffic,
    machines_needed,
    ranking_seconds,
    rate_needed,
    url_store_bytes,
)
from scripts.bench.worklist import measured
from scripts.reproduce.random_web_simulation import pending_of
from scripts.shared.doc_tables import ROOT, keep, table
from scripts.shared.this_machine import this_machine
from sessions.hash_arrays import distinct, hashes_of
from sessions.session import Session

PENDING_PLOT, RANKING_PLOT = "feasibility-pending.svg", "feasibility-ranking.svg"
PEAKS = {
    1_000_000_000: (968_508_416, 26_491_585),
    2_000_000_000: (1_965_042_680, 29_957_321),
    3_000_000_000: (2_963_015_354, 31_984_648),
    4_000_000_000: (3_961_576_944, 33_423_058),
    5_000_000_000: (4_960_461_226, 34_538_777),
}
"""Table 5.3, for S = 200: by N the most URLs that wait, and after how many fetches."""
LINKS = 200
MEAN_LINKS = (86_438_305, 420_989)
"""Table 5.1: links, and pages that they were found on."""
RANKED = {
    500_000: (323_963, 33),
    1_000_000: (582_692, 58),
    1_500_000: (801_783, 79),
    2_000_000: (1_000_667, 103),
    2_500_000: (1_199_649, 94),
    3_000_000: (1_374_316, 111),
    3_500_000: (1_542_274, 120),
    4_000_000: (1_710_902, 138),
}
"""Table 5.2, on three data nodes: by input the output, and seconds."""
SIMULATED = (100_000, 20, 20)
"""Pages, links of each, and webs of the simulation."""
_SITES, _PAGES_A_SITE, _DUE = 200e6, 200, 1 / 10
_DAYS_180 = 15_552_000.0
_SIMULATED_WEB = "such a web, simulated"


def main() -> None:
    options = _options()
    parts = {"peaks": peaks(), "simulation": simulation(), "reckoning": reckoning()}
    if options.session is not None:
        parts["ranking"] = ranking(options.session)
    for name, text in parts.items():
        print(text)
        if options.save:
            keep("feasibility.md", name, text)
    if options.save:
        _draw_pending(ROOT / "docs" / PENDING_PLOT)


def peaks() -> str:
    """Table 5.3, with the number of links that its rows are right for."""
    rows = []
    for row, (pages, (pending, fetched)) in enumerate(PEAKS.items(), 1):
        ours, theirs = RandomWeb(pages, LINKS).peak(), RandomWeb(pages, LINKS * row).peak()
        rows.append(
            [
                f"{pages:,}",
                *(f"{number:,}" for number in (pending, fetched)),
                *(f"{number:,.0f}" for number in (ours.pending, ours.fetched)),
                f"{ours.fetched / pages:.2%}",
                f"{LINKS * row:,}",
                *(f"{number:,.0f}" for number in (theirs.pending, theirs.fetched)),
            ]
        )
    head = ["N", "P_max, thesis", "n_1, thesis", "P_max", "n_1", "n_1 / N", "S that gives the thesis's row"]
    return table([*head, "P_max with that", "n_1 with that"], rows)


def simulation() -> str:
    """P(n) beside simulated webs."""
    pages, links, webs = SIMULATED
    model = RandomWeb(pages, links)
    found = [pending_of(pages, links, seed) for seed in range(webs)]
    expected = np.array([model.pending(fetched) for fetched in range(1, pages + 1)])
    worst = max(float(np.abs(pending - expected[: len(pending)]).max()) for pending in found)
    places = [int(pending.argmax()) + 1 for pending in found]
    mean = sum(places) / webs
    peak = model.peak()
    return table(
        ["what", "model", f"{webs} webs of {pages:,} pages with {links} links each"],
        [
            ["n_1", f"{peak.fetched:,.0f}", f"{mean:,.0f} in the mean, {min(places):,} to {max(places):,}"],
            ["P_max", f"{peak.pending:,.0f}", f"{min(map(max, found)):,} to {max(map(max, found)):,}"],
            ["P(n), farthest from the model, of N", "", f"{worst / pages:.2%}"],
        ],
    )


def reckoning() -> str:
    """The rest of the chapter: rates, machines, disk and network."""
    pages = _SITES * _PAGES_A_SITE * _DUE
    rate = rate_needed(pages, _DAYS_180)
    traffic = Traffic()
    down, up = traffic.down(pages, _DAYS_180), traffic.up(pages, _DAYS_180)
    links, linking = MEAN_LINKS
    seconds = ranking_seconds(pages, 10_000)
    return table(
        ["what", "by which figures", "ours", "thesis"],
        [
            ["links a page (Table 5.1)", f"{links:,} links of {linking:,} pages", f"{links / linking:.3f}", "205.322"],
            ["pages [N]", "200 M hosts x 200 / 10", f"{pages:,.0f}", "4 x 10^9"],
            ["pages a second [F]", "t = 180 days, a = 1", f"{rate:.1f}", "257"],
            [
                "volunteers",
                "a HEAD of 0.1 s for each of 200 links: 20 s a page",
                f"{machines_needed(rate, LINKS, 0.1):,.0f}",
                "5,140",
            ],
            [
                "disk for URLs",
                "100 bytes in three copies",
                f"{url_store_bytes(pages, 100, 3) / 1e9:,.0f} GB",
                "1,200 GB",
            ],
            ["to the volunteers", "N (600 + 100 + 30) / t", f"{down:,.0f} B/s", "0.183 MB/s"],
            ["from the volunteers", "N (200 x 100 + 30) / t", f"{up:,.0f} B/s", "5 MB/s"],
            ["ranking", "10,000 URLs a second", f"{seconds:,.0f} s, {seconds / _DAYS_180:.1%} of t", "0.2% of t"],
        ],
    )


def ranking(path: Path) -> str:
    """Table 5.2: the first links of a session as a session of their own, ranked by `cutweb worklist`."""
    ours = {}
    with tempfile.TemporaryDirectory() as folder:
        links = _links_of(Session.open(path), max(RANKED))
        for count in RANKED:
            session = _session_of(links[:count], Path(folder), str(count))
            ours[count] = [measured(session, ranks, "anansi", 256) for ranks in (1, 2)]
            print(count, ours[count], file=sys.stderr)
    rows = [
        [
            f"{count:,}",
            *(f"{number:,}" for number in RANKED[count]),
            f"{told[0]['urls']:,}",
            *(f"{one['seconds']:.1f}" for one in told),
            *(f"{one['cpu']:.1f}" for one in told),
        ]
        for count, told in ours.items()
    ]
    head = ["input", "output, thesis", "s, thesis, 3 nodes", "output", "s, 1 rank", "s, 2 ranks", "CPU s, 1 rank"]
    _draw_ranking({count: [one["seconds"] for one in told] for count, told in ours.items()}, ROOT / "docs")
    return f"![seconds by input]({RANKING_PLOT})\n\n{table([*head, 'CPU s, 2 ranks'], rows)}\n{this_machine()}.\n"


def _links_of(session: Session, most: int) -> np.ndarray:
    """The first links of a session as pairs of page numbers, int64[most, 2]."""
    found, count = [], 0
    for batch in session.batches("links", ["source", "target"]):
        found.append(np.stack([hashes_of(batch, "source"), hashes_of(batch, "target")], axis=1))
        count += len(batch)
        if count >= most:
            break
    pairs = np.concatenate(found)[:most]
    if len(pairs) < most:
        sys.exit(f"{session.path}: has {len(pairs):,} links; name a session with {most:,}")
    return np.searchsorted(distinct(pairs.ravel()), pairs)


def _session_of(links: np.ndarray, folder: Path, name: str) -> Path:
    """Links as an imported session; pages are numbered anew, so that those without links are none."""
    edges, session = folder / f"{name}.txt", folder / name
    numbers = np.searchsorted(distinct(links.ravel()), links)
    np.savetxt(edges, numbers, fmt="%d")
    command = [sys.executable, "-m", "cutweb", "import", "edges", str(edges), "--out", str(session)]
    subprocess.run(command, check=True, capture_output=True)
    edges.unlink()
    return session


def _draw_pending(path: Path) -> None:
    shares = np.concatenate([np.geomspace(1e-4, 0.04, 60), np.linspace(0.05, 1, 96)])
    pages, links, _ = SIMULATED
    webs = {f"N = 1 B, S = {LINKS}": RandomWeb(min(PEAKS), LINKS), "N = 100,000, S = 20": RandomWeb(pages, links)}
    curves = [(name, shares, [web.pending(web.pages * x) / web.pages for x in shares]) for name, web in webs.items()]
    found = pending_of(pages, links, seed=0)
    places = np.linspace(0, len(found) - 1, 31).astype(int)
    curves.append((_SIMULATED_WEB, (places + 1) / pages, found[places] / pages))
    _draw(path, curves, "share of the pages fetched", "URLs that wait, share of the pages")


def _draw_ranking(seconds: dict[int, list[float]], folder: Path) -> None:
    inputs = [count / 1e6 for count in seconds]
    curves = [("thesis, 3 data nodes", inputs, [told for _, told in RANKED.values()])]
    curves += [
        (f"cutweb worklist, {ranks} rank{'s' * (ranks > 1)}", inputs, [told[ranks - 1] for told in seconds.values()])
        for ranks in (1, 2)
    ]
    _draw(folder / RANKING_PLOT, curves, "million links", "seconds")


def _draw(path: Path, curves: Iterable[tuple[str, Iterable[float], Iterable[float]]], across: str, up: str) -> None:
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot

    looks = {"svg.hashsalt": path.name, "svg.fonttype": "none", "font.size": 9, "axes.grid": True, "grid.alpha": 0.3}
    with pyplot.rc_context(looks):
        figure, axes = pyplot.subplots(figsize=(5.2, 3.2), layout="constrained")
        for name, x, y in curves:
            axes.plot(list(x), list(y), "o" if name == _SIMULATED_WEB else "-", markersize=3, label=name)
        axes.set_xlabel(across)
        axes.set_ylabel(up)
        axes.legend(frameon=False)
        figure.savefig(path, metadata={"Date": None})
        pyplot.close(figure)
    path.write_text("".join(f"{line.rstrip()}\n" for line in path.read_text().splitlines()))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("session", nargs="?", metavar="SESSION", type=Path, help="whose links are ranked")
    parser.add_argument("--save", action="store_true", help="write docs/feasibility.md and the plots")
    return parser.parse_args()


if __name__ == "__main__":
    main()
