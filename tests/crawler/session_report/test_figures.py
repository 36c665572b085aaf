"""Figures of a report, each recomputed from the tables by brute force on small random sessions."""

from collections import Counter
from pathlib import Path
from statistics import mean, median

import pyarrow as pa
import pytest

from crawler.session_report.crawling.daily_fetches import DaysOfFetches
from crawler.session_report.crawling.diversity import diversity_of
from crawler.session_report.crawling.fetch_rates import fetch_rates_of, megabits_of
from crawler.session_report.crawling.hot_pages import hot_by_pages, hot_by_time, hot_of
from crawler.session_report.report_figure import NotKnownError
from crawler.session_report.session_arrays import SessionArrays
from crawler.session_report.web.back_links import back_links_of, popular_pages_of
from crawler.session_report.web.broken_links import KINDS, broken_links_of
from crawler.session_report.web.duplicates import duplicates_of
from sessions.url import domain_of
from tests.crawler.session_report.random_sessions import Tables, random_session

SEEDS = range(6)
Case = tuple[SessionArrays, Tables]


@pytest.fixture(scope="module", params=SEEDS)
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    session = random_session(tmp_path_factory.mktemp("webs") / "web", request.param, 10 + 12 * request.param)
    return SessionArrays(session, "web"), Tables(session)


def test_links_are_distinct_pairs_without_those_to_oneself(case: Case) -> None:
    arrays, tables = case
    known = [*arrays.hashes.tolist(), *arrays.other_hashes.tolist()]
    links = zip(arrays.links.sources.tolist(), arrays.links.targets.tolist(), strict=True)
    told = [(known[source], known[target]) for source, target in links]
    assert len(told) == len(set(told))
    assert set(told) == tables.links
    assert set(known[len(arrays.hashes) :]) == set(tables.urls) - set(tables.pages)


def test_hot_pages(case: Case) -> None:
    arrays, tables = case
    linked = {page: tables.back_links(page) for page in tables.pages}
    least = next(limit for limit in range(1000) if sum(count > limit for count in linked.values()) <= 0.1 * len(linked))
    for hot, more_than in ((None, least), (1, 1)):
        is_hot = [linked[row["hash"]] > more_than for row in tables.first]
        assert hot_of(hot)(arrays) == [(more_than, sum(is_hot), len(is_hot), pytest.approx(sum(is_hot) / len(is_hot)))]
        rows = hot_by_pages(hot)(arrays)
        assert [row[0] for row in rows] == list(range(1, len(is_hot) + 1))
        for pages, found, share, of_all, limit in rows:
            assert found == sum(is_hot[:pages])
            assert share == pytest.approx(found / pages)
            assert of_all == pytest.approx(found / max(1, sum(is_hot)))
            assert limit == more_than
        begin = tables.first[0]["fetched"]
        seconds = [(row["fetched"] - begin).total_seconds() for row in tables.first]
        assert [row[0] for row in hot_by_time(hot)(arrays)] == pytest.approx(seconds)


def test_diversity(case: Case) -> None:
    arrays, tables = case
    for pages, sites, domains in diversity_of(arrays):
        seen = [row["site"] for row in tables.first[:pages]]
        assert (sites, domains) == (len(set(seen)), len(set(map(domain_of, seen))))


def test_rates(case: Case) -> None:
    arrays, tables = case
    begin = tables.in_time[0]["fetched"]
    since = [(row["fetched"] - begin).total_seconds() for row in tables.in_time]
    rows = fetch_rates_of(arrays)
    assert rows[-1][0] == since[-1]
    assert rows[0][0] == pytest.approx(600 if since[-1] >= 1800 else since[-1] / 60, abs=1e-6)
    before = 0.0
    for number, (end, pages, a_second, megabits) in enumerate(rows):
        is_last = number == len(rows) - 1
        its = [
            row for row, at in zip(tables.in_time, since, strict=True) if before <= at < end or (is_last and at == end)
        ]
        assert pages == len(its)
        assert a_second == pytest.approx(len(its) / (end - before))
        assert megabits == pytest.approx(8e-6 * sum(row["bytes"] for row in its) / (end - before))
        before = end
    assert megabits_of(arrays) == [(row[0], row[3]) for row in rows]


