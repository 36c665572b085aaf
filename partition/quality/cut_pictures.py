"""The best cut at each K as a picture in report.html."""

from collections.abc import Iterator, Sequence
from html import escape

from partition.measures.cut_portrait import CutPortrait
from partition.picture.cut_section import cut_section
from partition.quality.answer import best_at
from partition.quality.report import Report


def cut_pictures(report: Report, ks: Sequence[int], numbers: Iterator[int]) -> str:
    """A picture for each of these Ks, ascending; the last, of which the report's answer speaks, is open."""
    shown = [(k, model, portrait) for k in ks for model, portrait in _best_portraits(report, k)]
    pictures = [
        f'<details class="of-cut"{" open" if k == ks[-1] else ""}><summary>{k} ranks, by {escape(model)}</summary>'
        f"{cut_section(portrait, numbers)}</details>"
        for k, model, portrait in shown
    ]
    if not pictures:
        return ""
    told = "At each K the model that sends least in balance, cut with the first seed."
    return f'<h2>The best cut at each K, as a picture</h2><p class="notes">{told}</p>{"".join(pictures)}'


def _best_portraits(report: Report, k: int) -> Iterator[tuple[str, CutPortrait]]:
    """The model that is best at a K, and the portrait of its first seed; nothing if that seed has no partition."""
    model = best_at(report, k).model
    for outcome in report.outcomes:
        if (outcome.trial.model, outcome.trial.k) == (model, k) and outcome.portrait is not None:
            yield model, outcome.portrait
