"""Compiled functions load no more than they need."""

import subprocess
import sys

CALL = """
import sys
import numpy as np
from sessions.compiled import compiled

compiled(lambda numbers: numbers.sum())(np.ones(3))
assert not [name for name in sys.modules if name.startswith("scipy.linalg")]
from scipy.linalg import inv

assert inv(np.eye(2) * 2)[0, 0] == 0.5
"""


def test_a_compiled_function_loads_no_linear_algebra_and_leaves_it_to_others() -> None:
    done = subprocess.run([sys.executable, "-c", CALL], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
