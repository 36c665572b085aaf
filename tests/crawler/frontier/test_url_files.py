"""Batches in files: what is written comes back, in order, and damage is told, never read."""

from collections import deque
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.frontier.url_files import UrlFiles
from crawler.urls.batch import UrlBatch
from sessions.session import SessionError
from tests.crawler.support.batches import batch_of, rows_of
from tests.crawler.support.url_strategies import BATCHES

SOME = batch_of([f"http://a.example/{number}" for number in range(20)], range(20))
MORE = batch_of([f"http://b.example/{number}" for number in range(30)])


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.lists(st.one_of(st.none(), BATCHES.filter(len)), max_size=20), st.integers(1, 4000))
def test_batches_leave_in_the_order_in_which_they_came(steps: list[UrlBatch | None], file_bytes: int) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name) / "made when needed"
        files = UrlFiles(folder, "test", file_bytes=file_bytes)
        expected: deque[UrlBatch] = deque()
        for batch in [*steps, *[None] * len(steps)]:
            if batch is not None:
                files.append(batch)
                expected.append(batch)
            elif expected:
                assert rows_of(files.take()) == rows_of(expected.popleft())
            assert bool(files) == bool(expected)
        assert files.traffic.read == files.traffic.written
        assert files.traffic.urls_read == files.traffic.urls_written == sum(len(batch) for batch in steps if batch)
        assert not folder.exists() or not list(folder.iterdir())


def test_files_roll_over_and_go_when_they_are_read(tmp_path: Path) -> None:
    files = UrlFiles(tmp_path, "test", file_bytes=1000)
    for _ in range(30):
        files.append(SOME)
    paths = sorted(tmp_path.iterdir())
    assert len(paths) > 3
    assert [path.name for path in paths] == [f"test-{number:06d}.urls" for number in range(len(paths))]
    assert sum(path.stat().st_size for path in paths) == files.traffic.written
    for _ in range(15):
        files.take()
    left = sorted(tmp_path.iterdir())
    assert left == paths[-len(left) :]
    assert len(left) <= len(paths) // 2 + 1


def test_what_is_written_is_not_changed(tmp_path: Path) -> None:
    files = UrlFiles(tmp_path, "test", file_bytes=1 << 20)
    files.append(SOME)
    (path,) = tmp_path.iterdir()
    before = path.read_bytes()
    files.append(MORE)
    assert files.take().urls == SOME.urls
    assert path.read_bytes()[: len(before)] == before


def test_remains_of_an_earlier_run_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "test-000000.urls").write_bytes(b"x" * 100_000)
    files = UrlFiles(tmp_path, "test")
    for batch in (SOME, MORE):
        files.append(batch)
    assert [rows_of(files.take()) for _ in range(2)] == [rows_of(SOME), rows_of(MORE)]
    assert not list(tmp_path.iterdir())


def test_every_damaged_byte_is_noticed(tmp_path: Path) -> None:
    whole = _written(tmp_path)
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        with pytest.raises(SessionError) as caught:
            _read(tmp_path, bytes(damaged))
        message = str(caught.value)
        assert message.startswith(f"{tmp_path / 'test-000000.urls'}, URLs that wait, is damaged at byte ")
        assert "\n" not in message


def test_a_file_that_is_cut_off_or_gone_is_noticed(tmp_path: Path) -> None:
    whole = _written(tmp_path)
    for length in range(0, len(whole), 7):
        with pytest.raises(SessionError, match=r"test-000000\.urls, URLs that wait, is damaged"):
            _read(tmp_path, whole[:length])
    with pytest.raises(SessionError, match=r"test-000000\.urls, URLs that wait, is damaged"):
        _read(tmp_path, None)


def _written(folder: Path) -> bytes:
    files = UrlFiles(folder, "test")
    for batch in (SOME, MORE):
        files.append(batch)
    return (folder / "test-000000.urls").read_bytes()


def _read(folder: Path, content: bytes | None) -> None:
    """Write two batches, put something else in their file's place, and read."""
    _written_files = UrlFiles(folder, "test")
    for batch in (SOME, MORE):
        _written_files.append(batch)
    path = folder / "test-000000.urls"
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    for batch in (SOME, MORE):
        assert rows_of(_written_files.take()) == rows_of(batch)
