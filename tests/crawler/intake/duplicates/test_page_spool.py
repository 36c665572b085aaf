"""Pages that wait in memory, and behind those on disk."""

import tempfile
from collections import deque
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.intake.duplicates.page_spool import FoundLinks, PageSpool, PendingPage
from crawler.urls.targets import PageTargets, listed
from sessions.session import SessionError
from tests.crawler.support.documents import waiting_page
from tests.crawler.support.page_targets import urls_of

ROOM = 1 << 20
LINKS = FoundLinks("a.example", 7, 3, 1, listed(["http://b.example/\u00e9", "http://b.example/"], [1, 4]))


def page(number: int, size: int = 0) -> PendingPage:
    """A page with a body of so many bytes, now and then with links that wait too."""
    body = bytes([number % 256]) * size
    return waiting_page(f"http://a.example/{number}", b"x", member=body, links=LINKS if number % 3 else None)


def told(pages: Iterable[PendingPage]) -> list[tuple[object, ...]]:
    """The pages, so that they can be compared."""
    return [(*page[:3], page.links and (*page.links[:4], *parts(page.links.found))) for page in pages]


def parts(found: PageTargets) -> tuple[list[str], list[int]]:
    return urls_of(found), found.flags.tolist()


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*")) if folder.exists() else []


def test_pages_come_back_whole_whether_they_were_on_disk_or_not(tmp_path: Path) -> None:
    pages = [page(number, 1000) for number in range(9)]
    spool = PageSpool(tmp_path, 3 * 4000, ROOM)
    assert all(spool.append(one) for one in pages)
    assert len(spool) == 9
    assert len(files(tmp_path)) == 1
    assert told(spool.take(9)) == told(pages)
    assert len(spool) == 0
    assert files(tmp_path) == []


def test_as_long_as_there_is_room_in_memory_no_file_is_made(tmp_path: Path) -> None:
    spool = PageSpool(tmp_path / "scratch", ROOM, ROOM)
    for number in range(50):
        assert spool.append(page(number))
    assert told(spool.take(50)) == told(page(number) for number in range(50))
    assert not (tmp_path / "scratch").exists()


def test_there_is_so_much_room_on_disk_and_no_more(tmp_path: Path) -> None:
    spool = PageSpool(tmp_path, 0, 1 << 16)
    taken = [spool.append(page(number, 1 << 12)) for number in range(20)]
    assert taken == sorted(taken, reverse=True)
    assert 10 < sum(taken) < 16
    assert sum(path.stat().st_size for path in files(tmp_path)) <= 1 << 16
    assert spool.taken > 0.5
    assert len(list(spool.take(sum(taken)))) == sum(taken)
    assert spool.taken == 0
    assert spool.append(page(99, 1 << 12))


def test_a_file_goes_when_its_pages_are_gone_though_others_wait(tmp_path: Path) -> None:
    spool = PageSpool(tmp_path, 0, 1 << 16)
    for number in range(12):
        assert spool.append(page(number, 1 << 12))
    before = files(tmp_path)
    assert len(before) > 3
    list(spool.take(6))
    after = files(tmp_path)
    assert 0 < len(after) < len(before)
    assert set(after) < set(before)


def test_what_waits_takes_room_in_memory_by_its_size(tmp_path: Path) -> None:
    """A page with a large record, or with many links, goes to disk where a small one would not."""
    links = FoundLinks("a.example", 1, 1, 0, listed(["http://b.example/" + "y" * 1000] * 64, [0] * 64))
    for large in (page(0, 1 << 16), waiting_page("http://a.example/", b"x", links=links)):
        spool = PageSpool(tmp_path, 1 << 16, ROOM)
        assert spool.append(page(1))
        assert files(tmp_path) == []
        assert spool.append(large)
        assert len(files(tmp_path)) == 1
        assert told(spool.take(2)) == told([page(1), large])


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("damaged")


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.integers(0, 3), st.integers(0, 1 << 16), st.integers(0, 7))
def test_no_bit_changes_unnoticed(damaged: Path, taken: int, place: int, bit: int) -> None:
    """Pages before the damage come as they were, then an error that names the file; however many were taken before."""
    pages = [page(number, 20) for number in range(5)]
    spool = PageSpool(damaged, 0, ROOM)
    ends = [0]
    for one in pages[:4]:
        assert spool.append(one)
        (path,) = files(damaged)
        ends.append(path.stat().st_size)
    got = list(spool.take(taken))
    assert spool.append(pages[4])
    content = bytearray(path.read_bytes())
    place = ends[taken] + place % (len(content) - ends[taken])
    content[place] ^= 1 << bit
    path.write_bytes(content)
    with pytest.raises(SessionError, match=r"waiting-000000\.pages: (damaged at byte \d+|not a file|is .*, not)"):
        got.extend(spool.take(len(spool)))
    assert told(got) == told(pages[: sum(end <= place for end in ends[1:])])
    path.unlink()


STEPS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3000), st.integers(0, 8)), max_size=30)


@settings(deadline=None, derandomize=True)
@given(STEPS, st.sampled_from([0, 10_000, ROOM]), st.sampled_from([20_000, ROOM]))
def test_pages_leave_in_the_order_in_which_they_came(plan: list[tuple[int, int, int]], memory: int, disk: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        spool = PageSpool(folder, memory, disk)
        expected: deque[PendingPage] = deque()
        number = 0
        for count, size, taken in plan:
            for _ in range(count):
                number += 1
                one = page(number, size)
                if spool.append(one):
                    expected.append(one)
            taken = min(taken, len(expected))
            assert told(spool.take(taken)) == told(expected.popleft() for _ in range(taken))
            assert len(spool) == len(expected)
        assert told(spool.take(len(spool))) == told(expected)
        assert files(folder) == []
