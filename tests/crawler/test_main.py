"""The command ``cutweb``."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from crawler.commands import crawl
from crawler.config.crawl_options import option_names
from crawler.main import cutweb, main
from sessions.version import software_version
from tests.partition.quality.support.webs import ring


def test_help_names_every_command() -> None:
    result = CliRunner().invoke(cutweb, ["--help"])
    assert result.exit_code == 0
    for command in ("crawl", "info", "check", "web"):
        assert command in result.output


@pytest.mark.parametrize("command", ["crawl", "info", "check", "web"])
def test_every_command_has_help(command: str) -> None:
    result = CliRunner().invoke(cutweb, [command, "--help"])
    assert result.exit_code == 0
    assert command in result.output


def test_an_unknown_command_is_refused() -> None:
    result = CliRunner().invoke(cutweb, ["craw"])
    assert result.exit_code == 2
    assert "craw" in result.output


def test_the_version_is_that_of_the_distribution() -> None:
    assert software_version() in CliRunner().invoke(cutweb, ["--version"]).output


def test_python_m_crawler_is_cutweb_and_its_help_loads_nothing_heavy() -> None:
    code = (
        "import runpy, sys\n"
        "sys.argv = ['cutweb', '--help']\n"
        "try: runpy.run_module('crawler', run_name='__main__')\n"
        "except SystemExit as end: print('exit code', end.code)\n"
        "print('loaded', sorted({'mpi4py', 'numpy', 'pyarrow', 'lxml', 'pycurl', 'rich'} & set(sys.modules)))"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60).stdout
    assert output.startswith("Usage: cutweb")
    assert output.endswith("exit code 0\nloaded []\n")


def test_a_cut_loads_nothing_that_it_does_not_need(tmp_path: Path) -> None:
    words = ["cutweb", "partition", str(ring().session(tmp_path / "session")), "--parts", "2"]
    words += ["--out", str(tmp_path / "map"), "--tolerance", "0.2"]
    code = (
        f"import runpy, sys\nsys.argv = {words!r}\n"
        "try: runpy.run_module('cutweb', run_name='__main__')\n"
        "except SystemExit as end: print('exit code', end.code)\n"
        "print('loaded', sorted({'pandas', 'scipy.optimize'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.endswith("exit code 0\nloaded []\n")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "crawler", *arguments], capture_output=True, text=True, timeout=60)


def test_help_has_a_line_on_every_command_which_is_not_cut_off() -> None:
    lines = CliRunner().invoke(cutweb, ["-h"]).output.splitlines()
    for command in ("crawl", "info", "check", "web"):
        (line,) = [line for line in lines if line.startswith(f"  {command} ")]
        assert line.endswith(".")
        assert not line.endswith("..")


def test_help_for_a_crawl_explains_every_option() -> None:
    done = run("crawl", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    for name in option_names():
        assert {"urls": "[URL...]", "previous": "--from"}.get(name, f"--{name.replace('_', '-')}") in done.stdout
    assert "--config FILE" in done.stdout
    assert "Examples:" in done.stdout
    assert done.stdout.count("cutweb crawl ") >= 3


def test_a_mistake_is_one_line_and_exit_code_2() -> None:
    done = run("crawl", "--no-such-option")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("cutweb crawl: No such option")
    assert done.stderr.count("\n") == 1


def test_a_crawl_goes_to_the_launcher_with_its_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[list[str]] = []
    monkeypatch.setattr(crawl, "crawl", lambda arguments: given.append(arguments) or 7)
    monkeypatch.setattr(sys, "argv", ["cutweb", "crawl", "http://a.example/", "--out", "x"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 7
    assert given == [["http://a.example/", "--out", "x"]]


def test_a_rank_has_no_threads_for_what_it_never_does() -> None:
    code = (
        "import os\n"
        "from crawler.main import set_up_process\n"
        "set_up_process()\n"
        "import numpy\n"
        "print(len(os.listdir('/proc/self/task')))"
    )
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, timeout=60)
    assert done.stdout == "1\n", done.stderr
