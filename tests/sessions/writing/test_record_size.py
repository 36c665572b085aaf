"""A commit record of many ranks is small, and twice as many ranks make it twice as long."""

from pathlib import Path
from typing import Any

from sessions.counters import COUNTERS, Form
from sessions.records import CommittedRows, RankEntry
from sessions.schema import TABLES
from sessions.session import epoch_path
from sessions.storage.tables import table_name
from sessions.writing.commit import claim, commit

RUN = "20260102T030405-abcdef"
MOST_BYTES = 800_000
_VALUES: dict[Form, Any] = {
    Form.COUNT: 123_456_789,
    Form.BALANCE: 123_456_789,
    Form.BY_NAME: {"200": 123_456, "404": 1_234, "301": 12_345},
    Form.BY_STATE: {"failed": {"dns": 123, "timeout": 45}, "filtered": {"robots": 1_234}, "queued": {}},
    Form.SECONDS: 43_210.987654,
    Form.BY_STAGE: dict.fromkeys(("fetch", "parse", "links", "seen", "record", "exchange", "other"), 1_234.567891),
}


def entry(rank: int) -> RankEntry:
    """What a rank has in an ordinary epoch of a crawl of many: every table but that of the end, and large counters."""
    tables: dict[str, CommittedRows] = {
        name: {
            "file": f"rank-{rank:04d}/{table_name(name, 1_440, 1_440, RUN)}",
            "bytes": 1_234_567,
            "rows": 123_456,
            "xxh3": "0123456789abcdef",
        }
        for name in TABLES.keys() - {"frontier", "external_urls", "referrals", "rests"}
    }
    warc = f"rank-{rank:04d}/{RUN}-{rank:04d}-00001.warc.gz"
    return {
        "tables": tables,
        "warc": [{"file": warc, "bytes": 1_073_741_824, "xxh3": "0123456789abcdef"}],
        "report": {name: _VALUES[counter.form] for name, counter in COUNTERS.items()},
    }


def record_bytes(path: Path, ranks: int) -> int:
    header = claim(path, run=RUN, ranks=ranks, assignment="page-hash", configuration={})
    commit(path, header, 1, [entry(rank) for rank in range(ranks)])
    return epoch_path(path, 1).stat().st_size


def test_a_record_of_256_ranks_is_small(tmp_path: Path) -> None:
    assert record_bytes(tmp_path / "session", 256) < MOST_BYTES


def test_it_grows_as_the_ranks_do(tmp_path: Path) -> None:
    one, two = (record_bytes(tmp_path / str(ranks), ranks) for ranks in (64, 128))
    assert 1.9 < two / one < 2.01
