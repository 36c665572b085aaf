"""How commands print figures: tables that fit a terminal and stay whole in a pipe, numbers to three digits."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_PLAIN_WIDTH = 1000


def printer() -> "Console":
    """A console on stdout.  In a pipe or a file nothing is cut or wrapped."""
    from crawler.process.console import VisibleConsole

    console = VisibleConsole()
    if not console.is_terminal:
        console.width = _PLAIN_WIDTH
    return console


def empty_table(console: "Console") -> "Table":
    """A table without columns yet: with a line below its heading on a terminal, nothing but text elsewhere."""
    from rich import box
    from rich.table import Table

    return Table(box=box.SIMPLE_HEAD if console.is_terminal else None, pad_edge=False, header_style="bold")


def headed(console: "Console", title: str, unit: str, *, more_is_better: bool = False) -> str:
    """The head of a column of figures: what it is, its unit ("" for none), and an arrow to where better values lie."""
    ways = ("↓", "↑") if console.encoding.startswith("utf") else ("v", "^")
    return f"{title}{f', {unit}' if unit else ''} {ways[more_is_better]}"


def which_way_is_good(console: "Console") -> str:
    """What the arrows of `headed` mean."""
    less, more = ("↓", "↑") if console.encoding.startswith("utf") else ("v", "^")
    return f"{less} less is better, {more} more is better"


def number(value: float | None) -> str:
    """A number to three digits or whole; a dash where there is none."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def counted(count: int, noun: str) -> str:
    """A number of things whose plural ends in s."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def size(count: int) -> str:
    """A number of bytes in decimal units."""
    amount = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:.3g} {unit}" if unit != "B" else f"{count} B"
        amount /= 1000
    return f"{amount:,.3g} TB"
