"""The columns of the tables, and what the crawler's rows are made of."""

import pyarrow as pa
import pytest

from sessions.schema import EMBEDDED, NOFOLLOW, PAGES, REDIRECT, ROBOTS, TABLES, Page, RobotsRow


def test_pages_are_rows_of_their_table() -> None:
    assert list(Page._fields) == PAGES.names
    assert list(RobotsRow._fields) == ROBOTS.names


def test_flags_are_bits_of_their_own() -> None:
    assert [flag.bit_count() for flag in (NOFOLLOW, REDIRECT, EMBEDDED)] == [1, 1, 1]
    assert NOFOLLOW | REDIRECT | EMBEDDED == NOFOLLOW + REDIRECT + EMBEDDED < 256


@pytest.mark.parametrize("table", TABLES)
def test_hashes_have_64_bits(table: str) -> None:
    for field in TABLES[table]:
        if field.name in ("hash", "source", "target", "simhash"):
            assert field.type == pa.uint64()
