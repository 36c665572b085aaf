"""The bench of one server with many sites."""

import re

import pytest

from scripts.bench import crowded_server


def test_each_case_has_a_figure_for_each_number_of_sites(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["crowded_server", "--sites", "1", "3", "--runs", "2"])
    crowded_server.main()
    rows = [line for line in capsys.readouterr().out.splitlines() if re.match(r"\| \d", line)]
    assert [row.split(" | ")[:3] for row in rows] == [
        ["| " + str(a), str(b), str(c)] for a, b, c in crowded_server.CASES
    ]
    assert all(int(figure) > 0 for row in rows for figure in row.strip(" |").split(" | ")[3:])
