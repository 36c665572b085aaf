"""Sessions to test with: built once, copied for whoever breaks them."""

import shutil
from pathlib import Path

import pytest
from hypothesis import settings

from tests.sessions.builder import small_session

settings.register_profile("same-every-time", derandomize=True, deadline=None)
settings.load_profile("same-every-time")


@pytest.fixture(scope="session")
def good_session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session in which nothing is wrong; not to be changed."""
    path = tmp_path_factory.mktemp("sessions") / "good"
    small_session(path)
    return path


@pytest.fixture
def session_copy(good_session: Path, tmp_path: Path) -> Path:
    """A copy of the good session, to be broken."""
    return Path(shutil.copytree(good_session, tmp_path / "session"))
