"""The wheel, installed outside the checkout: it holds all that is needed, and two ranks crawl with it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sessions.localweb.generate.make import make_web
from sessions.localweb.serve.server import LocalWeb

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("cutweb", "crawler", "partition", "sessions")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel's files and nothing else; what it depends on comes from the running Python."""
    folder = tmp_path_factory.mktemp("wheel")
    for package in (*PACKAGES, "slurm"):  # built from a copy: what lies in build/ of a checkout would come along
        shutil.copytree(ROOT / package, folder / "source" / package, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder / "source")
    for command in (
        ("wheel", str(folder / "source"), "--no-deps", "--wheel-dir", str(folder)),
        ("install", "--no-deps", "--no-index", "--find-links", str(folder), "--target", str(folder / "site"), "cutweb"),
    ):
        subprocess.run([sys.executable, "-m", "pip", "--quiet", *command], check=True, capture_output=True, timeout=300)
    return folder / "site"


def run(installed: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"PYTHONPATH": str(installed), "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}
    command = [sys.executable, "-P", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, env=environment, timeout=120)


def test_its_packages_are_all_there_and_typed(installed: Path, tmp_path: Path) -> None:
    for package in PACKAGES:
        where = run(installed, tmp_path, "-c", f"import {package}; print({package}.__file__)").stdout
        assert Path(where.strip()).is_relative_to(installed)
        assert (installed / package / "py.typed").exists()
        of_checkout = {path.relative_to(ROOT) for path in (ROOT / package).rglob("*.py")}
        assert {path.relative_to(installed) for path in (installed / package).rglob("*.py")} == of_checkout
    assert (installed / "slurm" / "crawl.sbatch").exists()


def test_two_ranks_crawl_with_it_beside_strangers(installed: Path, tmp_path: Path) -> None:
    made = make_web(tmp_path / "web.warc.gz", sites=3, pages=40, seed=3)
    (tmp_path / "crawler").mkdir()
    (tmp_path / "crawler" / "__init__.py").write_text("raise SystemExit('a stranger')\n")
    with LocalWeb([tmp_path / "web.warc.gz"]) as web:
        where = ["--connect-to", web.connect_to, "--contact", "me@a.example", "--scope", "sites"]
        pace = ["--delay", "0", "--server-delay", "0", "--superstep", "0.1"]
        cutweb = str(installed / "bin" / "cutweb")
        run(installed, tmp_path, cutweb, "crawl", *made.seeds, "--out", "session", "--ranks", "2", *where, *pace)
    assert "session: good; " in run(installed, tmp_path, cutweb, "check", "session").stdout
