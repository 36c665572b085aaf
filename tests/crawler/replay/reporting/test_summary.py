"""The printed table."""

import pytest

from crawler.replay.reporting.summary import print_summary
from tests.crawler.replay.support.entries import entries_at


def test_each_entry_has_a_row_with_its_figures(capsys: pytest.CaptureFixture[str]) -> None:
    _, entries = entries_at(2)
    print_summary(entries)
    head, first, second = capsys.readouterr().out.splitlines()
    assert [word for word in head.split() if word != "%"][:3] == ["model", "K", "coverage,"]
    assert first.split()[:5] == ["page,", "<discoverer>", "2", "100.00", "40.00"]
    assert second.split()[:4] == ["page-hash", "2", "100.00", "0.00"]
    assert first.split()[9:11] == ["0.286", "4.86"]
