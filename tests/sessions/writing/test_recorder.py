"""What a rank writes."""

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from sessions.schema import EXCHANGES, RestRow
from sessions.session import Session
from sessions.storage.warc import Exchange
from sessions.url import url_hash, url_hashes
from sessions.writing.recorder import LONG_REST_SECONDS, Recorder, rank_folder
from tests.sessions.checking.test_check_warc import accepted_by_warcio
from tests.sessions.support.builder import HOME, OTHERS, PAGES, Crawl

EXCHANGE = Exchange(HOME, 0.0, b"HTTP/1.1 200 OK\r\n\r\n", b"home")


def test_rank_folders(tmp_path: Path) -> None:
    assert rank_folder(tmp_path, 12) == tmp_path / "rank-0012"


def test_an_epoch_names_what_came_to_disk(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, 3, "run")
    recorder.urls(url_hashes([HOME]), [HOME], np.array([2], np.uint16), np.array([1], np.uint8))
    recorder.outcome(url_hash(HOME), "failed", "dns")
    place = recorder.store(recorder.prepare(EXCHANGE))
    entry = recorder.close_epoch()
    assert place is not None
    assert place.file == "run-0003-00000.warc.gz"
    assert entry["tables"].keys() == {"urls", "outcomes"}
    assert entry["tables"]["urls"]["file"] == "rank-0003/urls-000001-run.parquet"
    for file in (*entry["tables"].values(), *entry["warc"]):
        assert (tmp_path / file["file"]).stat().st_size == file["bytes"]
    assert {path.name for path in (tmp_path / "rank-0003").iterdir()} == {
        "urls-000001-run.parquet",
        "outcomes-000001-run.parquet",
        "run-0003-00000.warc.gz",
    }


def test_pairs_of_sites_are_counted_and_handed_over_when_they_are_many(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, 0, "run")
    sites = [f"{number}.example" for number in range(20_000)]
    for _ in range(2):
        recorder.external_sites(["a.example"] * len(sites), sites)
    recorder.external_sites(["a.example"] * 3, ["b.example"] * 3)
    rows = pq.read_table(tmp_path / recorder.close_epoch()["tables"]["external_sites"]["file"]).to_pylist()
    assert len(rows) == 40_001
    assert rows[-1] == {"source_site": "a.example", "target_site": "b.example", "links": 3}
    assert sum(row["links"] for row in rows) == 40_003
    assert "external_sites" not in recorder.close_epoch()["tables"]


def test_outcomes_say_in_which_epoch_they_came(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, 0, "run")
    for url_number in (1, 2):
        recorder.outcome(url_number, "filtered", "robots")
        entry = recorder.close_epoch()
        rows = pq.read_table(tmp_path / entry["tables"]["outcomes"]["file"]).to_pylist()
        assert rows == [{"hash": url_number, "state": "filtered", "reason": "robots", "epoch": url_number}]


def test_many_rows_are_handed_over_in_between(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, 0, "run")
    for number in range(1300):
        recorder.outcome(number, "failed", "dns")
    entry = recorder.close_epoch()
    hashes = pq.read_table(tmp_path / entry["tables"]["outcomes"]["file"])["hash"].to_pylist()
    assert hashes == list(range(1300))


def test_what_robots_txt_said_is_recorded(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "session", ranks=1)
    for number in range(600):
        crawl.ranks[0].ask_robots(f"http://{number}.example", sitemaps=[f"http://{number}.example/{number}.xml"] * 2)
    crawl.commit()
    rows = Session.open(tmp_path / "session").read("robots").to_pylist()
    assert [row["origin"] for row in rows] == [f"http://{number}.example" for number in range(600)]
    assert rows[7]["sitemaps"] == ["http://7.example/7.xml"] * 2
    assert (rows[7]["status"], rows[7]["crawl_delay"], rows[7]["error"]) == (200, 2.5, None)


def test_what_was_sent_is_recorded(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "session", ranks=3)
    crawl.ranks[1].send(2, PAGES)
    crawl.ranks[1].send(0, [HOME])
    crawl.commit()
    crawl.ranks[1].send(2, [HOME])
    crawl.commit()
    table = Session.open(tmp_path / "session").read("exchanges")
    assert table.schema == EXCHANGES
    size, home = sum(map(len, PAGES)), len(HOME)
    assert [list(row.values()) for row in table.to_pylist()] == [
        [0, 1, 2, 8, 2, size, 64],
        [0, 1, 0, 1, 0, home, 8],
        [1, 1, 2, 1, 0, home, 8],
    ]


def test_nothing_new_is_nothing_written(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, 0, "run")
    assert recorder.close_epoch() == {"tables": {}, "warc": []}


