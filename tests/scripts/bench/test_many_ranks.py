"""What is reckoned for more ranks than were measured lies on the line of least squares."""

import pytest

from scripts.bench import many_ranks


def test_a_line_is_found_again() -> None:
    assert many_ranks.fitted([8, 16, 32, 64], [5 + 0.25 * ranks for ranks in (8, 16, 32, 64)]) == pytest.approx(
        (5, 0.25)
    )


def test_errors_are_least_in_squares() -> None:
    assert many_ranks.fitted([0, 1, 2], [0.0, 3.0, 0.0]) == pytest.approx((1, 0))


def test_what_was_measured_and_what_is_reckoned_are_told_apart() -> None:
    sizes = {"record_bytes": lambda ranks: 2000 * ranks}
    crawls = [
        {
            "ranks": ranks,
            "assignment": "page-hash",
            "exchange_ms_superstep": 1 + ranks / 2,
            **{name: of(ranks) for name, of in sizes.items()},
        }
        for ranks in (8, 16)
    ]
    *_, last = many_ranks._reckoned(crawls).splitlines()
    assert [cell.strip() for cell in last.strip("|").split("|")] == [
        "page-hash", "1,024", "1,047,552", "513", "2,048"
    ]  # fmt: skip
