"""`cutweb feasibility`: what a session's pages cost, what follows from it, and what it refuses."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from crawler.feasibility.page_costs import costs_of
from crawler.feasibility.reckoning import AS_CRAWLED, reckon
from crawler.main import cutweb
from sessions.session import Session
from tests.partition.quality.support.webs import ring
from tests.sessions.support.breaking import edit_header
from tests.sessions.support.builder import Crawl, small_session


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sessions") / "crawl"
    small_session(path)
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cutweb, ["feasibility", *map(str, arguments)], catch_exceptions=False)


def refused(*arguments: object) -> str:
    done = run(*arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    return line


def test_costs_are_those_of_the_tables(session: Path) -> None:
    opened = Session.open(session)
    pages, links, urls = (opened.read(table).to_pylist() for table in ("pages", "links", "urls"))
    costs = costs_of(opened)
    assert costs.pages == len(pages)
    assert costs.links * len(pages) == pytest.approx(len(links))
    assert costs.new_share == len({page["hash"] for page in pages if 200 <= page["status"] < 300}) / len(pages)
    assert costs.received * len(pages) == pytest.approx(sum(page["bytes"] for page in pages))
    assert costs.url_bytes == pytest.approx(sum(len(row["url"].encode()) for row in urls) / len(urls))
    files = [*session.glob("rank-*/*.parquet"), *session.glob("rank-*/*.warc.gz")]
    assert costs.stored * len(pages) == pytest.approx(sum(file.stat().st_size for file in files))
    assert costs.cpu_ms == pytest.approx(1000 * 2 * 0.875 / len(pages))
    assert costs.rank_rate == pytest.approx(len(pages) / 4.0 / 2)
    assert costs.base_memory == 100 << 20
    sent = 10  # rank 0 sends 8 URLs, rank 1 two, of 8 bytes on the wire each
    assert costs.wire == pytest.approx(8 * sent / sent)


def test_what_pages_take_is_told(session: Path) -> None:
    done = run(session, "--pages", 10**9, "--ranks", 8)
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.startswith("1,000,000,000 pages on 8 ranks take at least ")
    assert "memory: URL-seen" in done.stdout
    told = json.loads(run(session, "--pages", 10**9, "--ranks", 8, "--json").stdout)
    costs = costs_of(Session.open(session))
    assert costs.rank_rate is not None
    assert told["seconds"][AS_CRAWLED] == pytest.approx(1e9 / costs.new_share / (8 * costs.rank_rate))
    assert told["network"]["pages received"] == pytest.approx(1e9 * costs.received)
    assert told["left_out"] == []


def test_twice_the_ranks_take_half_the_time_of_each(session: Path) -> None:
    costs = costs_of(Session.open(session))
    few, many = (reckon(costs, 10**9, ranks) for ranks in (8, 16))
    for bound in (AS_CRAWLED, "processors, a core for each rank"):
        assert few.seconds[bound] == pytest.approx(2 * many.seconds[bound])
    assert few.longest in few.seconds
    assert not few.longest.startswith("an uplink")


def test_an_imported_session_tells_no_rates(tmp_path: Path) -> None:
    path = ring().session(tmp_path / "ring")
    edit_header(path, lambda header: header.update(assignment="imported"))
    told = json.loads(run(path, "--pages", 1000, "--ranks", 2, "--json").stdout)
    assert told["costs"]["cpu_ms"] is told["costs"]["rank_rate"] is told["costs"]["base_memory"] is None
    assert [line.partition(":")[0] for line in told["left_out"]] == [
        "processors, memory of processes, and the rate as crawled",
        "bytes between ranks",
    ]
    assert "not known: processors" in run(path, "--pages", 1000, "--ranks", 2).stdout


def test_what_is_refused(session: Path, tmp_path: Path) -> None:
    assert "no such file; is" in refused(tmp_path / "none", "--pages", 100, "--ranks", 1)
    assert "must have more pages than that" in refused(session, "--pages", 2, "--ranks", 1)
    damaged = Path(shutil.copytree(session, tmp_path / "damaged"))
    broken = next(damaged.glob("rank-0000/urls-*.parquet"))
    broken.write_bytes(b"no table")
    assert f"{broken}: row 0 cannot be read" in refused(damaged, "--pages", 100, "--ranks", 1)
    empty = Crawl(tmp_path / "empty", ranks=1)
    empty.commit("max-pages")
    empty.close()
    assert "has no pages" in refused(tmp_path / "empty", "--pages", 100, "--ranks", 1)
