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


def test_ratios_are_those_of_one_structure_on_one_machine() -> None:
    rows = [
        {
            "structure": name,
            "entries": entries,
            "machine": machine,
            "cpu": cpu,
            "read": 0,
            "written": 5 * entries,
            "grown": 1 << 20,
        }
        for name, entries, machine, cpu in (
            ("bfs", 1000, "slow", 0.001),
            ("bfs", 2000, "slow", 0.003),
            ("sent", 1000, "slow", 0.004),
            ("sent", 2000, "fast", 0.004),
        )
    ]
    told = structures_section({"rows": rows, "memory": 32 << 20, "domains": 9})
    assert "on a: slow; b: fast." in " ".join(told.split())
    assert "| bfs | 1,000 | a | 1.00 | - | 0.0 | 5.0 | 1 |\n| bfs | 2,000 | a | 1.50 | 1.50 |" in told
    assert "| sent | 1,000 | a | 4.00 | - |" in told
    assert "| sent | 2,000 | b | 2.00 | - |" in told
