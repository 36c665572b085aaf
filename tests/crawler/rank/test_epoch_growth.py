"""What epochs bring to disk."""

from pathlib import Path

from crawler.rank.epoch_growth import EpochGrowth
from sessions.records import CommittedFile, RankFiles
from sessions.session import Session
from tests.crawler.support.fake_web import SEED, Crawls, page


def epoch(tables: dict[str, int], **warc: int) -> RankFiles:
    grown: list[CommittedFile] = [{"file": name, "bytes": length, "xxh3": ""} for name, length in warc.items()]
    of_tables = {name: {"file": name, "bytes": size, "rows": 1, "xxh3": ""} for name, size in tables.items()}
    return {"tables": of_tables, "warc": grown}  # type: ignore[typeddict-item]


def test_a_warc_file_counts_by_what_is_new() -> None:
    growth = EpochGrowth()
    assert growth.of(epoch({"pages": 10, "urls": 5}, a=100)) == 115
    assert growth.of(epoch({"pages": 10}, a=130, b=20)) == 60
    assert growth.of(epoch({"urls": 1})) == 1
    assert growth.of(epoch({}, b=50)) == 30


def test_all_epochs_together_are_what_lies_on_disk_as_long_as_none_are_merged(crawls: Crawls) -> None:
    links = [str(number) for number in range(40)]
    done = crawls({SEED: page(*links), **{SEED + link: page() for link in links}}, epoch_seconds=15.0)
    assert len(done.session.epochs) > 2
    assert done.report["written_bytes"] == size_of(Session.open(crawls.out).path / "rank-0000")


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
