"""What ``cutweb replay`` is asked for, and what contradicts itself."""

import shutil
from pathlib import Path

import pytest

from crawler.config.command_line import UsageError
from crawler.exchange.parallel_modes import CROSS_OVER, FIREWALL
from crawler.replay.command_line import models_of, parsed, settings_of
from crawler.replay.replay_options import REPLAY_MODELS, ReplayOptions
from crawler.replay.settings import ReplaySettings
from partition.choices import usual_models
from partition.map.manifest import read_manifest
from tests.crawler.replay.support.recorded import URLS, Drawn, Fetched, write
from tests.mpi.maps import write_random_map
from tests.sessions.support.breaking import edit_header


def session_by(path: Path, assignment: str) -> Path:
    pages = [Fetched(URLS[0], 1, 0, 0, {URLS[1]: 0}), Fetched(URLS[1], 2, 1, 0, {})]
    return write(path, Drawn(False, [URLS[:4], []], [pages, []], [{}, {}]), assignment=assignment)


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return session_by(tmp_path / "session", "page-hash")


def asked(*arguments: object) -> ReplayOptions:
    options = parsed([str(argument) for argument in (*arguments, "--out", "replayed")])
    assert isinstance(options, ReplayOptions)
    return options


def test_everything_that_is_asked_for_is_understood(session: Path) -> None:
    words = "--assign site-hash --mode cross-over --max-pages 7 --pages-per-superstep 3 --ranks 2"
    options = asked(session, *words.split())
    assert (options.sessions, options.out, options.ranks) == ((session,), Path("replayed"), 2)
    assert (options.assign, options.latency) == ("site-hash", None)
    assert settings_of(options) == ReplaySettings(3, CROSS_OVER, 0, 7)
    assert settings_of(asked(session)) == ReplaySettings()
    assert settings_of(asked(session, "--replicate", "9")).replicated == 9
    words = "--latency 0.1+1e6/s --superstep 9 --connections 2 --delay 3 --server-delay 4"
    options = asked(session, *words.split())
    assert (options.latency, options.superstep, options.connections) == ("0.1+1e6/s", 9.0, 2)
    assert (options.delay, options.server_delay) == (3.0, 4.0)
    assert asked(session, "--bodies", "--no-estimate", "--epoch-seconds", "9").bodies


def test_models_are_those_named_or_the_assignment_or_all(session: Path) -> None:
    assert models_of(asked(session, "--estimate", "--parts", "2", "--models", "page,site-hash")) == (
        "page",
        "site-hash",
    )
    assert models_of(asked(session, "--estimate", "--parts", "2", "--assign", "page-hash")) == ("page-hash",)
    assert models_of(asked(session, "--estimate", "--parts", "2")) == ("page-hash",)  # as recorded
    assert models_of(asked(session, "--from", session, "--parts", "2")) == usual_models()
    options = asked(
        session, "--estimate", "--parts", "2", "--models", "page,page-hash", "--effort", "low", "--no-bodies"
    )
    assert options.effort == "low"


def test_lists_are_read_once_each_and_all_is_all(session: Path) -> None:
    options = asked(session, "--estimate", "--parts", "8, 2,8", "--models", "site-hash,page,page")
    assert (options.parts, options.models) == ((8, 2), ("site-hash", "page"))
    options = asked(session, "--from", session, "--parts", "2", "--models", "all", "--unknown", "all")
    assert options.models == REPLAY_MODELS
    assert set(options.unknown or ()) == {"prefix", "site", "hash", "page-hash", "directory", "discoverer"}
    assert asked(session, session, "--from", session, "--parts", "2").sessions == (session, session)


@pytest.mark.parametrize("assignment", ["page-hash", "site-hash"])
def test_unless_said_otherwise_urls_are_owned_as_they_were(tmp_path: Path, assignment: str) -> None:
    assert asked(session_by(tmp_path / "session", assignment)).assign == assignment


