"""How docs/reproduction.md writes numbers and tables."""

from collections.abc import Iterable, Sequence

_WORDS = ("model", "volume of")


def percent(ratio: float | None) -> str:
    """A ratio in percent, a dash for None."""
    return "-" if ratio is None else f"{100 * ratio:,.2f}"


def whole(count: float | None) -> str:
    """A number without decimals, a dash for None."""
    return "-" if count is None else f"{count:,.0f}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose columns of numbers are flush right."""
    lines = [head, ["---" if column in _WORDS else "---:" for column in head], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
