"""Events that are told while nobody keeps a log, and while somebody does."""

import logging

import pytest

from crawler.monitoring.events import EVENTS, say


class Kept(logging.Handler):
    """Keeps what it is handed."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.fixture
def kept() -> Kept:
    return Kept()


def test_without_a_log_nothing_is_made_of_an_event(kept: Kept, capfd: pytest.CaptureFixture[str]) -> None:
    logging.getLogger().addHandler(kept)
    try:
        say("something happened", number=1)
    finally:
        logging.getLogger().removeHandler(kept)
    assert kept.records == []
    assert capfd.readouterr() == ("", "")


def test_a_log_gets_the_event_and_its_fields(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EVENTS, "handlers", [kept])
    monkeypatch.setattr(EVENTS, "disabled", False)
    monkeypatch.setattr(EVENTS, "isEnabledFor", lambda _: True)
    say("something %s happened", name="x", args=3)
    (record,) = kept.records
    assert record.getMessage() == "something %s happened"
    assert record.__dict__["fields"] == {"name": "x", "args": 3}
