"""What a simulated rank writes down: as much of a session as a course is made of, in memory."""

from sessions.records import RankFiles
from sessions.schema import Page


class CourseRecorder:
    """Takes what a `sessions.writing.recorder.Recorder` takes, and keeps the fetches of it.

    Of each, one item each: the page's hash, the superstep, and how long it took, in ``milliseconds``.
    """

    has_long_rest = False

    def __init__(self) -> None:
        self.hashes: list[int] = []
        self.supersteps: list[int] = []
        self.milliseconds: list[float] = []

    def page(self, page: Page) -> None:
        """Keep a fetch."""
        self.hashes.append(page.hash)
        self.supersteps.append(page.superstep)
        self.milliseconds.append(page.milliseconds or 0.0)

    def close_epoch(self, *, merges: bool = False) -> RankFiles:
        """There are no files."""
        return {"tables": {}, "warc": []}

    def _leave_out(self, *columns: object) -> None:
        """It is no part of a course."""

    prepare = store = keep = links = urls = nearer = referrals = external_sites = external_urls = _leave_out
    exchanges = outcome = robots = rest = frontier = remove_replaced = flush = close = _leave_out
