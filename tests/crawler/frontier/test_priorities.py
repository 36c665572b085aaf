"""The priorities that a worklist gives URLs: all of them by hash, and one line where they cannot be read."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from crawler.config.command_line import UsageError
from crawler.frontier.priorities import read_priorities
from crawler.launch.order_checks import check_priorities
from sessions.url import url_hash
from tests.crawler.support.worklists import in_order, new_row, old_row, write_worklist


def url(number: int) -> str:
    return f"http://h{number % 7}.example/{number}"


def rows() -> list[dict[str, object]]:
    new = [new_row(url(number), number / 4) for number in range(50)]
    return in_order([*new, *(old_row(url(number), number * 3.0) for number in range(50, 80))])


def test_every_row_has_its_priority_by_hash(tmp_path: Path) -> None:
    write_worklist(tmp_path / "list", rows(), rows_per_file=20)
    read = read_priorities(tmp_path / "list")
    assert np.all(np.diff(read.hashes.astype(object)) > 0)
    expected = {url_hash(url(number)): number / 4 if number < 50 else number * 3.0 for number in range(80)}
    assert dict(zip(read.hashes.tolist(), read.priorities.tolist(), strict=True)) == expected


def test_without_a_worklist_there_are_none() -> None:
    assert len(read_priorities(None).hashes) == 0


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda folder: (folder / "worklist.json").unlink(), "list/worklist.json: no such file"),
        (lambda folder: (folder / "worklist.json").write_text("{"), "worklist.json: not JSON"),
        (lambda folder: (folder / "new-00000.parquet").unlink(), "new-00000.parquet: no such file"),
    ],
)
def test_a_worklist_that_is_none_is_refused_before_anything_begins(
    tmp_path: Path, damage: Callable[[Path], object], told: str
) -> None:
    write_worklist(tmp_path / "list", rows())
    damage(tmp_path / "list")
    with pytest.raises(UsageError) as refused:
        check_priorities(tmp_path / "list")
    assert str(refused.value).startswith(f"--priorities {tmp_path}")
    assert told in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1


def test_a_worklist_without_urls_is_refused(tmp_path: Path) -> None:
    write_worklist(tmp_path / "list", [])
    with pytest.raises(UsageError, match=r"the worklist has no URLs$"):
        check_priorities(tmp_path / "list")


def test_damaged_rows_are_refused_before_anything_begins(tmp_path: Path) -> None:
    write_worklist(tmp_path / "list", rows())
    path = tmp_path / "list" / "old-00000.parquet"
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(UsageError, match=r"old-00000\.parquet: damaged"):
        check_priorities(tmp_path / "list")
