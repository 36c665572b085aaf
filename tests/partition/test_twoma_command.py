"""`cutweb partition --model twoma`: what it says, and what it refuses in one line, with nothing written."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from crawler.commands import partition
from crawler.main import cutweb
from partition.choices import DURATIONS, LEARNERS, map_models
from partition.map.partition_map import PartitionMap
from partition.twoma.learner import LearnerSettings
from partition.twoma.site_states import STATES
from tests.partition.twoma.support.crawled import crawled, pages_of
from tests.sessions.support.breaking import edit_header


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cutweb, ["partition", *map(str, arguments)], catch_exceptions=False)


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """Eight sites of four pages, half of them at each rank; of each rank two are slow."""
    fetches = [
        fetch for site in range(8) for fetch in pages_of(f"s{site}.example", site % 2, 4, 300.0 if site < 4 else 100.0)
    ]
    return crawled(tmp_path / "crawl", fetches)


def test_what_is_said_of_it(session: Path, tmp_path: Path) -> None:
    done = run(session, "--parts", 2, "--model", "twoma", "--out", tmp_path / "map")
    assert (done.exit_code, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == (
        "learnt by twoma (relative durations, states 0 to 5) from 1 session: of 8 sites 8 were measured in this one, "
        "8 are new, and 4 go to another rank"
    )
    assert lines[1].startswith("expected seconds of requests, each page at its rank: ")
    assert lines[2].startswith(f"{tmp_path / 'map'}: 32 pages in 2 parts by twoma; imbalance of these")
    settings = PartitionMap.open(tmp_path / "map").manifest.origin.settings
    asked = {name: settings[name] for name in ("learn", "duration", "states", "runs")}
    assert asked == {"learn": "twoma", "duration": "relative", "states": 5, "runs": 1}


def test_options_reach_the_learner(session: Path, tmp_path: Path) -> None:
    words = ("--learn", "twoma", "--duration", "site", "--states", 2, "--seed", 7, "--html", tmp_path / "page.html")
    done = run(session, "--parts", 2, "--model", "twoma", "--out", tmp_path / "map", *words)
    assert (done.exit_code, done.stderr) == (0, "")
    origin = PartitionMap.open(tmp_path / "map").manifest.origin
    assert (origin.seed, origin.settings["duration"], origin.settings["states"]) == (7, "site", 2)
    assert "by twoma (site durations, states 0 to 2)" in (tmp_path / "page.html").read_text()


def test_it_goes_on_from_its_own_map(session: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    assert run(session, "--parts", 2, "--model", "twoma", "--out", first).exit_code == 0
    words = ("--previous-map", first, "--learn", "settling")
    done = run(session, "--parts", 2, "--model", "twoma", "--out", second, *words)
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.startswith("learnt by settling from 2 sessions: of 8 sites 8 were measured in this one, 0 are")


def test_an_unknown_rule_that_tears_sites_is_warned_of(session: Path, tmp_path: Path) -> None:
    words = ("--parts", 2, "--model", "twoma", "--unknown")
    done = run(session, *words, "page-hash", "--out", tmp_path / "spread")
    assert done.exit_code == 0
    assert "warning: --unknown page-hash gives new URLs of one site to several ranks" in done.stderr
    assert run(session, *words, "hash", "--out", tmp_path / "hash").stderr == ""
    assert PartitionMap.open(tmp_path / "hash").manifest.unknown == "hash"


def test_a_rank_without_sites_is_warned_of(tmp_path: Path) -> None:
    session = crawled(tmp_path / "crawl", pages_of("a.example", 0, 3))
    done = run(session, "--parts", 2, "--model", "twoma", "--out", tmp_path / "map")
    assert done.exit_code == 0
    assert "warning: 1 of the 2 ranks have no page: no site belongs there" in done.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        *(
            (
                [f"--{name}", value],
                f"--{name} is for a model that is learnt (twoma), or for one that is cut with --time-cost X; leave it "
                "out, or name one of the two",
            )
            for name, value in (("learn", "twoma"), ("states", "5"), ("duration", "page"))
        ),
        (
            ["--model", "twoma", "--balance", "requests"],
            "--balance is for models that are cut, and --model twoma is learnt; leave one of the two out",
        ),
        (
            ["--model", "twoma", "--learn", "try-all", "--duration", "page"],
            "--duration is for --learn twoma, and --learn try-all has none; leave it out",
        ),
        (
            ["--model", "twoma", "--ranks", "2"],
            "--ranks: the model twoma is cut by one process; leave --ranks out, or take --model page, site or prefix",
        ),
    ],
)
def test_options_that_the_model_does_not_heed(session: Path, tmp_path: Path, words: list[str], told: str) -> None:
    done = run(session, "--parts", 2, "--out", tmp_path / "map", *words)
    assert (done.exit_code, done.stdout, done.stderr) == (2, "", f"cutweb partition: {told}\n")
    assert not (tmp_path / "map").exists()


def _of_other_ranks(folder: Path) -> list[object]:
    run(folder / "crawl", "--parts", 3, "--model", "url-range", "--out", folder / "three")
    crawled(folder / "by-three", pages_of("a.example", 0, 3), 3)
    run(folder / "by-three", "--parts", 3, "--model", "twoma", "--out", folder / "other")
    return ["--previous-map", folder / "other"]


def _damaged(folder: Path) -> list[object]:
    run(folder / "crawl", "--parts", 2, "--model", "twoma", "--out", folder / "other")
    path = folder / "other" / STATES
    path.write_bytes(path.read_bytes()[:-20])
    return ["--previous-map", folder / "other"]


def _of_pages(folder: Path) -> list[object]:
    run(folder / "crawl", "--parts", 2, "--model", "page", "--out", folder / "other", "--effort", "low")
    return ["--previous-map", folder / "other"]


def _imported(folder: Path) -> list[object]:
    edit_header(folder / "crawl", lambda header: header["configuration"].update({"import": "edges"}))
    return []


def _replayed(folder: Path) -> list[object]:
    edit_header(folder / "crawl", lambda header: header["configuration"].update(replay={"latency": None}))
    return []


@pytest.mark.parametrize(
    ("prepare", "told"),
    [
        (_of_other_ranks, "other: has 3 parts, which says nothing of 2 ranks; name a map of 2"),
        (_damaged, "other/states.parquet: is "),
        (_of_pages, "other: is a map of --model page; --model twoma goes on from one of model twoma or site"),
        (_imported, "crawl: was imported and not crawled, so no rank's times were measured; crawl it, or replay it"),
        (_replayed, "crawl: was replayed without --latency, so its times are not those of its ranks; replay it with"),
    ],
)
def test_what_cannot_be_learnt_from(
    session: Path, tmp_path: Path, prepare: Callable[[Path], list[object]], told: str
) -> None:
    words = prepare(tmp_path)
    done = run(session, "--parts", 2, "--model", "twoma", "--out", tmp_path / "map", *words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"cutweb partition: {tmp_path}/{told}")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "map").exists()


def test_what_the_command_names_is_what_there_is() -> None:
    options = {option.name: option for option in partition.partition.params}
    assert tuple(options["model"].type.choices) == map_models()
    assert tuple(options["learn"].type.choices) == tuple(LEARNERS)
    assert tuple(options["duration"].type.choices) == tuple(DURATIONS)
    usual = LearnerSettings()
    assert options["learn"].default == usual.learner
    assert options["duration"].default == usual.duration
    assert options["states"].default == usual.innermost
