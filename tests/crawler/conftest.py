"""Settings and fixtures for the tests of crawler/."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.crawler.fake_web import Crawls

settings.register_profile("same-every-time", derandomize=True, deadline=None)
settings.load_profile("same-every-time")


@pytest.fixture
def same_signals_afterwards() -> Iterator[None]:
    """Puts the handlers of signals back that a test takes over."""
    numbers = (signal.SIGTERM, signal.SIGUSR1, signal.SIGINT)
    handlers = [signal.getsignal(number) for number in numbers]
    yield
    for number, handler in zip(numbers, handlers, strict=True):
        signal.signal(number, handler)


@pytest.fixture
def crawls(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, same_signals_afterwards: None) -> Crawls:
    """Crawls of a fake web."""
    return Crawls(monkeypatch, tmp_path)
