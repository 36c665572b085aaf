"""Virtual environments of other crawlers, with pinned versions; they are made once and kept."""

import os
import subprocess
import sys
from pathlib import Path

REQUIREMENTS = Path(__file__).parent / "requirements"


def environment(name: str, folder: Path) -> Path:
    """The ``bin`` of an environment in ``folder`` that has what requirements/NAME.txt asks for.

    Raises subprocess.CalledProcessError if it cannot be made.
    """
    wanted = REQUIREMENTS / f"{name}.txt"
    home = folder / f"venv-{name}"
    complete = home / "requirements.txt"
    if not complete.exists() or complete.read_text() != wanted.read_text():
        print(f"making an environment for {name} ...", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(home)], check=True)
        install = [str(home / "bin" / "pip"), "install", "--quiet", "-r", str(wanted)]
        subprocess.run(install, check=True, env=without_our_packages())
        complete.write_text(wanted.read_text())
    return home / "bin"


def without_our_packages() -> dict[str, str]:
    """The environment's variables, but for where this process has its packages from."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
