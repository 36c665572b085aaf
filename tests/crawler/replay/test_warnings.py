"""What is said before the figures of a replay."""

from typing import cast

import numpy as np
import pytest

from crawler.replay.recording import Recording
from crawler.replay.warnings import map_warnings, session_warnings, warn


class Recorded:
    """A recording of four URLs, of which two are pages, as far as the warnings look at it."""

    page_count = 2

    def __init__(self, incomplete: str | None = None) -> None:
        self.incomplete = incomplete

    def __len__(self) -> int:
        return 4


def test_a_map_is_named_if_it_holds_fewer_than_half_of_the_urls() -> None:
    recording = cast(Recording, Recorded())
    assert map_warnings(recording, np.array([False, False, True, True])) == ()
    (line,) = map_warnings(recording, np.array([False, True, True, True]))
    assert "1 of the session's 4 URLs (25.0%), and 1 of its 2 pages (50.0%)" in line


def test_a_crawl_that_ended_early_is_named() -> None:
    assert session_warnings(cast(Recording, Recorded())) == ()
    assert session_warnings(cast(Recording, Recorded("ended early"))) == ("ended early",)


def test_each_line_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    warn(["one", "two", "one"])
    assert capsys.readouterr().err == "warning: one\nwarning: two\n"
