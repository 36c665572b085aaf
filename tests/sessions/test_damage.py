"""One line for a session whose tables cannot be read."""

from pathlib import Path

import pyarrow as pa
import pytest

from sessions.session import SessionError
from sessions.session_damage import damage_told

FOLDER = Path("crawl-1")


@pytest.mark.parametrize(
    "problem",
    [
        KeyError("url"),
        TypeError("not a list"),
        ValueError("not JSON"),
        OSError("gone"),
        pa.ArrowInvalid("no Parquet magic"),
        pa.ArrowNotImplementedError("no such cast"),
    ],
    ids=lambda problem: type(problem).__name__,
)
def test_what_damage_raises_is_told_in_one_line(problem: Exception) -> None:
    with pytest.raises(SessionError) as caught, damage_told(FOLDER):
        raise problem
    assert str(caught.value) == f"crawl-1 is damaged ({problem}); cutweb check tells more"
    assert caught.value.__cause__ is problem


@pytest.mark.parametrize(
    "problem",
    [MemoryError(), pa.ArrowMemoryError("malloc"), SessionError("crawl-1: no session"), ZeroDivisionError()],
    ids=lambda problem: type(problem).__name__,
)
def test_what_is_no_damage_is_left_alone(problem: Exception) -> None:
    with pytest.raises(type(problem)) as caught, damage_told(FOLDER):
        raise problem
    assert caught.value is problem


def test_what_can_be_read_is_read() -> None:
    with damage_told(FOLDER):
        pass
