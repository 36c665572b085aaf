"""Moments of the crash test: each is told from what a session's folder, a server or a crawl says."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scripts.crash.moments import Watch
from scripts.crash.plans import TAKEN_OVER, Moment


class Unfolding:
    """A session in which one more thing has happened each time somebody asks for the crawl's exit code."""

    def __init__(self, path: Path, *events: Callable[[], object]) -> None:
        self.epochs = path / "epochs"
        self.epochs.mkdir(parents=True, exist_ok=True)
        self.requests = 0
        self.seconds = 0.0
        self._events = list(events)

    @property
    def code(self) -> int | None:
        if not self._events:
            return 0
        self._events.pop(0)()
        return None

    def commit(self, number: int, **more: Any) -> Callable[[], object]:
        return lambda: (self.epochs / f"{number:06d}.json").write_text(json.dumps({"epoch": number, **more}))

    def then(self, *events: Callable[[], object]) -> Any:
        self._events += events
        return self


@pytest.mark.parametrize(
    ("moment", "comes"),
    [
        (Moment("epochs", 2), True),
        (Moment("epochs", 3), False),
        (Moment("requests", 5), True),
        (Moment("requests", 6), False),
        (Moment("seconds", 1.5), True),
        (Moment("writing", 2), True),
        (Moment("writing", 3), False),
        (Moment("step", 1), False),
        (TAKEN_OVER, True),
    ],
    ids=str,
)
def test_a_moment_comes_or_the_crawl_ends_before(tmp_path: Path, moment: Moment, comes: bool) -> None:
    crawl = Unfolding(tmp_path)
    crawl.commit(1, resumes={})()
    crawl.requests = 10
    watch = Watch(tmp_path, lambda: crawl.requests)
    crawl.then(
        crawl.commit(2),
        lambda: setattr(crawl, "requests", 15),
        lambda: setattr(crawl, "seconds", 2.0),
        crawl.commit(3, resumes={}),
        (crawl.epochs / ".000004.json.run.partial").touch,
        lambda: None,
    )
    assert watch.wait_for(moment, crawl) is comes  # type: ignore[arg-type]
