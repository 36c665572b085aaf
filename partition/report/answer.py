"""What a report says first: a sentence, one figure that shows it, and what to type next.

Pages show the figure as bars in SVG, commands as bars of text; both are of the same numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from statistics import median

_WIDTH, _ROW, _TOP, _GAP = 860, 21, 24, 8
_NAMES, _LONGEST = 220, 380
_LETTER, _WIDE_LETTER = 7.2, 12.0
"""Of the widest serif font that browsers take for this; m and w are wide."""
_CUT_AT = 12.0
_BREAK = 5


@dataclass(frozen=True)
class Bar:
    """One bar.

    Attributes:
        name: what it is of.
        value: how long it is, at least 0.
        text: the value as it is read.
        look: the model in whose colour it is drawn, "" for ink.
        note: what has to be known of it beside; "" if nothing.
        is_out: it does not count, being out of balance for example, and is drawn faint.
    """

    name: str
    value: float
    text: str
    look: str = ""
    note: str = ""
    is_out: bool = False


@dataclass(frozen=True)
class Answer:
    """What a report answers to the question that its command asks.

    Attributes:
        sentence: the answer, with the figures that it goes by.
        title: what the bars show, and which way is good.
        bars: in the order in which they stand; there may be none.
        next: the commands to type next, in order; there may be none.
        purpose: what they are good for, as it goes on after "next, to ".
    """

    sentence: str
    title: str
    bars: Sequence[Bar]
    next: tuple[str, ...] = ()
    purpose: str = ""

    @property
    def lengths(self) -> list[float]:
        """How long each bar is drawn, 0 to 1.

        One that is far longer than most would make all others flat, so it is cut off; `is_cut` tells.
        """
        whole = self._whole()
        return [min(1.0, bar.value / whole) for bar in self.bars]

    def is_cut(self, bar: Bar) -> bool:
        """Is the bar drawn shorter than it is?"""
        return bar.value > self._whole()

    def _whole(self) -> float:
        values = [bar.value for bar in self.bars if bar.value > 0]
        return min(max(values), _CUT_AT * median(values)) if values else 1.0


def answer_as_html(answer: Answer, figure: str | None = None) -> str:
    """The sentence, the figure and the next command; ``figure`` is HTML that stands in place of the bars."""
    shown = bars_as_svg(answer) if figure is None else figure
    return f'<section class="answer"><p class="sentence">{escape(answer.sentence)}</p>{shown}{_next(answer)}</section>'


def _next(answer: Answer) -> str:
    if not answer.next:
        return ""
    purpose = f", to {escape(answer.purpose)}" if answer.purpose else ""
    commands = "<br>".join(f"<code>{escape(command)}</code>" for command in answer.next)
    return f'<p class="next">Next{purpose}:{"<br>" if len(answer.next) > 1 else " "}{commands}</p>'


def bars_as_svg(answer: Answer) -> str:
    """The bars as an ``svg`` element, one below the other; "" if there are none."""
    if not answer.bars:
        return ""
    names = max(_width(_shortened(bar.name)) for bar in answer.bars) + 2 * _GAP
    rows = [
        _row(bar, _TOP + _ROW * row, names, length, is_cut=answer.is_cut(bar))
        for row, (bar, length) in enumerate(zip(answer.bars, answer.lengths, strict=True))
    ]
    height = _TOP + _ROW * len(answer.bars)
    return (
        f'<svg class="plot bars" viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(answer.title)}">'
        f'<text class="title" x="0" y="13">{escape(answer.title)}</text>{"".join(rows)}</svg>'
    )


def _row(bar: Bar, y: float, names: float, length: float, *, is_cut: bool) -> str:
    long = max(1.0, _LONGEST * length) if bar.value else 0.0
    end = names + long
    middle = y + _ROW / 2
    broken = f'<path class="break" d="M{end - 22:.1f} {middle + 8}l{_BREAK} -16m4 0l-{_BREAK} 16"/>' if is_cut else ""
    look = f"series {bar.look}" if bar.look else "series ink"
    faint = " faint" if bar.is_out else ""
    note = f'<tspan class="note{" out" if bar.is_out else ""}" dx="8">{escape(bar.note)}</tspan>' if bar.note else ""
    return (
        f'<g class="{look}{faint}"><path d="M{names} {y + 4}h{long:.1f}v{_ROW - 8}h-{long:.1f}z"/>{broken}</g>'
        f'<text class="y" x="{names - _GAP}" y="{middle + 4}">{escape(_shortened(bar.name))}</text>'
        f'<text x="{end + _GAP:.1f}" y="{middle + 4}">{escape(bar.text)}{note}</text>'
    )


def _shortened(name: str) -> str:
    room = _NAMES - 2 * _GAP
    if _width(name) <= room:
        return name
    while _width(name) > room - _WIDE_LETTER:
        name = name[:-1]
    return f"{name}…"


def _width(name: str) -> float:
    return sum(_WIDE_LETTER if letter in "mwMW…" else _LETTER for letter in name)
