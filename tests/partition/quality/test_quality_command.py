"""`cutweb quality`: what it prints and how it exits."""

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from crawler.commands import quality
from crawler.main import cutweb
from partition.choices import OBJECTIVES, UNKNOWN_RULES
from partition.cut.effort import EFFORTS
from partition.quality.request import ALL_MODELS, QualityRequest
from tests.partition.quality.support.webs import ring
from tests.partition.twoma.support.crawled import crawled, pages_of


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cutweb, ["quality", *map(str, arguments)], catch_exceptions=False)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ring().session(tmp_path_factory.mktemp("webs") / "ring")


def test_a_report(session: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    models = "site,page-hash"
    done = run(session, "--parts", "5,3", "--models", models, "--seeds", 1, "--seed", 4, "--jobs", 2, "--out", out)
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    answer, *_, volume, head, of_3, of_5, last = lines
    assert "known pages of" in answer
    assert f"  cutweb advise {session} --ranks 5" in lines
    assert volume.startswith("Volume, ")
    assert head.split() == ["K", "site", "page-hash"]
    assert [line.split()[0] for line in (of_3, of_5)] == ["3", "5"]
    assert of_5.split()[1] == "-"
    assert last == f"report: {out}/report.html"
    assert done.stderr == "note: site at K=5 left out: there are 4 sites, so some parts would be empty\n"
    request = json.loads((out / "report.json").read_text())["request"]
    assert (request["parts"], request["seeds"], request["jobs"]) == ([3, 5], [4], 2)
    assert request["models"] == ["site", "page-hash"]


def test_shares_of_ranks(session: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    asked = ("--parts", 2, "--models", "url-range", "--rank-shares", "3,1")
    assert run(session, *asked, "--out", out).exit_code == 0
    report = json.loads((out / "report.json").read_text())
    settings = report["request"]["settings"]
    assert (settings["shares"], settings["shares_are_measured"]) == ([3, 1], False)
    assert "75.0%, 25.0%, as given" in (out / "report.html").read_text()
    (trial,) = report["trials"]
    assert trial["figures"]["requests_imbalance"] < 0.3


def test_any_weights_are_balanced(session: Path, tmp_path: Path) -> None:
    """Only those that are asked for decide what is beyond the tolerance; all are shown."""
    out, seconds = tmp_path / "out", tmp_path / "seconds.tsv"
    seconds.write_text("site\tseconds\nsite0.example\t0.5\nsite1.example\t2\n")
    asked = ("--parts", 2, "--models", "page,site-hash", "--effort", "low", "--balance", "links=0.4,seconds")
    done = run(session, *asked, "--seconds", seconds, "--tolerance", 0.5, "--out", out)
    assert done.exit_code == 0
    assert "above the mean of links or of seconds" in " ".join(done.stdout.split())
    report = json.loads((out / "report.json").read_text())
    assert report["request"]["settings"]["balance"] == {"links": 0.4, "seconds": None}
    assert report["request"]["site_seconds"] == str(seconds)
    figures = next(trial["figures"] for trial in report["trials"] if trial["model"] == "page")
    assert figures["links_imbalance"] <= 0.4
    assert figures["seconds_imbalance"] <= 0.5
    assert "storage_imbalance" in figures
    page = (out / "report.html").read_text()
    assert "40% of links, 50% of seconds" in page
    assert "Imbalance of seconds" in page


def test_seconds_are_balanced_as_they_were_measured(tmp_path: Path) -> None:
    fetches = [fetch for site in range(8) for fetch in pages_of(f"s{site}.example", site % 3, 4, 100.0 * (1 + site))]
    timed, out = crawled(tmp_path / "crawl", fetches, 3), tmp_path / "out"
    asked = ("--parts", 2, "--models", "page", "--effort", "low", "--balance", "bytes,requests,seconds")
    done = run(timed, *asked, "--tolerance", 0.3, "--out", out)
    assert (done.exit_code, done.stderr) == (0, "")
    report = json.loads((out / "report.json").read_text())
    assert report["trials"][0]["figures"]["seconds_imbalance"] <= 0.3


def test_seconds_that_nobody_measured(tmp_path: Path) -> None:
    untimed = crawled(tmp_path / "crawl", pages_of("a.example", 0, 4, None))
    done = run(untimed, "--parts", 2, "--balance", "seconds", "--out", tmp_path / "out")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "no page has its time on record" in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--parts", "8,x"], "'x' is not a whole number from 1 to 65,535, as in 8,16,32"),
        (["--parts", ""], "'' is not a whole number from 1 to 65,535"),
        (["--parts", "0,4"], "'0' is not a whole number from 1 to 65,535"),
        (["--models", "page,hash"], "'hash' is not one of page, site, prefix"),
        (["--seeds", "0"], "--seeds"),
        (["--unknown", "me"], "--unknown"),
        (["--rank-shares", "2,1"], "--rank-shares are those of one number of ranks; name it with --parts"),
        (["--rank-shares", "2,1", "--parts", "3"], "--rank-shares: 2 numbers for 3 parts"),
        (["--rank-shares", "measured", "--parts", "3"], "was crawled by K = 1, which says nothing of 3 ranks"),
    ],
)
def test_options_that_make_no_sense(session: Path, tmp_path: Path, arguments: list[str], told: str) -> None:
    done = run(session, "--out", tmp_path / "out", *arguments)
    assert done.exit_code == 2
    assert told in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_no_session_is_one_line(tmp_path: Path) -> None:
    done = run(tmp_path / "none", "--out", tmp_path / "out")
    assert (done.exit_code, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"cutweb quality: {tmp_path}/none/session.json: no such file")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_empty_is_one_line(session: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").touch()
    done = run(session, "--out", tmp_path)
    assert done.exit_code == 2
    assert done.stderr.splitlines() == [
        f"cutweb quality: {tmp_path}: exists and is not empty; name a new folder, or remove this one"
    ]


def test_help_explains_every_option_and_has_examples() -> None:
    shown = run("--help").stdout
    names = "parts models out seeds seed jobs tolerance objective effort unknown"
    assert all(f"--{name} " in shown for name in names.split())
    assert shown.count("cutweb quality ") >= 3


def test_what_the_command_names_is_what_there_is() -> None:
    options = {option.name: option for option in quality.quality.params}
    assert options["models"].type.convert("all", None, None) == ALL_MODELS
    assert tuple(options["unknown"].type.choices) == tuple(UNKNOWN_RULES)
    assert tuple(options["objective"].type.choices) == OBJECTIVES
    assert list(options["effort"].type.choices) == list(EFFORTS)
    defaults = QualityRequest()
    assert options["tolerance"].default == defaults.settings.tolerance
    assert options["parts"].default == ",".join(map(str, defaults.parts))
    assert options["seeds"].default == len(defaults.seeds)
    assert options["models"].default == ",".join(defaults.models)


def test_the_command_loads_quickly() -> None:
    code = "import sys, crawler.commands.quality; print(*sys.modules)"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not {"pyarrow", "rich", "numpy", "numba", "scipy"} & set(printed.split())


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, *(pytest.param(one, marks=pytest.mark.long) for one in (signal.SIGINT, signal.SIGHUP))]
)
def test_a_signal_leaves_nothing(session: Path, tmp_path: Path, number: int) -> None:
    command = [sys.executable, "-m", "crawler", "quality", session, "--parts", "4", "--seeds", "1000"]
    command += ["--models", "page", "--out", tmp_path / "out"]
    terminal, its_end = pty.openpty()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=its_end, text=True) as process:
        try:
            os.close(its_end)
            shown = b""
            while b" of 1000 trials done" not in shown:
                shown += os.read(terminal, 4096)
            process.send_signal(number)
            told, _ = process.communicate(timeout=60)
        finally:
            process.kill()
            os.close(terminal)
    assert (process.returncode, told) == (128 + number, "")
    assert b"Traceback" not in shown
    assert list(tmp_path.iterdir()) == []


def test_a_session_that_is_not_complete_is_named(tmp_path: Path) -> None:
    killed, out = ring().session(tmp_path / "killed", "max-pages"), tmp_path / "out"
    done = run(killed, "--parts", 2, "--models", "page-hash", "--seeds", 1, "--out", out)
    line = "session killed is not complete: it ended at its limit max-pages and left 5 URLs queued"
    assert f"warning: {line}" in done.stderr.splitlines()
    assert line in (out / "report.html").read_text()
    assert json.loads((out / "report.json").read_text())["warnings"] == [line]
