"""A made web that several tests look at, and WARC files written by hand."""

import gzip
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from sessions.localweb.make import MadeWeb, make_web

WriteWarc = Callable[..., Path]


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
