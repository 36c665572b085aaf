"""docs/formats.md says of worklists what they are."""

from crawler.worklist.manifest import FILE_KEYS, KEYS, SESSION_KEYS
from crawler.worklist.rows import SCHEMA
from tests.sessions.test_formats import keys, section, tables


def test_columns_are_those_of_the_schema() -> None:
    documented = [(cells[0].strip("`"), cells[1], cells[3] != "-") for cells in tables(section("Rows of a worklist"))]
    assert documented == [(field.name, str(field.type), field.nullable) for field in SCHEMA]


def test_keys_are_those_of_the_manifest() -> None:
    text = section("worklist.json")
    assert keys(text) == {*KEYS, *SESSION_KEYS, *FILE_KEYS}
