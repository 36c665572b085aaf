"""The plot of pages by in-degree, after figure 6b of the paper on IRLbot: one panel for each crawl."""

from collections.abc import Mapping
from pathlib import Path

import matplotlib as mpl

mpl.use("svg")

import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt

from crawler.frontier.budgets.budget_functions import BUDGETS
from crawler.frontier.budgets.ranking import Histogram

NAME = "scale-spam.svg"
_LOOKS = {"svg.hashsalt": "scale", "svg.fonttype": "none", "font.size": 9, "axes.grid": True, "grid.alpha": 0.3}

Ints = npt.NDArray[np.int64]


def plot(path: Path, panels: Mapping[str, tuple[Ints, Ints]]) -> None:
    """Write a plot of in-degrees and pages of domains, by title, with what the budget functions allow."""
    with plt.rc_context(_LOOKS):
        width = 3.2 * len(panels)
        figure, columns = plt.subplots(
            1, len(panels), figsize=(width, 3.2), layout="constrained", sharex=True, sharey=True, squeeze=False
        )
        for axes, (title, (in_degrees, pages)) in zip(columns[0], panels.items(), strict=True):
            _draw(axes, in_degrees, pages)
            axes.set_title(title, fontsize=9)
            axes.set_xlabel("in-degree from other domains")
        columns[0, 0].set_ylabel("pages fetched of the domain")
        columns[0, 0].legend(frameon=False, loc="upper left")
        figure.savefig(path, metadata={"Date": None}, dpi=150)
        plt.close(figure)
    path.write_text("".join(f"{line.rstrip()}\n" for line in path.read_text().splitlines()))


def _draw(axes: plt.Axes, in_degrees: Ints, pages: Ints) -> None:
    dots = np.unique(np.stack([in_degrees, pages])[:, (in_degrees > 0) & (pages > 0)], axis=1)
    axes.loglog(dots[0], dots[1], ".", markersize=2.5, color="0.4", label="a domain", rasterized=True)
    linked = in_degrees[in_degrees > 0].astype(np.uint32)
    histogram = Histogram()
    histogram.move(np.zeros_like(linked), linked)
    steps = np.unique(linked)
    for name, function in BUDGETS.items():
        if name == "trust":  # says nothing by in-degree alone
            continue
        axes.loglog(steps, function(steps, histogram.ranking()), linewidth=1, label=f"budget by {name}")
