"""Figures over epochs, days, ranks and domains, recomputed from the tables by brute force."""

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import networkx
import pyarrow as pa
import pytest

from crawler.session_report.crawling.daily_fetches import DaysOfFetches
from crawler.session_report.crawling.new_links import new_links_of
from crawler.session_report.crawling.rank_loads import rank_loads_of
from crawler.session_report.report_figure import NotKnownError
from crawler.session_report.session_arrays import SessionArrays
from crawler.session_report.web.answers import _counted, answers_of
from crawler.session_report.web.change_and_age import BINS, OldPages
from crawler.session_report.web.domains import domains_by_pages, linked_domains_of
from sessions.session import Session
from sessions.url import domain_of, site_of
from tests.crawler.session_report.random_sessions import Tables, random_session
from tests.sessions.support.breaking import edit_header

Case = tuple[SessionArrays, Tables]


@pytest.fixture(scope="module", params=range(5))
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    session = random_session(tmp_path_factory.mktemp("webs") / "web", request.param, 12 + 12 * request.param)
    return SessionArrays(session, "web"), Tables(session)


def test_new_links_by_epoch(case: Case) -> None:
    arrays, _ = case
    rows = new_links_of(arrays)
    links = {file.epoch: 0 for file in arrays.session.table_files("links")}
    urls = dict.fromkeys(links, 0)
    for file in arrays.session.table_files():
        if file.table == "links":
            links[file.epoch] += file.rows
        if file.table == "urls":  # none has depth 0 in this session
            urls[file.epoch] += file.rows
    assert rows == [(epoch, links[epoch], urls[epoch], urls[epoch] / links[epoch]) for epoch in sorted(links)]
    assert sum(row[2] for row in rows) == len(arrays.session.read("urls"))


def test_urls_that_were_named_are_not_found(tmp_path: Path) -> None:
    session = random_session(tmp_path / "web", 3)
    arrays = SessionArrays(session, "web")
    assert sum(arrays.named_by_epoch().values()) == 0
    arrays.named_by_epoch = lambda: {1: 7}  # type: ignore[method-assign]
    first, *_ = new_links_of(arrays)
    assert first[2] == len(session.read("urls")) - 7


def test_loads_of_ranks(case: Case) -> None:
    arrays, tables = case
    begin = tables.in_time[0]["fetched"]
    since = [(row["fetched"] - begin).total_seconds() for row in tables.in_time]
    before = 0.0
    rows = rank_loads_of(arrays)
    for number, (end, most, mean, fewest) in enumerate(rows):
        is_last = number == len(rows) - 1
        times = zip(tables.in_time, since, strict=True)
        its = Counter(row["rank"] for row, at in times if before <= at < end or (is_last and at == end))
        loads = [its[0], its[1]]
        assert (most, mean, fewest) == (max(loads), sum(loads) / 2, min(loads))
        before = end


def test_fetches_by_day(tmp_path: Path) -> None:
    """Two sessions of which the second fetches pages of the first again, over several days."""
    sessions = [random_session(tmp_path / name, seed, 60) for name, seed in (("a", 1), ("b", 3))]
    daily = DaysOfFetches()
    fetches = []
    for session in sessions:
        daily.add(SessionArrays(session, session.path.name))
        fetches += [(row["fetched"].date(), row["hash"]) for row in Tables(session).rows]
    rows = daily.rows()
    days = sorted({day for day, _ in fetches})
    first_day = {page: min(day for day, its in fetches if its == page) for _, page in fetches}
    expected = []
    for day in days:
        its = [page for at, page in fetches if at == day]
        new = sum(first_day[page] == day for page in set(its))
        expected.append((str(day), len(its), len(set(its)), new, len(set(its)) - new, (day - days[0]).days))
    assert rows == expected


