"""Arrow imports pandas at its first conversion, but not where it is kept from that."""

import subprocess
import sys

import pytest

_CONVERT = "import pyarrow as pa; pa.array([0]); print('pandas' in sys.modules)"


@pytest.mark.parametrize(("how", "is_loaded"), [("if True:", True), ("with without_pandas():", False)])
def test_a_conversion_loads_it_unless_it_is_kept_away(how: str, is_loaded: bool) -> None:
    code = f"import sys\nfrom sessions.storage.without_pandas import without_pandas\n{how} {_CONVERT}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == f"{is_loaded}\n"


def test_it_can_be_imported_afterwards() -> None:
    code = (
        "import pyarrow\n"
        "from sessions.storage.without_pandas import without_pandas\n"
        "with without_pandas():\n"
        "    pyarrow.array([0])\n"
        "    try: import pandas\n"
        "    except ModuleNotFoundError: print('absent')\n"
        "print(type(pyarrow.table({'a': [1]}).to_pandas()).__name__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "absent\nDataFrame\n"
