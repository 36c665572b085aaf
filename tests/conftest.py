"""What tests must not leave each other, how many examples they try, and how they are named."""

import gc
import math
import signal
from collections.abc import Iterator

import pytest
from hypothesis import settings

settings.register_profile("usual", derandomize=True, deadline=None, max_examples=50)
settings.register_profile("thorough", settings.get_profile("usual"), max_examples=200)
settings.load_profile("usual")

gc.set_threshold(20_000)  # there is much to look through where thousands of tests are in memory

GZIP = b"\x1f\x8b"


def pytest_collection_finish() -> None:
    """Look for garbage no more among the tests and modules, which stay: a look at all of them takes a second."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def same_signals_afterwards() -> Iterator[None]:
    """Put back the handlers of signals that a test takes over: the next one's processes would inherit them.

    They would inherit, too, that a shell ignores signals for what it runs in the background.
    """
    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
    handlers = [signal.getsignal(number) for number in numbers]
    for number, handler in zip(numbers, handlers, strict=True):
        if handler == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    yield
    for number, handler in zip(numbers, handlers, strict=True):
        signal.signal(number, handler)


@pytest.fixture(autouse=True)
def no_word_of_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have commands say nothing of how far they are, as they do on a slow machine after some seconds."""
    monkeypatch.setattr("crawler.process.progress_line._SECONDS_BETWEEN_LINES", math.inf)


def pytest_make_parametrize_id(config: pytest.Config, val: object, argname: str) -> str | None:
    """Workers must find tests of the same names: gzip notes the time at which it packs, which no name may depend on."""
    return f"{argname} packed" if isinstance(val, bytes) and val.startswith(GZIP) else None