def test_a_map_is_used_again_with_its_rule(tmp_path: Path) -> None:
    session, folder = session_by(tmp_path / "session", "page-partition/hash"), tmp_path / "map"
    write_random_map(folder, URLS, 2)
    edit_header(session, lambda header: header["configuration"].update(partition=str(folder), unknown="hash"))
    options = asked(session)
    assert (options.assign, options.partition, options.unknown) == (None, folder, ("hash",))
    assert asked(session, "--unknown", "site").unknown == ("site",)
    assert asked(session, "--assign", "page-hash").partition is None
    assert asked(session, "--partition", "other").unknown is None
    shutil.rmtree(folder)
    with pytest.raises(UsageError, match=r"was crawled with the partition .*map, which is gone"):
        asked(session)


def test_a_map_is_not_taken_for_another_in_its_place(tmp_path: Path) -> None:
    session, folder = session_by(tmp_path / "session", "page-partition/hash"), tmp_path / "map"
    write_random_map(folder, URLS, 2)
    identity = read_manifest(folder).identity
    facts = {"partition": str(folder), "unknown": "hash", "partition_identity": identity}
    edit_header(session, lambda header: header["configuration"].update(facts))
    assert asked(session).partition == folder
    shutil.rmtree(folder)
    write_random_map(folder, URLS, 3)
    with pytest.raises(UsageError, match=r"map is not the map that .*session was crawled with: name --partition$"):
        asked(session)
    (folder / "partition.json").write_text("{")
    with pytest.raises(UsageError, match=r"partition.json: not JSON .* was crawled with it: name --partition"):
        asked(session)


def test_the_map_of_an_older_session_is_found_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has the path as it was typed, and neither the map's identity nor, if it is damaged, the rule."""
    session = session_by(tmp_path / "session", "page-partition")
    edit_header(session, lambda header: header["configuration"].update(partition="map"))
    edit_header(session, lambda header: header["configuration"].pop("unknown", None))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="was crawled with the partition map, which is gone"):
        asked(session)
    write_random_map(tmp_path / "elsewhere" / "map", URLS, 3)
    assert asked(session).partition == Path("map")
    write_random_map(tmp_path / "map", URLS, 2)
    options = asked(session)
    assert options.partition is not None
    assert options.partition.samefile(tmp_path / "map")
    assert options.unknown is None, "as the map says"


def test_an_import_was_owned_by_nobody(tmp_path: Path) -> None:
    session = session_by(tmp_path / "session", "imported")
    assert (asked(session).assign, asked(session).partition) == (None, None)
    assert asked("never-there.warc.gz").assign is None


