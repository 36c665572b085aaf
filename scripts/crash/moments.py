"""Waiting for a moment in the life of a crawl, by its clock, by the server's count, or by its session's folder."""

import json
import time
from collections.abc import Callable
from pathlib import Path

from scripts.crash.plans import Moment
from scripts.crash.processes import Crawl

_POLL_SECONDS = 0.005
_WATCH_SECONDS = 0.0005


class Watch:
    """Watches one attempt, which is about to start: ``requests`` says how many the server has ever served."""

    def __init__(self, session: Path, requests: Callable[[], int]) -> None:
        self._session = session
        self._requests = requests
        self._requests_before = requests()
        self._epochs_before = self._epochs

    @property
    def new_epochs(self) -> int:
        """How many commit records were made since this attempt began."""
        return self._epochs - self._epochs_before

    @property
    def has_taken_over(self) -> bool:
        """Has a run gone on with the session since this attempt began?"""
        records = sorted(self._session.glob("epochs/[0-9]*.json"))[self._epochs_before :]
        return any("resumes" in json.loads(record.read_text()) for record in records)

    @property
    def requests(self) -> int:
        """How many requests were served since this attempt began."""
        return self._requests() - self._requests_before

    def wait_for(self, moment: Moment, crawl: Crawl) -> bool:
        """Wait for a moment of the crawl; False if it ends before."""
        has_come = self._has_come(moment, crawl)
        pause = _WATCH_SECONDS if moment.kind == "writing" else _POLL_SECONDS
        while not has_come():
            if crawl.code is not None:
                return False
            time.sleep(pause)
        return True

    def _has_come(self, moment: Moment, crawl: Crawl) -> Callable[[], bool]:
        match moment.kind:
            case "seconds":
                return lambda: crawl.seconds >= moment.amount
            case "requests":
                return lambda: self.requests >= moment.amount
            case "epochs":
                return lambda: self.new_epochs >= moment.amount
            case "writing":
                return lambda: self._is_writing and self.new_epochs >= moment.amount
            case "taken over":
                return lambda: self.has_taken_over
            case _:  # a step to disk is not waited for: the rank dies by itself
                return lambda: False

    @property
    def _epochs(self) -> int:
        return len(list(self._session.glob("epochs/[0-9]*.json")))

    @property
    def _is_writing(self) -> bool:
        """Is a commit record, or the summary of them, on its way to disk?"""
        return any(name for folder in ("epochs", ".") for name in self._session.glob(f"{folder}/.*.partial"))
