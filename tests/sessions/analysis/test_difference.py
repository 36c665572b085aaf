"""What became of a web between two sessions, beside a count by hand with Python's sets and fractions."""

from datetime import timedelta
from fractions import Fraction
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sessions.analysis.difference import difference
from sessions.analysis.difference_figures import BINS, Difference
from sessions.importing.graph import make_session
from sessions.session import Session, SessionError
from sessions.url import site_of
from tests.sessions.importing.support.graphs import graph_of
from tests.sessions.support.builder import HOME, PAGES, Crawl, small_session
from tests.sessions.support.differing import URLS, Fetch, Made, day, of, session


def compared(a: Made, b: Made) -> Difference:
    with TemporaryDirectory() as folder:
        return difference(session(Path(folder) / "a", a), session(Path(folder) / "b", b))


def is_same(a: Fetch, b: Fetch) -> bool | None:
    if a.redirect and b.redirect and a.redirect != b.redirect:
        return False
    if a.document is not None and b.document is not None:
        return a.document == b.document
    return True if b.since is not None and b.since <= a.day else None


def bin_of(share: Fraction) -> int:
    """By the definition of the bins: 0 alone, then the first whose upper bound is not exceeded."""
    return 0 if share == 0 else ceil(share * 10)


class Count:
    """The figures of one site, counted one by one."""

    def __init__(self, site: str, a: Made, b: Made) -> None:
        self.a, self.b = ({f.url: f for f in made.in_order() if site_of(f.url) == site} for made in (a, b))
        self.seen_a, self.seen_b = ({f.url for f in made.in_order()} | made.seen for made in (a, b))
        self.links_a, self.links_b = (self._links(site, made) for made in (a, b))
        self.kept = [(fetch, self.b[url]) for url, fetch in self.a.items() if url in self.b]

    @staticmethod
    def _links(site: str, made: Made) -> set[tuple[str, str]]:
        its = [fetch for fetch in made.in_order() if site_of(fetch.url) == site]
        return {(fetch.url, target) for fetch in its for target in fetch.links if target != fetch.url}

    def figures(self) -> dict[str, dict[str, Any]]:
        a, b, kept = self.a, self.b, self.kept
        born, gone = b.keys() - a.keys(), a.keys() - b.keys()
        same = [is_same(*pair) for pair in kept]
        links_born, links_gone = self.links_b - self.links_a, self.links_a - self.links_b
        return {
            "pages": {
                "a": len(a),
                "b": len(b),
                "born": len(born),
                "gone": len(gone),
                "kept": len(kept),
                "changed": same.count(False),
                "unchanged": same.count(True),
                "unknown": same.count(None),
                "broken": sum(x.status < 400 <= y.status for x, y in kept),
                "mended": sum(y.status < 400 <= x.status for x, y in kept),
                "born_seen": len(born & self.seen_a),
                "gone_seen": len(gone & self.seen_b),
                **{
                    f"{kind}_in_{name}": sum(fetch.status // 100 in hundreds for fetch in its.values())
                    for kind, hundreds in {"good": [2], "redirects": [3], "errors": [4, 5]}.items()
                    for name, its in {"a": a, "b": b}.items()
                },
            },
            "links": {
                "a": len(self.links_a),
                "b": len(self.links_b),
                "born": len(links_born),
                "gone": len(links_gone),
                "kept": len(self.links_a & self.links_b),
                "born_on_kept": sum(source in a for source, _ in links_born),
                "gone_on_kept": sum(source in b for source, _ in links_gone),
            },
            "bytes": {
                "born": sum(len(b[url].content) for url in born),
                "gone": sum(len(a[url].content) for url in gone),
                "kept_in_a": sum(len(x.content) for x, _ in kept),
                "kept_in_b": sum(len(y.content) for _, y in kept),
            },
            "external": dict.fromkeys(("a", "b", "born", "gone", "kept"), 0),
            "change": {"size": self._sizes(), "links": self._replaced(), "text": self._bits()},
        }

    def _sizes(self) -> list[int]:
        pairs = [(len(x.content), len(y.content)) for x, y in self.kept if x.is_whole and y.is_whole]
        return histogram([Fraction(abs(x - y), max(x, y, 1)) for x, y in pairs])

    def _replaced(self) -> list[int]:
        shares = []
        for fetch, _ in self.kept:
            x, y = ({target for url, target in its if url == fetch.url} for its in (self.links_a, self.links_b))
            if x | y:
                shares.append(1 - Fraction(len(x & y), len(x | y)))
        return histogram(shares)

    def _bits(self) -> list[int]:
        pairs = [(x.simhash, y.simhash) for x, y in self.kept]
        return histogram([Fraction((x ^ y).bit_count(), 64) for x, y in pairs if x is not None and y is not None])


def histogram(shares: list[Fraction]) -> list[int]:
    bins = [bin_of(share) for share in shares]
    return [bins.count(number) for number in range(len(BINS))]


FETCHES = st.builds(
    Fetch,
    url=st.sampled_from(URLS),
    content=st.sampled_from([b"", b"one", b"two", b"ten times" * 10, b"1" * 11, b"1" * 100]),
    status=st.sampled_from([200, 200, 301, 399, 400, 503]),
    links=st.frozensets(st.sampled_from([*URLS, "http://d.example/"])),
    day=st.integers(0, 3),
    since=st.none() | st.integers(0, 3),
    simhash=st.none() | st.sampled_from([0, 1, 0b111111, 0b1111111, 2**64 - 1]),
    redirect=st.none() | st.sampled_from(URLS[:2]),
    truncated=st.none() | st.none() | st.just("length"),
    error=st.none() | st.none() | st.just("gzip"),
    has_digest=st.booleans() | st.just(True),
)
RANKS = st.lists(FETCHES, max_size=5)
MADE = st.builds(Made, st.lists(st.tuples(RANKS, RANKS), min_size=1, max_size=2), st.frozensets(st.sampled_from(URLS)))


@settings(deadline=None, derandomize=True, max_examples=30)
@given(MADE, MADE)
@example(of(), of())
def test_every_figure_is_what_counting_one_by_one_gives(a: Made, b: Made) -> None:
    found = compared(a, b)
    sites = sorted({site_of(fetch.url) for made in (a, b) for fetch in made.in_order()})
    assert found.sites == sites
    assert found.by_site() == {site: Count(site, a, b).figures() for site in sites}


@settings(deadline=None, derandomize=True, max_examples=10)
@given(MADE)
def test_a_session_does_not_differ_from_itself(made: Made) -> None:
    total = compared(made, made).total()
    assert total["pages"]["changed"] == 0
    for group, name in [("pages", "born"), ("pages", "gone"), ("links", "born"), ("links", "gone")]:
        assert total[group][name] == 0
    assert [sum(bins[1:]) for bins in total["change"].values()] == [0, 0, 0]


def test_the_total_is_the_sum_over_sites() -> None:
    a = of(Fetch(URLS[0], b"x", links=frozenset(URLS)), Fetch(URLS[3]))
    b = of(Fetch(URLS[0], b"xx"), Fetch(URLS[3], b"other"), Fetch(URLS[4]), seen=URLS)
    found = compared(a, b)
    assert found.total()["pages"] == {
        **{"a": 2, "b": 3, "born": 1, "gone": 0, "kept": 2, "changed": 2, "unchanged": 0, "unknown": 0},
        **{"broken": 0, "mended": 0, "born_seen": 0, "gone_seen": 0, "good_in_a": 2, "good_in_b": 3},
        **{"redirects_in_a": 0, "redirects_in_b": 0, "errors_in_a": 0, "errors_in_b": 0},
    }
    assert found.total()["links"]["gone"] == found.total()["links"]["gone_on_kept"] == 4
    assert found.total()["change"]["size"] == [0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("before", "after", "step"), [(100, 100, 0), (100, 99, 1), (100, 90, 1), (100, 89, 2), (90, 100, 1), (0, 5, 10)]
)
def test_the_upper_bound_belongs_to_a_bin(before: int, after: int, step: int) -> None:
    sizes = compared(of(Fetch(URLS[0], b"." * before)), of(Fetch(URLS[0], b"." * after))).total()["change"]["size"]
    assert [number for number, pages in enumerate(sizes) if pages] == [step]


@pytest.mark.parametrize(("since", "verdict"), [(4, "unchanged"), (5, "unchanged"), (6, "unknown"), (None, "unknown")])
def test_what_a_server_says_counts_from_the_fetch_it_speaks_of(since: int | None, verdict: str) -> None:
    """A page that was fetched anew after a, and has not changed since then, may have changed in between."""
    a, b = Fetch(URLS[0], day=5), Fetch(URLS[0], day=9, status=304, since=since, has_digest=False)
    assert compared(of(a), of(b)).total()["pages"][verdict] == 1


def test_the_digest_that_was_copied_tells_of_an_earlier_change() -> None:
    a, b = Fetch(URLS[0], b"old", day=5), Fetch(URLS[0], b"new", day=9, status=304, since=6)
    assert compared(of(a), of(b)).total()["pages"]["changed"] == 1


def test_a_session_is_as_old_as_its_last_page() -> None:
    a = of(*(Fetch(url, day=day) for url, day in zip(URLS, [0, 1, 2, 2, 0], strict=True)))
    b = of(Fetch(URLS[0], day=12), Fetch(URLS[1], day=9))
    found = compared(a, b)
    assert (found.a_fetched, found.b_fetched, found.age) == (day(2), day(12), timedelta(days=10))
    assert compared(b, a).age == timedelta(days=-10)
    told = found.as_dict()
    assert (told["a"]["fetched"], told["days"]) == ("2020-01-03T00:00:00+00:00", 10)


def test_without_pages_there_is_no_age() -> None:
    found = compared(of(), of(Fetch(URLS[0])))
    assert found.age is None
    told = found.as_dict()
    assert (told["a"]["fetched"], told["days"]) == (None, None)
    assert told["total"]["pages"]["born"] == 1


def test_an_imported_graph_has_neither_dates_nor_stand_ins_for_sizes(tmp_path: Path) -> None:
    for name, links in (("a", [(0, 1), (1, 2)]), ("b", [(0, 1), (2, 0)])):
        graph = graph_of(URLS[:3], [1, 500, 7], links)
        make_session(lambda _, graph=graph: graph, tmp_path / name, "edges", {"edges": "x"})
    found = difference(Session.open(tmp_path / "a"), Session.open(tmp_path / "b"))
    assert found.age is None
    total = found.total()
    assert (total["pages"]["unknown"], total["bytes"]["kept_in_a"]) == (3, 507)
    assert sum(total["change"]["size"]) == 2
    assert (total["links"]["born"], total["links"]["gone"], total["links"]["kept"]) == (1, 1, 1)


def test_a_session_that_is_still_being_crawled_is_compared_as_far_as_it_is_committed(tmp_path: Path) -> None:
    small_session(tmp_path / "a")
    crawl = Crawl(tmp_path / "b")
    crawl.ranks[0].discover([HOME, *PAGES])
    crawl.ranks[0].fetch(HOME)
    crawl.commit()
    crawl.ranks[0].fetch(PAGES[0])
    crawl.close()
    total = difference(Session.open(tmp_path / "a"), Session.open(tmp_path / "b")).total()
    assert (total["pages"]["kept"], total["pages"]["gone"]) == (1, 13)


def test_older_sessions_lack_columns(session_copy: Path, good_session: Path) -> None:
    session = Session.open(session_copy)
    for file in session.table_files("pages"):
        dropped = ["site", "status", "decoded_bytes", "content_digest", "truncated", "error", "simhash", "fetched"]
        pq.write_table(pq.read_table(file.path).drop_columns([*dropped, "redirect", "unchanged_since"]), file.path)
    found = difference(Session.open(good_session), session)
    total = found.total()
    assert found.sites == ["a.example", "b.example:8443"]
    assert found.age is None
    assert (total["pages"]["kept"], total["pages"]["unknown"], total["bytes"]["kept_in_b"]) == (14, 14, 0)
    assert total["links"]["kept"] == 31


@pytest.mark.parametrize("table", ["pages", "links", "urls", "external_sites"])
@pytest.mark.parametrize("is_second", [False, True])
def test_damage_is_named(table: str, is_second: bool, session_copy: Path, good_session: Path) -> None:
    damaged, good = Session.open(session_copy), Session.open(good_session)
    damaged.table_files(table)[0].path.write_bytes(b"PAR1 not really PAR1")
    pair = (good, damaged) if is_second else (damaged, good)
    with pytest.raises(SessionError, match=f"{session_copy} is damaged .*; cutweb check tells more"):
        difference(*pair)


@pytest.mark.parametrize(("table", "column"), [("pages", "hash"), ("links", "target"), ("urls", "hash")])
def test_rows_without_their_key_are_damage(table: str, column: str, session_copy: Path, good_session: Path) -> None:
    damaged = Session.open(session_copy)
    file = damaged.table_files(table)[0].path
    pq.write_table(pq.read_table(file).drop_columns([column]), file)
    with pytest.raises(SessionError, match=f"rows without {column}"):
        difference(damaged, Session.open(good_session))


def test_progress_is_told(good_session: Path) -> None:
    said: list[str] = []
    difference(Session.open(good_session), Session.open(good_session), said.append)
    assert said == ["reading pages", "comparing pages", "reading links", "comparing links"]
