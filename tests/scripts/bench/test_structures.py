"""The loads of the bench of structures: each puts into its structure what it says, and is measured."""

from pathlib import Path

import pytest

from scripts.bench.structure_loads import LOADS, Spent
from scripts.irlbot.structures_section import structures_section


@pytest.mark.parametrize("structure", LOADS)
def test_a_structure_takes_its_load(tmp_path: Path, structure: str) -> None:
    spent = Spent()
    LOADS[structure](tmp_path, 5000, spent)
    assert spent.cpu > 0


def test_ratios_are_those_of_one_structure() -> None:
    rows = [
        {"structure": name, "entries": entries, "cpu": cpu, "read": 0, "written": 5 * entries, "grown": 1 << 20}
        for name, entries, cpu in (("bfs", 1000, 0.001), ("bfs", 2000, 0.003), ("sent", 1000, 0.004))
    ]
    told = structures_section({"rows": rows, "memory": 32 << 20, "domains": 9, "machine": "a machine"})
    assert "| bfs | 1,000 | 1.00 | - | 0.0 | 5.0 | 1 |\n| bfs | 2,000 | 1.50 | 1.50 |" in told
    assert "| sent | 1,000 | 4.00 | - |" in told
