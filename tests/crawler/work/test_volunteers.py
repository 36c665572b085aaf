"""VOLUNTEERS: who is known, until when."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from crawler.work.refusals import Refusal
from crawler.work.volunteers import accepted_volunteer, read_volunteers
from crawler.work.work_error import WorkError

ANNA, BERT = "a" * 64, "b" * 64


def test_lines_comments_and_revocations(tmp_path: Path) -> None:
    path = tmp_path / "volunteers.txt"
    path.write_text(f"# all\n\nanna {ANNA}  # first\nbert {BERT} revoked 2026-03-01\n")
    known = read_volunteers(path)
    before, after = datetime(2026, 2, 28, 23, 59, tzinfo=UTC), datetime(2026, 3, 1, tzinfo=UTC)
    assert accepted_volunteer(known, ANNA, after).name == "anna"
    assert accepted_volunteer(known, BERT, before).name == "bert"
    for key, reason in ((BERT, "revoked-key"), ("c" * 64, "unknown-key")):
        with pytest.raises(Refusal) as caught:
            accepted_volunteer(known, key, after)
        assert caught.value.reason == reason


@pytest.mark.parametrize(
    "line",
    [
        "anna",
        f"anna {ANNA[:-1]}",
        f"anna {ANNA.upper()}",
        f"anna {ANNA} revoked",
        f"anna {ANNA} revoked then",
        "a b c d",
    ],
)
def test_what_is_no_volunteer(tmp_path: Path, line: str) -> None:
    path = tmp_path / "volunteers.txt"
    path.write_text(f"bert {BERT}\n{line}\n")
    with pytest.raises(WorkError, match=r"line 2: must be NAME PUBLIC-KEY \[revoked DATE\]"):
        read_volunteers(path)


def test_one_key_of_two(tmp_path: Path) -> None:
    path = tmp_path / "volunteers.txt"
    path.write_text(f"anna {ANNA}\nbert {ANNA}\n")
    with pytest.raises(WorkError, match="line 2: the key of bert is that of anna"):
        read_volunteers(path)
    with pytest.raises(WorkError, match="No such file"):
        read_volunteers(tmp_path / "none")
    path.write_bytes(b"\xff")
    with pytest.raises(WorkError, match="no text"):
        read_volunteers(path)