def test_duplicates(case: Case) -> None:
    arrays, tables = case
    digests = [row["content_digest"] for row in tables.rows if 200 <= row["status"] < 300]
    assert duplicates_of(arrays) == [(len(digests), len(set(digests)), 1 - len(set(digests)) / len(digests))]


def kind_of(tables: Tables, url: int) -> str:
    if url not in tables.pages:
        return "failed" if url in tables.failed else "never requested"
    status = tables.pages[url]["status"]
    if status in (404, 410):
        return "404 or 410"
    return {2: "2xx", 3: "3xx", 4: "other 4xx", 5: "5xx"}[status // 100]


def test_broken_links(case: Case) -> None:
    arrays, tables = case
    links = Counter(kind_of(tables, target) for _, target in tables.links)
    targets = {target for _, target in tables.links}
    urls = Counter(kind_of(tables, target) for target in targets)
    assert broken_links_of(arrays) == [
        (kind, links[kind], links[kind] / len(tables.links), urls[kind], urls[kind] / len(targets)) for kind in KINDS
    ]


def test_back_links_by_depth(case: Case) -> None:
    arrays, tables = case
    depth = {page: min(row["depth"] for row in tables.rows if row["hash"] == page) for page in tables.pages}
    site = {page: row["site"] for page, row in tables.pages.items()}
    least = {name: min(depth[page] for page in depth if site[page] == name) for name in site.values()}
    by_depth: dict[int, list[int]] = {}
    for page in tables.pages:
        by_depth.setdefault(depth[page] - least[site[page]], []).append(tables.back_links(page))
    expected = [(below, len(its), mean(its), median(its)) for below, its in sorted(by_depth.items())]
    assert back_links_of(arrays) == [pytest.approx(row) for row in expected]


def test_popular_pages(case: Case) -> None:
    arrays, tables = case
    linked = sorted((-tables.back_links(page), page) for page in tables.pages)
    expected = [(tables.pages[page]["url"], -count, tables.pages[page]["status"]) for count, page in linked if count]
    assert popular_pages_of(arrays) == expected[:100]


def test_what_an_import_does_not_tell_is_said(tmp_path: Path) -> None:
    session_arrays = SessionArrays(random_session(tmp_path / "web", 1), "web")
    session_arrays.is_graph = True
    for teller in (hot_by_pages(None), hot_by_time(None), diversity_of, fetch_rates_of, broken_links_of):
        with pytest.raises(NotKnownError):
            teller(session_arrays)


def test_a_replay_has_the_order_of_its_supersteps(tmp_path: Path) -> None:
    arrays = SessionArrays(random_session(tmp_path / "web", 1), "web")
    arrays.is_replay = True
    steps = arrays.fetches.superstep
    order = arrays.first_rows
    assert sorted(arrays.fetches.page[order].tolist()) == list(range(len(arrays.hashes)))
    rows = list(zip(steps[order].tolist(), order.tolist(), strict=True))
    assert rows == sorted(rows)
    pages = arrays.fetches.page
    assert all(step == steps[pages == pages[row]].min() for step, row in rows)
    assert len(hot_by_pages(None)(arrays)) == len(diversity_of(arrays)) > 0
    for teller in (hot_by_time(None), fetch_rates_of, DaysOfFetches().add):
        with pytest.raises(NotKnownError, match="it was replayed"):
            teller(arrays)


def test_sessions_without_sites_have_those_of_their_urls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = random_session(tmp_path / "web", 1)
    expected = _sites_of(SessionArrays(session, "web"))
    read = type(session).read

    def without_sites(self: object, table: str, columns: object = None, rank: int | None = None) -> pa.Table:
        rows = read(session, table, columns, rank)  # type: ignore[arg-type]
        if "site" not in rows.column_names:
            return rows
        return rows.set_column(rows.column_names.index("site"), "site", pa.nulls(len(rows), pa.string()))

    monkeypatch.setattr(type(session), "read", without_sites)
    assert _sites_of(SessionArrays(session, "web")) == expected


def _sites_of(arrays: SessionArrays) -> list[str]:
    return [arrays.site_names[site] for site in arrays.fetches.site]
