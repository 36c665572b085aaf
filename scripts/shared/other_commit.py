"""The project as it was at another commit, so that both are measured in one run."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def code_at(commit: str, folder: Path) -> Path:
    """A folder in ``folder`` with the files of a commit.  Raises subprocess.CalledProcessError if there is no such."""
    code = folder / f"code-{named(commit)}"
    if not code.exists():
        code.mkdir(parents=True)
        archive = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, capture_output=True).stdout
        subprocess.run(["tar", "-x", "-C", str(code)], input=archive, check=True)
    return code


def named(commit: str = "HEAD") -> str:
    """A commit's short name; of HEAD with a + where files differ from it."""
    describe = ["git", "describe", "--always", "--exclude=*", *(["--dirty=+"] if commit == "HEAD" else [commit])]
    return subprocess.run(describe, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
