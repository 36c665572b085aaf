"""The bench of one server with many sites."""

import re

import pytest

from scripts.bench import crowded_server


def test_each_case_has_a_figure_for_each_number_of_sites(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["crowded_server", "--sites", "1", "3", "--runs", "2"])
    crowded_server.main()
    rows = [row.strip("| ").split(" | ") for row in capsys.readouterr().out.splitlines() if re.match(r"\| \d", row)]
    assert [tuple(row[:3]) for row in rows] == [tuple(map(str, case)) for case in crowded_server.CASES]
    assert all(len(row) == 5 and min(map(int, row[3:])) > 0 for row in rows)