OF_LATENCY = ("--superstep", "--connections", "--delay", "--server-delay")
OF_CUTTING = (("--objective", "links"), ("--tolerance", "0.05"), ("--effort", "normal"), ("--seed", "1"))
OF_RANKS = [
    (way, option)
    for way in (["--estimate"], ["--from", "b"])
    for option in (
        *("--bodies", "--ranks 2", "--epoch-seconds 60"),
        *("--frontier-memory 9", "--sent-memory 9", "--scratch d"),
    )
]
CONTRADICTIONS = [
    ([], "no session"),
    (["a", "b"], "several sessions are replayed only in comparison"),
    (["a", "--mode", FIREWALL, "--replicate", "3"], "--replicate says what need not be sent, but with --mode firewall"),
    (["a", "--mode", CROSS_OVER, "--replicate", "3"], "--replicate says what need not be sent"),
    (["a", "--latency", "1", "--from", "b", "--parts", "2"], "--latency is not for --from"),
    (["a", "--delay", "1", "--from", "b", "--parts", "2"], "--delay is not for --from"),
    (["a", "--estimate", "--order", "budget", "--parts", "2"], "--order budget needs --latency or a replay under MPI"),
    (["a", "--estimate"], "--parts K,... is missing"),
    (["a", "--from", "b"], "--parts K,... is missing"),
    (["a", "--partition", "m", "--assign", "page-hash"], "--partition names an assignment, and so do --assign"),
    (["a", "--from", "b", "--parts", "2", "--assign", "page-hash"], "--from makes the partitions itself"),
    (["a", "--parts", "3"], "--parts belongs to --estimate and --from"),
    (["a", "--models", "page"], "--models belongs to --estimate and --from"),
    (["a", "--estimate", "--partition", "m", "--parts", "3"], "m/partition.json: no such file"),
    (["a", "--estimate", "--partition", "m", "--seed", "1"], "--seed says how models cut a session"),
    (["a", "--estimate", "--parts", "3", "--assign", "page-hash", "--models", "page"], "and so does --assign"),
    (["a", "--estimate", "--parts", "3", "--unknown", "site"], "--unknown is about partition maps, but a hash"),
    (["a", "--from", "b", "--parts", "3", "--models", "page-hash", "--effort", "low"], "--effort is about partition"),
    *(
        (["a", *way, "--parts", "2", *option.split()], f"{option.split()[0]} needs a replay under MPI")
        for way, option in OF_RANKS
    ),
    *((["a", option, "1"], f"{option} needs --latency: ") for option in OF_LATENCY),
    *((["a", "--estimate", "--parts", "2", option, "1"], f"{option} needs --latency: ") for option in OF_LATENCY),
    (["a", "--latency", "1", "--pages-per-superstep", "1000"], "--pages-per-superstep contradicts --latency"),
    *((["a", option, value], f"{option} belongs to --estimate and --from, where") for option, value in OF_CUTTING),
    (["a", "--unknown", "prefix,hash"], "--unknown: one rule, where there is one replay"),
    (["a", "--mode", "x"], "Invalid value for '--mode'"),
    (["a", "--assign", "x"], "Invalid value for '--assign'"),
    (["a", "--latency", "x"], "Invalid value for '--latency': 'x' is neither recorded nor a model"),
    (["a", "--pages-per-superstep", "0"], "Invalid value for '--pages-per-superstep'"),
    (["a", "--max-pages", "0"], "Invalid value for '--max-pages'"),
    (["a", "--replicate", "-1"], "Invalid value for '--replicate'"),
    *(
        (["a", "--estimate", "--parts", "2", option, str(value)], f"Invalid value for '{option}': {value} is not in")
        for option in ("--pages-per-superstep", "--max-pages", "--replicate")
        for value in (10**12 + 1, 10**20 - 1)
    ),
    (["a", "--ranks", "65536"], "Invalid value for '--ranks'"),
    (["a", "--estimate", "--parts", "0"], "'0' is not a whole number from 1"),
    (["a", "--estimate", "--parts", "2,x"], "'x' is not a whole number from 1"),
    (["a", "--estimate", "--parts", "2,"], "'' is not a whole number from 1"),
    (["a", "--estimate", "--parts", "70000"], "'70000' is not a whole number from 1 to 65,535"),
    (["a", "--estimate", "--parts", "2", "--models", "x"], "'x' is not one of page"),
    (["a", "--nonsense"], "No such option '--nonsense'"),
    (["nowhere"], "nowhere/session.json: no such file"),
]


@pytest.mark.parametrize(("arguments", "message"), CONTRADICTIONS, ids=lambda given: " ".join(given)[:40])
def test_what_contradicts_itself_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as refused:
        asked(*arguments)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)
    assert not list(tmp_path.iterdir())


def test_a_place_for_it_must_be_named() -> None:
    with pytest.raises(UsageError, match="--out DIR is required"):
        parsed(["a"])


def test_help_is_an_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert parsed(["--help"]) == 0
    text = capsys.readouterr().out
    assert "Examples:" in text
    assert "--pages-per-superstep" in text


def test_all_that_contradicts_is_told_at_once() -> None:
    with pytest.raises(UsageError) as caught:
        asked("a", "b", "--estimate", "--ranks", "2", "--bodies", "--assign", "page-hash", "--models", "page")
    assert [problem.partition(" ")[0] for problem in caught.value.problems] == [
        *("several", "--ranks", "--bodies", "--models", "--parts"),
    ]
