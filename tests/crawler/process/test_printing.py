"""How figures are printed."""

import pytest

from crawler.process.printing import empty_table, number, printer, size


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1 kB"), (1_250_000, "1.25 MB"), (10**9, "1 GB"), (5 * 10**15, "5e+03 TB")],
)
def test_sizes(count: int, text: str) -> None:
    assert size(count) == text


@pytest.mark.parametrize(
    ("value", "text"), [(None, "-"), (0, "0"), (0.12345, "0.123"), (99.94, "99.9"), (1234.5, "1,234")]
)
def test_numbers(value: float | None, text: str) -> None:
    assert number(value) == text


def test_in_a_pipe_a_table_is_text_that_is_neither_cut_nor_framed(capsys: pytest.CaptureFixture[str]) -> None:
    console = printer()
    table = empty_table(console)
    table.add_column("name")
    table.add_row("x" * 500)
    console.print(table)
    assert [line.rstrip() for line in capsys.readouterr().out.splitlines()] == ["name", "x" * 500]