def test_a_session_may_keep_no_bodies(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, 0, "run", store_bodies=False)
    assert recorder.store(recorder.prepare(EXCHANGE)) is None
    recorder.flush()
    assert recorder.close_epoch()["warc"] == []
    recorder.close()


def test_two_runs_write_beside_each_other(tmp_path: Path) -> None:
    first = Recorder(tmp_path, 0, "run")
    second = Recorder(tmp_path, 0, "other", epoch=7)
    for recorder, number in ((first, 1), (second, 2)):
        recorder.outcome(number, "failed", "dns")
        recorder.store(recorder.prepare(EXCHANGE))
    entries = [recorder.close_epoch() for recorder in (first, second)]
    names = [(entry["tables"]["outcomes"]["file"], entry["warc"][0]["file"]) for entry in entries]
    assert names == [
        ("rank-0000/outcomes-000001-run.parquet", "rank-0000/run-0000-00000.warc.gz"),
        ("rank-0000/outcomes-000007-other.parquet", "rank-0000/other-0000-00000.warc.gz"),
    ]
    assert pq.read_table(tmp_path / names[1][0]).to_pylist() == [
        {"hash": 2, "state": "failed", "reason": "dns", "epoch": 7}
    ]
    first.close()
    second.close()


def test_ways_and_referrals_are_recorded(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, 0, "run")
    depths, hops = np.array([3, 0], np.uint16), np.array([1, 2], np.uint8)
    recorder.urls(url_hashes(PAGES[:2]), PAGES[:2], depths, hops)
    recorder.nearer(url_hashes(PAGES[:1]), depths[1:], hops[:1])
    recorder.referrals(np.array([1], np.uint64), np.array([2**64 - 1], np.uint64))
    entry = recorder.close_epoch()
    rows = {name: pq.read_table(tmp_path / file["file"]).to_pylist() for name, file in entry["tables"].items()}
    assert rows == {
        "urls": [
            {"hash": url_hash(PAGES[0]), "url": PAGES[0], "depth": 3, "hops": 1},
            {"hash": url_hash(PAGES[1]), "url": PAGES[1], "depth": 0, "hops": 2},
        ],
        "nearer": [{"hash": url_hash(PAGES[0]), "depth": 0, "hops": 1}],
        "referrals": [{"source": 1, "target": 2**64 - 1}],
    }


def test_of_a_sites_rests_in_an_epoch_the_last_is_recorded(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, 0, "run")
    when = datetime(2026, 3, 4, tzinfo=UTC)
    recorder.rest(RestRow("a.example", when, LONG_REST_SECONDS, 1))
    assert not recorder.has_long_rest
    for failures in (1, 2):
        recorder.rest(RestRow("b.example", when, LONG_REST_SECONDS + failures, failures))
    recorder.rest(RestRow("b.example", when, 1.0, 0))
    assert recorder.has_long_rest
    entry = recorder.close_epoch()
    rows = pq.read_table(tmp_path / entry["tables"]["rests"]["file"]).to_pylist()
    assert [(row["site"], row["failures"]) for row in rows] == [("a.example", 1), ("b.example", 0)]
    assert not recorder.has_long_rest
    assert "rests" not in recorder.close_epoch()["tables"]


def test_flushed_records_survive_a_kill(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, 0, "run")
    recorder.store(recorder.prepare(EXCHANGE))
    recorder.flush()
    assert accepted_by_warcio(tmp_path / "rank-0000" / "run-0000-00000.warc.gz")


def test_what_is_recorded_is_read(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "session")
    first, second = crawl.ranks
    first.discover([HOME, *PAGES])
    second.discover(OTHERS)
    first.fetch(HOME, b"home", links=[(url, 4) for url in OTHERS[:2]])
    crawl.commit()
    first.fetch(PAGES[0], b"page")
    second.settle(OTHERS[0], "filtered", "robots")
    crawl.commit("max-pages")
    session = Session.open(tmp_path / "session")
    assert session.read("pages", ["url", "status"]).to_pylist() == [
        {"url": HOME, "status": 200},
        {"url": PAGES[0], "status": 200},
    ]
    links = session.read("links")
    assert links["target"].to_pylist() == url_hashes(OTHERS[:2]).tolist()
    assert links["flags"].to_pylist() == [4, 4]
    assert len(session.read("urls")) == 1 + len(PAGES) + len(OTHERS)
    assert session.read("urls", rank=1)["url"].to_pylist() == OTHERS
    assert session.read("outcomes", ["hash", "reason"]).to_pylist() == [
        {"hash": url_hash(OTHERS[0]), "reason": "robots"}
    ]
    frontier = session.read("frontier")["hash"].to_numpy()
    assert np.array_equal(np.sort(frontier), np.sort(url_hashes([*PAGES[1:], *OTHERS[1:]])))
