"""How much pages change and how old they are: C and T of Anansi's thesis, as `cutweb worklist` reckons them."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import numpy as np

from crawler.session_report.report_figure import COLUMNS, Drawing, NotKnownError, ReportFigure, Row
from crawler.worklist.make_worklist import WorklistSettings, make_worklist
from crawler.worklist.rows import OLD
from crawler.worklist.worklist import open_worklist
from partition.communication.ranks import Ranks
from sessions.session import Session

BINS = 20
CHANGE = ReportFigure(
    "change",
    "All sessions together",
    "Old pages by C, the share of links that changed",
    "C: 1 - (links of both of the last two visits) / (links of either), of pages visited at least twice; the bins are "
    "(a, b], the first has 0.",
    ("change", "pages"),
    Drawing(COLUMNS, "change", ("pages",), "C, up to", "pages"),
)
AGE = ReportFigure(
    "age",
    "All sessions together",
    "Old pages by T, the days since their last fetch",
    "T: from the start of a page's last fetch to the last fetch of all, or to when the last session began if that is "
    "later, in days; the bins are of equal width.",
    ("days", "pages"),
    Drawing(COLUMNS, "days", ("pages",), "T in days, up to", "pages"),
)
_DAY = 86_400.0


class OldPages:
    """C and T up to ``now`` of the old pages of sessions; a worklist is made in ``folder`` for it."""

    def __init__(self, sessions: Sequence[Session], now: datetime, folder: Path) -> None:
        self._change = np.zeros(BINS + 1, np.int64)
        self.again = 0
        ages = []
        settings = WorklistSettings(now, crawl_seconds=_DAY)
        make_worklist(Ranks(), [session.path for session in sessions], folder / "worklist", settings)
        for placed in open_worklist(folder / "worklist").rows(OLD):
            batch = placed.batch
            again = batch["change"].to_numpy()[batch["visits"].to_numpy() > 1]
            self._change += np.bincount(np.ceil(again * BINS).astype(np.int64), minlength=BINS + 1)
            self.again += len(again)
            ages.append(batch["age"].to_numpy())
        self._ages = np.concatenate([np.zeros(0), *ages])

    def change(self) -> Sequence[Row]:
        """Pages by C."""
        if not self.again:
            raise NotKnownError("no page was visited twice")
        return [(at / BINS, count) for at, count in enumerate(self._change.tolist())]

    def age(self) -> Sequence[Row]:
        """Pages by T."""
        if not len(self._ages) or self._ages.max() == self._ages.min():
            raise NotKnownError("all pages were fetched at one time")
        counts, edges = np.histogram(self._ages, BINS)
        return [(edge, count) for edge, count in zip(edges[1:].tolist(), counts.tolist(), strict=True)]
