"""Sessions to test with: built once, copied for whoever breaks them."""

import gzip
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from sessions.localweb.generate.make import MadeWeb, make_web
from tests.sessions.support.builder import small_session

WriteWarc = Callable[..., Path]


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


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> MadeWeb:
    """A web of 40 sites and 3000 pages."""
    path = tmp_path_factory.mktemp("made") / "web.warc.gz"
    return make_web(path, sites=40, pages=3000, seed=1, page_kb=12, robots=0.25)


@pytest.fixture
def write_warc(tmp_path: Path) -> WriteWarc:
    """Writes records to a new WARC file: ``write_warc(records, name="x.warc.gz")``."""

    def write(records: Iterable[bytes], name: str = "hand.warc.gz") -> Path:
        path = tmp_path / name
        path.write_bytes(b"".join(gzip.compress(record) if name.endswith(".gz") else record for record in records))
        return path

    return write
