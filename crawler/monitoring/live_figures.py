"""A table of figures on a terminal, which is drawn anew in its place."""

from collections.abc import Sequence

from rich.live import Live
from rich.table import Table

from crawler.process.console import VisibleConsole


class LiveFigures:
    """Shows figures on standard error, which is a terminal, or whose reader shows it on one."""

    def __init__(self) -> None:
        console = VisibleConsole(stderr=True, force_terminal=True, soft_wrap=True)
        self._live = Live(console=console, auto_refresh=False, transient=False)
        self._live.start()

    def show(self, title: str, figures: Sequence[tuple[str, str]]) -> None:
        """Draw names and texts in place of those before."""
        table = Table(title=title, title_justify="left", show_header=False)
        table.add_column(style="bold")
        table.add_column(justify="right")
        for row in figures:
            table.add_row(*row)
        self._live.update(table, refresh=True)

    def close(self) -> None:
        """Leave the last figures on the screen."""
        self._live.stop()
