"""Fixtures for the tests of crawler/."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crawler.network.curl_transfer import NetworkSettings
from crawler.network.curl_web import CurlWeb
from tests.crawler.support.fake_web import Crawls
from tests.crawler.support.fetching import Networks


@pytest.fixture
def network() -> Iterator[Networks]:
    """Makes networks that may connect to this machine: ``network(timeout=1.0)``."""
    made: list[CurlWeb] = []

    def make(**settings: Any) -> CurlWeb:
        usual = {"user_agent": "tester/1.0", "allow_net": ("127.0.0.0/8",)}
        made.append(CurlWeb(NetworkSettings(**(usual | settings))))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def crawls(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Crawls:
    """Crawls of a fake web."""
    return Crawls(monkeypatch, tmp_path)
