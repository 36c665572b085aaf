"""Scripts import each other by their bare names, as they do when they are run."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "scripts"))
