"""Tables and live pictures on a terminal (`rich`), in which nothing from outside is obeyed."""

from collections.abc import Iterable
from typing import Any

from rich.console import Console
from rich.segment import Segment
from rich.text import Text

from sessions.visible import visible


class VisibleConsole(Console):
    """A console that takes text for text: without markup, and with control characters as escapes."""

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, highlight=False, emoji=False, **options)

    def render_str(self, text: str, **how: Any) -> Text:
        """Text, as wide as it will be: a table's column is measured by it."""
        return super().render_str("\n".join(map(visible, text.split("\n"))), **how)

    def render(self, *what: Any, **how: Any) -> Iterable[Segment]:
        """What is printed, in pieces; line feeds are rich's own, and stay."""
        for segment in super().render(*what, **how):
            if segment.control or segment.text == "\n":
                yield segment
            else:
                yield Segment("\n".join(map(visible, segment.text.split("\n"))), segment.style)
