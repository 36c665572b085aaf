"""The options of a crawl that goes on."""

import json
from pathlib import Path
from typing import Any

import pytest

from crawler.config.command_line import UsageError, parsed
from crawler.config.crawl_options import CrawlOptions
from crawler.launch.plan import plan
from crawler.launch.resume_plan import plan_to_resume
from tests.partition.map.support.maps import make_map

SEED = "http://a.example/"
BEGUN: dict[str, Any] = {"delay": 0.25, "assign": "page-hash", "include": ("x", "y")}


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    """A session that was begun with some options."""
    options = CrawlOptions(
        urls=(SEED,),
        out=tmp_path / "session",
        contact="me@a.example",
        scope="all",
        delay=0.25,
        assign="page-hash",
        include=("x", "y"),
    )
    plan(options, 2)
    return tmp_path / "session"


def resumed(*arguments: str) -> CrawlOptions:
    options = parsed(list(arguments))
    assert isinstance(options, CrawlOptions)
    return options


def refused(*arguments: str) -> str:
    with pytest.raises(UsageError) as caught:
        parsed(list(arguments))
    return str(caught.value)


def test_options_are_those_that_the_session_was_begun_with(begun: Path) -> None:
    options = resumed("--resume", str(begun))
    assert options.is_resumed
    assert (options.out, options.ranks, options.delay, options.assign) == (begun, 2, 0.25, "page-hash")
    assert options.include == ("x", "y")


def test_what_is_given_wins(begun: Path) -> None:
    options = resumed("--resume", str(begun), "--delay", "3", "--ranks", "5", "--max-pages", "9")
    assert (options.delay, options.ranks, options.max_pages, options.assign) == (3.0, 5, 9, "page-hash")


def test_under_a_launcher_there_are_as_many_ranks_as_it_started(begun: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PMI_RANK", "0")
    assert resumed("--resume", str(begun)).ranks is None


def test_another_assignment_takes_the_place_of_the_recorded_one(begun: Path, tmp_path: Path) -> None:
    make_map(tmp_path / "map")
    options = resumed("--resume", str(begun), "--partition", str(tmp_path / "map"))
    assert (options.partition, options.assign, options.unknown) == (tmp_path / "map", None, None)


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["http://b.example/"], "seed URLs"),
        (["--seeds", "more.txt"], "--seeds"),
        (["--out", "elsewhere"], "--out"),
        (["--scope", "sites"], "--scope"),
        (["--from", "another"], "--from"),
    ],
)
def test_what_a_session_keeps_cannot_be_given(begun: Path, arguments: list[str], what: str) -> None:
    assert f"{what} cannot be changed while a session goes on" in refused("--resume", str(begun), *arguments)


def test_what_a_session_keeps_may_be_given_as_it_was(begun: Path) -> None:
    same = [SEED, "--out", str(begun), "--scope", "all", "--delay", "2"]
    options = resumed("--resume", str(begun), *same)
    assert (options.is_resumed, options.out, options.delay) == (True, begun, 2.0)


def test_a_configuration_file_cannot_be_given(begun: Path, tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text("delay = 1.0\n")
    for order in (["--resume", str(begun), "--config"], ["--config"]):
        arguments = [*order, str(tmp_path / "c.toml"), *([] if "--resume" in order else ["--resume", str(begun)])]
        assert "contradict each other" in refused(*arguments)


def test_what_is_no_session_is_refused(tmp_path: Path) -> None:
    assert "session.json: no such file" in refused("--resume", str(tmp_path))


@pytest.mark.parametrize("absent", [True, False])
def test_a_session_from_before_the_rules_were_the_default_goes_on_without_them(begun: Path, absent: bool) -> None:
    """Its header says nothing of them, or what their defaults were."""
    header = json.loads((begun / "session.json").read_text())
    for name, former in {"traps": False, "max_pages_per_site": None, "max_pages_per_domain": None}.items():
        header["configuration"][name] = former
        if absent:
            del header["configuration"][name]
    del header["configuration"]["scope"]
    (begun / "session.json").write_text(json.dumps(header))
    options = resumed("--resume", str(begun))
    assert not options.traps
    assert options.max_pages_per_site is options.max_pages_per_domain is None
    given = resumed("--resume", str(begun), "--traps", "--max-pages-per-site", "7")
    assert (given.traps, given.max_pages_per_site, given.max_pages_per_domain) == (True, 7, None)
    assert plan_to_resume(options, 2).options.max_pages_per_site is None


def test_a_session_goes_on_with_the_rules_that_it_began_with(begun: Path) -> None:
    options = resumed("--resume", str(begun))
    assert (options.traps, options.max_pages_per_site, options.max_pages_per_domain) == (True, 100_000, 1_000_000)
