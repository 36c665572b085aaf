"""One figure of a report: how files, tables and plots name it, its unit and its meaning."""

from dataclasses import dataclass

RATIO, BYTES, LINKS, COUNT, SECONDS, RATE, BYTES_PER_URL = "1", "B", "links", "", "s", "1/s", "B/URL"


@dataclass(frozen=True)
class Figure:
    """One figure of a trial.

    Attributes:
        name: in report.json and the CSVs.
        group: what it stands with, one of the headings above.
        title: as a table's caption begins.
        unit: one of the units above; ``1`` is a ratio.
        meaning: a sentence that defines it.
        of_urls: can it be told only where pages have URLs?
        of_machine: does it depend on the machine and its load, not only on session and settings?
        more_is_better: for most figures it is not.
    """

    name: str
    group: str
    title: str
    unit: str
    meaning: str
    of_urls: bool = False
    of_machine: bool = False
    more_is_better: bool = False

    @property
    def good(self) -> str:
        """An arrow to the side on which the better values lie, for the heads of columns."""
        return "↑" if self.more_is_better else "↓"
