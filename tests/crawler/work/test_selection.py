"""What goes out: every URL once, a site and its address in one unit at a time, in the order of the list."""

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.work.selection import held_by, listed, select
from crawler.work.unit import UnitUrl
from crawler.worklist.worklist import Worklist, open_worklist
from sessions.url import site_of
from tests.crawler.support.worklists import in_order, new_row, old_row, write_worklist

SITES = [f"s{number}.example" for number in range(6)]
URLS = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 8), st.integers(0, 3), st.booleans()),
    unique_by=lambda item: item[:2],
    min_size=1,
    max_size=40,
)
ADDRESSES = st.fixed_dictionaries(
    {site: st.frozensets(st.sampled_from(["1.1.1.1", "2.2.2.2", "3.3.3.3"]), max_size=2) for site in SITES}
)


def worklist_of(folder: str, drawn: list[tuple[int, int, int, bool]]) -> Worklist:
    rows = [
        (old_row if is_old else new_row)(f"http://{SITES[site]}/{page}", float(priority))
        for site, page, priority, is_old in drawn
    ]
    write_worklist(Path(folder) / "w", in_order(rows))
    return open_worklist(Path(folder) / "w")


def order_of(worklist: Worklist) -> list[UnitUrl]:
    """All URLs by priority, age and hash, by sorting them."""
    rows = [row for kind in ("new", "old") for placed in worklist.rows(kind) for row in placed.batch.to_pylist()]
    rows.sort(key=lambda row: (-row["priority"], -(row["age"] or 0.0), row["hash"]))
    return [UnitUrl(row["url"], row["kind"]) for row in rows]


@settings(max_examples=60)
@given(drawn=URLS, addresses=ADDRESSES, size=st.integers(1, 7), most=st.integers(1, 3), data=st.data())
def test_all_goes_out_once_and_no_place_is_visited_twice_at_a_time(
    drawn: list[tuple[int, int, int, bool]],
    addresses: dict[str, frozenset[str]],
    size: int,
    most: int,
    data: st.DataObject,
) -> None:
    with TemporaryDirectory() as folder:
        worklist = worklist_of(folder, drawn)
        order = order_of(worklist)
        assert list(listed(worklist)) == order
        gone: Counter[str] = Counter()
        sent: list[UnitUrl] = []
        out: list[list[UnitUrl]] = []
        for _ in range(100):
            held = held_by((site_of(url) for unit in out for url, _ in unit), addresses)
            units = select(worklist, size=size, most=most, gone=gone, held=held, addresses=addresses)
            assert len(units) <= most
            for unit in units:
                assert 1 <= len(unit) <= size
                assert unit == sorted(unit, key=order.index)
                gone.update(site_of(url) for url, _ in unit)
                sent += unit
            out += units
            for place in ([site] for site in SITES), ([*sites] for sites in _by_address(addresses)):
                for sites in place:
                    assert sum(any(site_of(url) in sites for url, _ in unit) for unit in out) <= 1
            for site in SITES:
                its = [item for item in order if site_of(item.url) == site]
                assert [item for item in sent if site_of(item.url) == site] == its[: gone[site]]
            if not out:
                break
            out.remove(data.draw(st.sampled_from(out)))
        assert sorted(sent) == sorted(order)


def _by_address(addresses: dict[str, frozenset[str]]) -> list[set[str]]:
    ips = {ip for its in addresses.values() for ip in its}
    return [{site for site, its in addresses.items() if ip in its} for ip in sorted(ips)]


def test_sites_come_by_their_best_urls_and_a_large_one_goes_on_later(tmp_path: Path) -> None:
    rows = [("b", 9), ("a", 8), ("b", 7), ("b", 6), ("c", 5), ("b", 4)]
    write_worklist(tmp_path / "w", in_order([new_row(f"http://{site}/{place}", float(place)) for site, place in rows]))
    worklist = open_worklist(tmp_path / "w")
    units = select(worklist, size=3, most=9, gone={}, held=held_by((), {}), addresses={})
    told = [[url.removeprefix("http://") for url, _ in unit] for unit in units]
    assert told == [["b/9", "b/7", "b/6"], ["a/8", "c/5"]]
    rest = select(worklist, size=3, most=9, gone={"a": 1, "b": 3, "c": 1}, held=held_by((), {}), addresses={})
    assert [[url for url, _ in unit] for unit in rest] == [["http://b/4"]]


def test_urls_that_are_long_end_a_unit_early(tmp_path: Path) -> None:
    urls = [f"http://a.example/{place:04d}{'x' * 8000}" for place in range(1200)]
    write_worklist(tmp_path / "w", in_order([new_row(url, float(-place)) for place, url in enumerate(urls)]))
    worklist = open_worklist(tmp_path / "w")
    (unit,) = select(worklist, size=10_000, most=9, gone={}, held=held_by((), {}), addresses={})
    assert 1000 < len(unit) < 1100
    assert [url for url, _ in unit] == urls[: len(unit)]
