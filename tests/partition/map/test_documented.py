"""docs/formats.md says what a partition map is: its tables are compared with the program's."""

import re
from pathlib import Path

from partition.choices import UNKNOWN_RULES, map_models
from partition.map.manifest import FORMAT_1_FILES, KEYS, MANIFEST, PARTS_TABLE, SHARD_KEYS, SHARDS
from partition.twoma.site_states import SCHEMA, STATES

DOCUMENT = (Path(__file__).parents[3] / "docs" / "formats.md").read_text()


def section(heading: str) -> str:
    """The text below a heading, up to the next one of any level."""
    return re.split(r"^#+ ", DOCUMENT.partition(f"# {heading}\n")[2], maxsplit=1, flags=re.M)[0]


def first_cells(text: str) -> list[str]:
    """What stands in backquotes in the first column of a text's tables."""
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row)]


def test_every_file_is_described() -> None:
    assert sorted(first_cells(section("Partition maps"))) == sorted([MANIFEST, SHARDS, PARTS_TABLE, STATES])
    assert all(f"`{name}`" in section("Format 1") for name in FORMAT_1_FILES)


def test_every_key_of_the_manifest_is_described() -> None:
    assert first_cells(section("partition.json")) == [*KEYS, *SHARD_KEYS]


def test_every_rule_and_model_is_described() -> None:
    assert first_cells(section("Prefixes")) == list(UNKNOWN_RULES)
    assert all(f"`{model}`" in section("partition.json") for model in map_models())


def test_every_column_of_the_states_is_described() -> None:
    assert first_cells(section(STATES)) == SCHEMA.names
