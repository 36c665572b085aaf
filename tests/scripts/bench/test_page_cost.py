"""What a page costs is kept beside what other scripts have measured."""

import json
from pathlib import Path

from scripts.bench.page_cost import kept_with


def test_figures_of_other_scripts_stay(tmp_path: Path) -> None:
    file = tmp_path / "performance.json"
    file.write_text(json.dumps({"crawls": [1], "growth": {"pages": 2}, "ends": 3}))
    every = kept_with({"crawls": [4], "ruled": [5]}, file)
    assert every == {"crawls": [4], "growth": {"pages": 2}, "ends": 3, "ruled": [5]}
    assert json.loads(file.read_text()) == every