def test_domains(case: Case) -> None:
    arrays, tables = case
    expected = []
    for domain in {domain_of(row["site"]) for row in tables.rows}:
        its = [row for row in tables.rows if domain_of(row["site"]) == domain]
        hundreds = Counter(row["status"] // 100 for row in its)
        counts = hundreds[2], hundreds[3], hundreds[4] + hundreds[5]
        sites = len({row["site"] for row in its})
        expected.append((domain, sites, len(its), *counts, sum(row["bytes"] for row in its)))
    assert domains_by_pages(arrays) == sorted(expected, key=lambda row: (-row[2], row[0]))


def test_answers(case: Case) -> None:
    arrays, tables = case
    counts = Counter((row["site"], row["status"]) for row in tables.rows)
    expected = [
        (
            site,
            domain_of(site),
            status,
            "text/html",
            count,
            sum(row["bytes"] for row in tables.rows if (row["site"], row["status"]) == (site, status)),
        )
        for (site, status), count in counts.items()
    ]
    assert answers_of(arrays) == sorted(expected, key=lambda row: (-row[4], row[0], row[2]))


def test_media_types_are_told_without_parameters() -> None:
    types = ["Text/HTML; charset=x", "text/html", None, " ;a", "a/b"]
    columns = {
        "site": pa.array(["s"] * 5),
        "status": pa.array([200] * 5, pa.uint16()),
        "content_type": pa.array(types),
        "bytes": pa.array([1, 2, 4, None, 8], pa.int64()),
    }
    counted = _counted(pa.RecordBatch.from_pydict(columns))
    told = {row["type"]: (row["fetches"], row["bytes"]) for row in counted.to_pylist()}
    assert told == {"text/html": (2, 3), "none told": (2, 4), "a/b": (1, 8)}


def test_domains_that_others_link_to(case: Case) -> None:
    arrays, tables = case
    url_of = tables.urls | {page: row["url"] for page, row in tables.pages.items()}
    domain = {url: domain_of(site_of(text)) for url, text in url_of.items()}
    pairs = {(domain[source], domain[target]) for source, target in tables.links}
    degrees = Counter(target for source, target in pairs if source != target)
    graph = networkx.DiGraph()
    graph.add_nodes_from(tables.pages)
    graph.add_edges_from((source, target) for source, target in tables.links if target in tables.pages)
    ranks = networkx.pagerank(graph, alpha=0.85, tol=1e-12)
    rows = linked_domains_of(arrays)
    assert [row[:2] for row in rows] == sorted(degrees.items(), key=lambda item: (-item[1], item[0]))
    for name, _, rank, pages in rows:
        mains = [
            ranks[page] * len(tables.pages)
            for page, row in tables.pages.items()
            if row["url"] in (f"http://{name}/", f"http://www.{name}/")
        ]
        assert rank == (pytest.approx(max(mains), rel=1e-6) if mains else None)
        assert pages == sum(domain[page] == name for page in tables.pages)


def test_change_and_age_of_old_pages(tmp_path: Path) -> None:
    """C and T by the definitions, of pages with status 200 in both sessions."""
    a, b = (random_session(tmp_path / name, seed, 50) for name, seed in (("a", 0), ("b", 2)))
    edit_header(b.path, lambda header: header.update(run="20270101T000000-aaaaaa", started="2027-01-01T00:00:00+00:00"))
    b = Session.open(b.path)
    now = datetime(2027, 6, 1, tzinfo=UTC)
    old = OldPages([a, b], now, tmp_path)
    tables = [Tables(a), Tables(b)]
    visits: dict[int, list[frozenset[int]]] = {}
    last: dict[int, float] = {}
    for its, session in zip(tables, (a, b), strict=True):
        by_folder = {rank: session.read("links", rank=rank).to_pylist() for rank in range(session.ranks)}
        for row in its.in_time:
            last[row["hash"]] = (now - row["fetched"]).total_seconds() / 86_400
            if row["status"] == 200:
                links = by_folder[row["rank"]]
                targets = {link["target"] for link in links if link["source"] == row["hash"]} - {row["hash"]}
                visits.setdefault(row["hash"], []).append(frozenset(targets))
    twice = [its[-2:] for its in visits.values() if len(its) > 1]
    change = [1 - len(x & y) / len(x | y) if x | y else 1.0 for x, y in twice]
    bins = Counter(next(at for at in range(BINS + 1) if value <= at / BINS + 1e-12) for value in change)
    told = old.change()
    assert sum(row[1] for row in told) == len(twice) > 10
    assert told == [(at / BINS, bins[at]) for at in range(BINS + 1)]
    gone = {page for page in visits if _is_gone(tables, page)}
    ages = [age for page, age in last.items() if page in visits and page not in gone]
    assert sum(row[1] for row in old.age()) == len(ages)
    assert old.age()[-1][0] == pytest.approx(max(ages))


def _is_gone(tables: list[Tables], page: int) -> bool:
    statuses = [row["status"] for its in tables for row in its.in_time if row["hash"] == page]
    return len(statuses) >= 2 and all(status in (404, 410) for status in statuses[-2:])


def test_without_a_second_visit_no_change_is_known(tmp_path: Path) -> None:
    session = random_session(tmp_path / "a", 0, 3)
    old = OldPages([session], datetime(2027, 6, 1, tzinfo=UTC), tmp_path)
    with pytest.raises(NotKnownError, match="visited twice"):
        old.change()
    alone = OldPages([random_session(tmp_path / "b", 0, 1)], datetime(2027, 6, 1, tzinfo=UTC), tmp_path / "b")
    with pytest.raises(NotKnownError, match="at one time"):
        alone.age()


def test_what_one_rank_or_an_import_does_not_tell(tmp_path: Path) -> None:
    arrays = SessionArrays(random_session(tmp_path / "a", 0, 9), "a")
    arrays.is_graph = arrays.is_imported = True
    for teller in (new_links_of, DaysOfFetches().add, rank_loads_of):
        with pytest.raises(NotKnownError):
            teller(arrays)
