"""How docs/scale.md writes numbers."""

import re
from collections.abc import Iterable, Sequence
from math import floor
from textwrap import wrap

_JOINED = re.compile(r"(?<=[^\n#])\n *(?=[^\n#|!-])")
"""An end of line within a paragraph or a list item."""
_LARGE = ((1e12, " T"), (1e9, " B"), (1e6, " M"))
_BYTES = ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


def count(number: float) -> str:
    """800 M, 8 B (a thousand millions), 80 T."""
    for unit, name in _LARGE:
        if number >= unit:
            return f"{number / unit:.3g}{name}"
    return f"{number:,.0f}"


def size(number: float) -> str:
    """Bytes in decimal units, three digits."""
    for unit, name in _BYTES:
        if number >= unit:
            return f"{number / unit:.3g} {name}"
    return f"{number:.3g} B"


def beside(figure: dict[str, float | str | None], digits: int = 2) -> list[str]:
    """Cells: ours, what the paper prints, the deviation in percent, and how the printed one comes from ours."""
    ours, printed = figure["ours"], figure["printed"]
    assert not isinstance(ours, str)
    assert ours is not None
    if printed is None:
        return [f"{ours:,.{digits}f}", "-", "-", "-"]
    assert isinstance(printed, str)
    stated = float(printed.replace(",", ""))
    return [f"{ours:,.{digits}f}", printed, f"{100 * (ours / stated - 1):+.2f}", agreement(ours, printed)]


def agreement(ours: float, printed: str) -> str:
    """Whether a printed figure is ours, rounded or truncated to its digits; or within 1% of it; or not."""
    places = len(printed.partition(".")[2])
    if f"{ours:,.{places}f}" == printed:
        return "rounded"
    if f"{floor(ours * 10**places) / 10**places:,.{places}f}" == printed:
        return "truncated"
    stated = float(printed.replace(",", ""))
    return "within 1%" if abs(ours / stated - 1) <= 0.01 else "**deviates**"


def paragraphs(template: str, **values: object) -> str:
    """A text with values filled in, its paragraphs and list items broken into lines anew."""
    text = template.format(**values)
    broken = (_broken(line) for line in _JOINED.sub(" ", text).split("\n"))
    return "\n".join(broken)


def _broken(line: str) -> str:
    indent = "  " if line.startswith("- ") else ""
    return "\n".join(wrap(line, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False))


def table(head: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1) -> str:
    """A table in Markdown whose first ``words`` columns are words, the others numbers."""
    ruler = ["---"] * words + ["---:"] * (len(head) - words)
    return "".join(f"| {' | '.join(line)} |\n" for line in [head, ruler, *rows])
