"""`cutweb advise`: what it prints and how it exits."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from crawler.main import cutweb
from crawler.replay.advice import Advice, advise
from crawler.replay.advice_answer import answer_of
from partition.models.settings import Settings
from tests.partition.quality.support.webs import ring
from tests.sessions.support.breaking import edit_header


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cutweb, ["advise", *map(str, arguments)], catch_exceptions=False)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ring(80).session(tmp_path_factory.mktemp("webs") / "ring")


@pytest.fixture(scope="module")
def found(session: Path) -> Advice:
    """What is advised for four ranks."""
    return advise(session, 4, cutting=Settings(effort="low"))


@pytest.fixture(scope="module")
def told_as_json(session: Path) -> dict[str, Any]:
    """What is said of it."""
    told: dict[str, Any] = json.loads(run(session, "--ranks", 4, "--effort", "low", "--json").stdout)
    return told


def test_one_recommendation_with_reasons_and_commands(session: Path, found: Advice) -> None:
    done = run(session, "--ranks", 4, "--effort", "low")
    assert (done.exit_code, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == answer_of(found).sentence
    assert lines[0].startswith(f"For 4 ranks take {found.chosen.candidate.model}")
    assert [line for line in lines if line.startswith("  cutweb")] == [f"  {line}" for line in found.commands]
    assert any(line.startswith("- expected, not sure: five times about 16 of the 80") for line in lines)
    assert any(line.startswith("- a page takes ") for line in lines)
    (row,) = (line for line in lines if "(recommended)" in line)
    band = found.chosen.page_ms
    assert f"{band.middle:.3f} ({band.low:.3f} to {band.high:.3f})" in row
    assert any(line.startswith("page-hash") for line in lines)


def test_other_models_are_tried_if_they_are_named(session: Path) -> None:
    asked = ("--ranks", 4, "--effort", "low", "--models", "site-ring,domain-hash", "--json")
    told = json.loads(run(session, *asked).stdout)
    assert [option["model"] for option in told["options"]] == ["page-hash", "domain-hash", "site-ring"]


def test_a_slow_network_makes_what_is_sent_dearer(session: Path, told_as_json: dict[str, Any]) -> None:
    slow = json.loads(run(session, "--ranks", 4, "--effort", "low", "--network", 0.1, "--json").stdout)
    costs = {}
    for network, told in ((1000, told_as_json), (0.1, slow)):
        assert told["prices"]["network_mbit"] == network
        costs[network] = {
            (way["model"], way["unknown_rule"]): way["bands"]["page_ms"]["middle"] for way in told["options"]
        }
    assert all(costs[0.1][way] > costs[1000][way] for way in costs[1000])


def test_as_json(told_as_json: dict[str, Any], found: Advice) -> None:
    told = told_as_json
    assert told["recommended"]["model"] == found.chosen.candidate.model
    assert told["recommended"]["figures"] == found.chosen.figures
    assert told["cheapest"]["model"] == found.cheapest.candidate.model
    assert told["commands"] == found.commands
    assert len(told["options"]) == len(found.options)
    assert (told["ranks"], told["pages"], told["held_out"]) == (4, 80, 16)
    assert told["incomplete"] is None


def test_what_is_not_allowed_is_left_out(session: Path) -> None:
    assert "site left out: 7 parts of 4 sites" in run(session, "--ranks", 7, "--effort", "low").stdout


def test_a_session_that_is_not_complete_is_named(tmp_path: Path) -> None:
    done = run(ring(20).session(tmp_path / "killed", "signal"), "--ranks", 2, "--effort", "low")
    assert done.exit_code == 0
    assert "warning: session killed is not complete: it was stopped by a signal and left 5 URLs queued" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--ranks", 0], "--ranks"),
        (["--ranks", 81], "81 ranks for 80 pages"),
        (["--ranks", 4, "--network", 0], "--network"),
        ([], "--ranks"),
    ],
)
def test_what_cannot_be(session: Path, arguments: list[object], told: str) -> None:
    done = run(session, *arguments)
    assert done.exit_code == 2
    assert told in done.stderr
    assert done.stdout == ""


def test_no_session(tmp_path: Path) -> None:
    done = run(tmp_path / "none", "--ranks", 2)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("cutweb advise: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("key", ["assignment", "configuration", "ranks"])
def test_a_session_that_does_not_say_what_it_is(tmp_path: Path, key: str) -> None:
    broken = ring(8).session(tmp_path / "ring")
    edit_header(broken, lambda header: header.pop(key))
    done = run(broken, "--ranks", 2)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1].endswith(f"cutweb advise: {broken}/session.json: {key} is missing")
    assert "Traceback" not in done.stderr


def test_a_warc_file_is_to_be_imported_first(tmp_path: Path) -> None:
    warc = tmp_path / "web.warc.gz"
    warc.write_bytes(b"")
    done = run(warc, "--ranks", 2)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1].endswith(f"import it first: cutweb import warc {warc} --out DIR")


def test_a_session_without_urls(tmp_path: Path) -> None:
    edges = tmp_path / "edges.txt"
    edges.write_text("".join(f"{page} {(page + step) % 60}\n" for page in range(60) for step in (1, 2)))
    session = tmp_path / "imported"
    CliRunner().invoke(cutweb, ["import", "edges", str(edges), "--out", str(session)], catch_exceptions=False)
    done = run(session, "--ranks", 3, "--effort", "low", "--json")
    told = json.loads(done.stdout)
    assert done.exit_code == 0
    ways = [(option["model"], option["unknown_rule"]) for option in told["options"]]
    assert ways == [("page", "page-hash"), ("url-range", "page-hash"), ("page-hash", None)]
    assert told["held_out"] == 12
    assert any("nothing can be said of new directories" in reason for reason in told["reasons"])
    assert [left["model"] for left in told["left_out"]] == ["site", "prefix", "site-hash"]
    assert {left["reason"] for left in told["left_out"]} == {"the pages have no URLs"}
    assert told["recommended"]["unknown_rule"] in (None, "page-hash")
