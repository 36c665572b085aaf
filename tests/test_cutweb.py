"""``import cutweb``: the door for programs."""

import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import cutweb
from sessions.localweb.generate.make import make_web
from sessions.localweb.serve.server import LocalWeb

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> cutweb.Session:
    """A crawl by two ranks of a web of 60 pages, through the door."""
    folder = tmp_path_factory.mktemp("door")
    made = make_web(folder / "web.warc.gz", sites=3, pages=60, seed=7)
    with LocalWeb([folder / "web.warc.gz"]) as web:
        seeds = list(made.seeds)
        quick = {"delay": 0, "server_delay": 0, "superstep": 0.1, "connect_to": [web.connect_to]}
        return cutweb.crawl(seeds, folder / "session", ranks=2, max_pages=50, contact="me@a.example", **quick)


def test_all_that_is_promised_is_there() -> None:
    assert [name for name in cutweb.__all__ if getattr(cutweb, name, None) is None] == []
    assert dir(cutweb) == sorted(cutweb.__all__)
    with pytest.raises(AttributeError, match="no attribute 'crawls'"):
        _ = cutweb.crawls  # type: ignore[attr-defined]


def test_it_knows_its_version() -> None:
    assert cutweb.__version__ == cutweb.software_version()


def test_importing_it_loads_nothing_heavy() -> None:
    code = "import sys, cutweb\nprint(sorted({'mpi4py', 'numpy', 'pyarrow', 'lxml', 'pycurl'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "[]\n"


def test_a_crawl_is_a_session(session: cutweb.Session) -> None:
    assert session.ranks == 2
    assert session.read("pages", ["url"]).num_rows == 50
    findings = cutweb.check_session(session.path)
    assert findings.is_good
    assert re.fullmatch(r"Findings\(good, \d+ things checked\)", repr(findings))


def test_a_map_is_made_and_opened(session: cutweb.Session, tmp_path: Path) -> None:
    made = cutweb.make_partition(session.path, tmp_path / "map", parts=2)
    assert made.parts == 2
    assert repr(made) == f"PartitionMap({str(tmp_path / 'map')!r}, 2 parts, {len(made)} URLs)"
    again = cutweb.make_partition(session.path, tmp_path / "again", parts=2, previous_map=tmp_path / "map")
    assert again.parts == 2
    with pytest.raises(cutweb.GraphError, match="some would be empty"):
        cutweb.make_partition(session.path, tmp_path / "many", parts=5000)
    with pytest.raises(cutweb.SessionError, match="exists and is not empty"):
        cutweb.make_partition(session.path, tmp_path / "map", parts=2)


def test_a_replay_fetches_what_the_crawl_did(session: cutweb.Session, tmp_path: Path) -> None:
    cutweb.make_partition(session.path, tmp_path / "map", parts=2)
    replayed = cutweb.replay(session.path, tmp_path / "replay", ranks=2, partition=tmp_path / "map")
    urls = [set(one.read("pages", ["url"])["url"].to_pylist()) for one in (session, replayed)]
    assert urls[0] == urls[1]


def test_an_estimate_gives_its_figures(session: cutweb.Session, tmp_path: Path) -> None:
    report = cutweb.estimate(session.path, tmp_path / "report", parts="2,4", models="page")
    assert {replay["k"] for replay in report["replays"]} == {2, 4}


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        ({"max_pages": "many"}, 2, "--max-pages"),
        ({"no_such": 1}, 2, "--no-such"),
        ({"scope": "sites"}, 2, "--contact"),
    ],
)
def test_what_cannot_be_done_is_told(tmp_path: Path, options: dict[str, str], code: int, words: str) -> None:
    with pytest.raises(cutweb.RunError, match=words) as raised:
        cutweb.crawl(["http://a.example/"], tmp_path / "session", **options)
    assert raised.value.code == code
    assert not (tmp_path / "session").exists()


def test_the_working_folder_may_hold_packages_of_the_same_names(tmp_path: Path) -> None:
    """As any Scrapy project does; nothing of it is run by ranks."""
    for name in ("crawler", "sessions", "partition", "mpi4py"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit('a stranger')\n")
    code = "import cutweb\ntry: cutweb.crawl([], 'out', ranks=2)\nexcept cutweb.RunError as error: print(error)\n"
    (tmp_path / "program.py").write_text(code)
    command = [sys.executable, "-P", "program.py"]
    environment = {"PYTHONPATH": str(ROOT), "PATH": str(Path(sys.executable).parent)}
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, env=environment)
    assert "no seeds" in done.stdout


@pytest.mark.parametrize("name", ["crawler", "partition", "sessions"])
def test_a_stranger_in_our_place_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text("raise SystemExit('a stranger')\n")
    environment = {"PYTHONPATH": f"{tmp_path}:{ROOT}"}
    command = [sys.executable, "-P", "-m", "cutweb", "--version"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 2
    assert done.stderr.startswith(f"cutweb: the package {name} in '{tmp_path}' hides Cutweb's own: start cutweb")
    assert done.stderr.count("\n") == 1


def test_processes_of_a_command_are_not_strangers_either(session: cutweb.Session, tmp_path: Path) -> None:
    """A quality report's trials are started where a folder partition/ lies."""
    (tmp_path / "partition").mkdir()
    (tmp_path / "partition" / "__init__.py").write_text("raise SystemExit('a stranger')\n")
    command = [Path(sys.executable).parent / "cutweb", "quality", session.path, "--parts", "2", "--models", "page"]
    done = subprocess.run([*command, "--out", "report"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "a stranger" not in done.stderr


def test_an_interrupted_crawl_ends_in_order(tmp_path: Path) -> None:
    """Ctrl-C that only the program gets, as a notebook's kernel does: its session is whole."""
    made = make_web(tmp_path / "web.warc.gz", sites=1, pages=30, seed=2)
    with LocalWeb([tmp_path / "web.warc.gz"]) as web:
        options = {"contact": "me@a.example", "connect_to": web.connect_to, "superstep": 0.1, "epoch_seconds": 1}
        code = f"import cutweb\ncutweb.crawl({[made.seeds[0]]!r}, 'session', **{options!r})\n"
        process = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
        while not list(tmp_path.glob("session/epochs/*")) and process.poll() is None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=0.05)
        process.send_signal(signal.SIGINT)
        said = process.communicate()[1]
    assert "KeyboardInterrupt" in said
    ended = cutweb.Session.open(tmp_path / "session").ended
    assert (ended or {}).get("reason") == "signal", said
    assert cutweb.check_session(tmp_path / "session").is_good


def test_the_documented_example_runs(tmp_path: Path) -> None:
    """As it stands in docs/library.md, but for where the web of a.example is served."""
    (example,) = (ROOT / "docs" / "library.md").read_text().split("```python\n")[1:]
    code = example.partition("```")[0]
    made = make_web(tmp_path / "web.warc.gz", sites=1, pages=30, seed=2)
    with LocalWeb([tmp_path / "web.warc.gz"]) as web:
        here = f'{made.seeds[0]!r}], "session", connect_to={web.connect_to!r}, delay=0, server_delay=0,'
        code = code.replace('"http://a.example/"], "session",', here)
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Session('session', 2 ranks, ")
