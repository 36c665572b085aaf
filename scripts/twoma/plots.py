"""Curves of learners, a panel for each figure, as SVG."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from scripts.twoma.environment import Floats


@dataclass(frozen=True)
class Panel:
    """A panel with a curve for each learner, float64[seeds, runs]: the mean of the seeds, in the range of all.

    ``bound`` is what no curve can be below.
    """

    title: str
    across: str
    up: str
    curves: Mapping[str, Floats]
    is_logarithmic: bool = True
    bound: float | None = None


def draw(panels: Sequence[Panel], path: Path) -> None:
    """Draw panels beside each other; the same curves give the same file."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot

    with pyplot.rc_context(_looks(path)):
        figure, places = pyplot.subplots(
            1, len(panels), figsize=(3.6 * len(panels), 3.2), layout="constrained", squeeze=False
        )
        for axes, panel in zip(places[0], panels, strict=True):
            for name, seeds in panel.curves.items():
                runs = _shown(seeds.shape[1], panel.is_logarithmic)
                axes.plot(runs, seeds.mean(axis=0)[runs - 1], label=name, linewidth=1.2)
                axes.fill_between(runs, seeds.min(axis=0)[runs - 1], seeds.max(axis=0)[runs - 1], alpha=0.2)
            if panel.bound is not None:
                axes.axhline(panel.bound, color="black", linewidth=0.8, linestyle=":", label="bound")
            axes.set_title(panel.title)
            axes.set_xlabel(panel.across)
            axes.set_ylabel(f"{panel.up}, uniform = 1")
            axes.set_ylim(bottom=0)
            if panel.is_logarithmic:
                axes.set_xscale("log")
        places[0][0].legend(frameon=False, loc="lower left")
        _save(figure, path)
        pyplot.close(figure)


@dataclass(frozen=True)
class Lines:
    """A panel with lines through points (x, y)."""

    across: str
    up: str
    lines: Mapping[str, Sequence[tuple[float, float]]]


def draw_lines(panel: Lines, path: Path) -> None:
    """Draw a panel; the same lines give the same file."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot

    with pyplot.rc_context(_looks(path)):
        figure, axes = pyplot.subplots(figsize=(6.4, 3.6), layout="constrained")
        for name, points in panel.lines.items():
            across, up = zip(*points, strict=True)
            axes.plot(across, up, label=name, linewidth=1.2, marker="o", markersize=3)
        axes.set_xlabel(panel.across)
        axes.set_ylabel(panel.up)
        axes.set_ylim(bottom=0)
        axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
        _save(figure, path)
        pyplot.close(figure)


def _looks(path: Path) -> dict[str, Any]:
    return {"svg.hashsalt": path.stem, "svg.fonttype": "none", "font.size": 9, "axes.grid": True, "grid.alpha": 0.3}


def _save(figure: Any, path: Path) -> None:
    """Write an SVG that says nothing of when, and has no blanks at the ends of its lines."""
    figure.savefig(path, metadata={"Date": None})
    path.write_text("".join(f"{line.rstrip()}\n" for line in path.read_text().splitlines()))


def _shown(runs: int, is_logarithmic: bool) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The runs that are drawn: a few hundred points are enough for a curve."""
    chosen = np.geomspace(1, runs, 150) if is_logarithmic else np.linspace(1, runs, 300)
    return np.unique(np.rint(chosen).astype(np.int64))
