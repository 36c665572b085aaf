"""The plots of docs/scale.md: what URL-seen and budgets cost the disk, by the size of the crawl."""

from collections.abc import Callable, Iterable
from pathlib import Path

import matplotlib as mpl

mpl.use("svg")

import matplotlib.pyplot as plt
import numpy as np

from crawler.feasibility.budget_disk_model import Crawl, beast_disk_rate, naive_disk_rate
from crawler.feasibility.drum_overhead_model import Load, Store, drum_overhead, mercator_overhead, polybot_overhead

OVERHEAD, DISK_RATE = "scale-overhead.svg", "scale-disk-rate.svg"
_PAGES = np.geomspace(1e7, 1e13, 61)
_STORE = Store(memory=1e9, disk=4.39e12)
_LOAD, _CRAWL = Load(), Crawl()
_LOOKS = {"svg.hashsalt": "scale", "svg.fonttype": "none", "font.size": 9, "axes.grid": True, "grid.alpha": 0.3}

Curve = tuple[str, Callable[[float], float]]


def plot(folder: Path) -> None:
    """Write both plots into ``folder``, without a date: the same bytes each time."""
    methods = (("Polybot", polybot_overhead), ("Mercator-B", mercator_overhead), ("DRUM", drum_overhead))
    _draw(
        folder / OVERHEAD,
        [(name, lambda pages, method=method: method(_LOAD, _STORE, pages)) for name, method in methods],
        "overhead w",
    )
    _draw(
        folder / DISK_RATE,
        [
            ("one queue, read in every pass", lambda pages: naive_disk_rate(_CRAWL, pages) / 1e6),
            ("BEAST", lambda pages: beast_disk_rate(_CRAWL, pages) / 1e6),
        ],
        f"MB/s at {_CRAWL.rate:,.0f} pages/s",
    )


def _draw(path: Path, curves: Iterable[Curve], what: str) -> None:
    with plt.rc_context(_LOOKS):
        figure, axes = plt.subplots(figsize=(5.2, 3.2), layout="constrained")
        for name, value in curves:
            axes.loglog(_PAGES, [value(pages) for pages in _PAGES], label=name)
        axes.minorticks_off()
        axes.set_xlabel("pages of the crawl")
        axes.set_ylabel(what)
        axes.legend(frameon=False)
        figure.savefig(path, metadata={"Date": None})
        plt.close(figure)
    path.write_text("".join(f"{line.rstrip()}\n" for line in path.read_text().splitlines()))
