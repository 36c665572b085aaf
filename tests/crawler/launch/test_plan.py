"""What is checked before anything is written."""

import io
import sys
from pathlib import Path

import pytest

from crawler.config.command_line import UsageError
from crawler.config.crawl_options import CrawlOptions
from crawler.discovery.scope import Scope
from crawler.launch.map_agreement import look_at
from crawler.launch.plan import Plan, check_size, plan
from partition.map.manifest import read_manifest
from sessions.session import Session
from tests.partition.map.support.maps import make_map
from tests.sessions.support.builder import small_session

SEED = "http://a.example/"
CONTACT = "crawler@a.example"


def refusal(tmp_path: Path, **values: object) -> str:
    """The message with which a crawl is refused; nothing may have been written where the session should go."""
    defaults: dict[str, object] = {"urls": (SEED,), "out": tmp_path / "out", "ranks": 1, "contact": CONTACT}
    defaults["scope"] = "all"
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(UsageError) as caught:
        plan(CrawlOptions(**(defaults | values)), 1)  # type: ignore[arg-type]
    assert sorted(tmp_path.rglob("*")) == before
    assert "\n" not in str(caught.value)
    return str(caught.value)


def made(tmp_path: Path, **values: object) -> Plan:
    defaults: dict[str, object] = {"out": tmp_path / "out", "ranks": 1, "contact": CONTACT, "scope": "all"}
    return plan(CrawlOptions(**(defaults | values)), 1)  # type: ignore[arg-type]


def test_a_plan_claims_the_folder(tmp_path: Path) -> None:
    planned = made(tmp_path, urls=("HTTP://A.example", "http://a.example/#top", "http://b.example/"), max_pages=3)
    assert planned.seeds == (SEED, "http://b.example/")
    session = Session.open(tmp_path / "out")
    assert session.header == planned.header
    assert session.header["configuration"]["max_pages"] == 3
    assert session.header["assignment"] == "site-hash"
    assert session.ranks == 1
    assert session.header["run"] == planned.run


def test_a_plan_without_a_folder_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, out=None) == "--out DIR is required"


def test_a_plan_without_seeds_is_refused(tmp_path: Path) -> None:
    (tmp_path / "seeds").write_text("# none\n\n")
    assert refusal(tmp_path, urls=()).startswith("no seeds: ")
    assert refusal(tmp_path, urls=(), seeds=str(tmp_path / "seeds")).startswith("no seeds: ")


def test_a_folder_with_something_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "x").write_text("mine")
    (tmp_path / "file").write_text("mine")
    assert refusal(tmp_path).startswith(f"{tmp_path / 'out'}: exists and is not empty")
    assert refusal(tmp_path, out=tmp_path / "file") == f"{tmp_path / 'file'}: is a file, not a folder"
    assert refusal(tmp_path, out=tmp_path / "file" / "x").startswith(f"{tmp_path / 'file' / 'x'}: ")


def test_an_empty_folder_will_do(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert made(tmp_path, urls=(SEED,)).out == tmp_path / "out"


def test_a_wrong_scope_is_refused(tmp_path: Path) -> None:
    (tmp_path / "scope").write_text("a b\n")
    assert refusal(tmp_path, scope=str(tmp_path / "scope")).startswith(f"{tmp_path / 'scope'}:1: ")
    assert "--scope" in refusal(tmp_path, scope="everything")


def test_too_few_ranks_are_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, ranks=4).startswith("--ranks says 4 ranks, but this MPI run has 1")


def test_seeds_come_from_the_command_line_and_from_a_file_in_order(tmp_path: Path) -> None:
    (tmp_path / "seeds").write_bytes(
        b"\xef\xbb\xbfhttp://c.example/ # best\r\n\n# http://no.example/\n  http://b.example/#frag\thttp\n"
        b"http://a.example\t# again\nhttp://d.example/#x\n"
    )
    planned = made(tmp_path, urls=(SEED,), seeds=str(tmp_path / "seeds"))
    assert planned.seeds == (SEED, "http://c.example/", "http://b.example/", "http://d.example/")


def test_the_year_is_that_in_which_the_session_began(tmp_path: Path) -> None:
    header: dict[str, object] = {"started": "2031-12-31T23:59:59+00:00"}
    assert Plan(CrawlOptions(), tmp_path, "run", (), Scope(), header).year == 2031


def test_seeds_come_from_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Input:
        buffer = io.BytesIO(b"http://a.example\nhttp://b.example/\n")

    monkeypatch.setattr(sys, "stdin", Input())
    assert made(tmp_path, seeds="-").seeds == (SEED, "http://b.example/")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"http://a.example/\n\nftp://b.example/ # x\n", "{file}:3: not an http(s) URL: ftp://b.example/"),
        (b"a.example\n", "{file}:1: not an http(s) URL: a.example; did you mean https://a.example/?"),
        (b"http://a.example/\nhttp://\xfc/\n", "{file}: not UTF-8 text (invalid start byte at byte 25)"),
    ],
)
def test_a_wrong_seed_is_refused_with_its_line(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "seeds"
    file.write_bytes(content)
    assert refusal(tmp_path, seeds=str(file)) == message.format(file=file)


def test_a_wrong_seed_on_the_command_line_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, urls=(SEED, "nonsense")) == "seed: not an http(s) URL: nonsense"


def test_a_seeds_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, seeds=str(tmp_path / "no")) == f"--seeds {tmp_path / 'no'}: No such file or directory"
    assert refusal(tmp_path, seeds=str(tmp_path)) == f"--seeds {tmp_path}: Is a directory"


ANOTHER_MPI = "is mpiexec (or srun --mpi=...) that of the MPI which mpi4py uses?"


@pytest.mark.parametrize(
    ("asked", "ranks", "environment", "words"),
    [
        (None, 1, {}, None),
        (None, 4, {}, None),
        (4, 4, {}, None),
        (4, 4, {"PMI_SIZE": "4"}, None),
        (None, 4, {"PMI_SIZE": "4", "SLURM_NTASKS": "4"}, None),
        # --ranks is what is meant: launchers' words do not matter then
        (2, 2, {"PMI_SIZE": "7"}, None),
        (1, 1, {"SLURM_NTASKS": "8"}, None),
        # srun of two tasks within an allocation of eight
        (None, 2, {"SLURM_STEP_NUM_TASKS": "2", "SLURM_NTASKS": "8"}, None),
        (None, 2, {"PMI_SIZE": "2", "SLURM_NTASKS": "8"}, None),
        (None, 1, {"PMI_SIZE": "", "OMPI_COMM_WORLD_SIZE": "many"}, None),
        (4, 1, {}, ["--ranks says 4 ranks", "has 1", "leave one of the two out"]),
        (2, 4, {"PMI_SIZE": "4"}, ["--ranks says 2 ranks", "has 4", "leave one of the two out"]),
        (4, 1, {"PMI_SIZE": "4"}, ["--ranks says 4 ranks", "has 1", ANOTHER_MPI]),
        (4, 1, {"OMPI_COMM_WORLD_SIZE": "4"}, ["--ranks says 4 ranks", ANOTHER_MPI]),
        (None, 1, {"PMI_SIZE": "4"}, ["PMI_SIZE says 4 ranks", "has 1", ANOTHER_MPI]),
        (None, 1, {"OMPI_COMM_WORLD_SIZE": "3"}, ["OMPI_COMM_WORLD_SIZE says 3", ANOTHER_MPI]),
        (None, 1, {"SLURM_STEP_NUM_TASKS": "2"}, ["SLURM_STEP_NUM_TASKS says 2", ANOTHER_MPI]),
        (None, 1, {"SLURM_NTASKS": "2"}, ["SLURM_NTASKS says 2", ANOTHER_MPI]),
    ],
)
def test_a_launcher_of_another_mpi_is_found_out(
    asked: int | None, ranks: int, environment: dict[str, str], words: list[str] | None
) -> None:
    if words is None:
        check_size(asked, ranks, environment)
        return
    with pytest.raises(UsageError) as caught:
        check_size(asked, ranks, environment)
    assert all(word in str(caught.value) for word in words)


def test_more_connections_than_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crawler.launch.plan.most_connections", lambda: 10)
    with pytest.raises(UsageError, match=r"--connections 11: .* 10"):
        plan(CrawlOptions(urls=(SEED,), contact=CONTACT, scope="all", out=tmp_path / "out", connections=11), 1)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["x" * 300, "nul\0byte"])
def test_a_folder_that_cannot_be_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError):
        plan(CrawlOptions(urls=(SEED,), contact=CONTACT, scope="all", out=tmp_path / name), 1)


def test_a_file_without_certificates_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("nothing")
    with pytest.raises(UsageError, match=r"ca.pem: has no certificates"):
        plan(
            CrawlOptions(urls=(SEED,), contact=CONTACT, scope="all", out=tmp_path / "out", ca_cert=tmp_path / "ca.pem"),
            1,
        )
    assert not (tmp_path / "out").exists()
    lost = tmp_path / "no.pem"
    assert refusal(tmp_path, ca_cert=lost) == f"--ca-cert {lost}: No such file or directory"


def test_all_that_is_wrong_is_told_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line each, in the order of the checks; problems with one seed do not hide those with another."""
    monkeypatch.setattr("crawler.launch.plan.most_connections", lambda: 10)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "x").write_text("mine")
    options = CrawlOptions(
        urls=("x", SEED, "y"),
        ranks=3,
        scope="all",
        connections=11,
        out=tmp_path / "out",
        unknown="site",
        ca_cert=tmp_path / "no.pem",
        previous=tmp_path / "no",
    )
    with pytest.raises(UsageError) as caught:
        plan(options, 1, [], ["full"])
    begins = ["--ranks says 3", "--connections 11", "--scratch full", str(tmp_path / "out"), "seed: ", "seed: "]
    begins += ["--unknown site", "--ca-cert", "--from"]
    assert [problem[: len(begin)] for problem, begin in zip(caught.value.problems, begins, strict=True)] == begins


def test_of_many_wrong_seeds_ten_are_named(tmp_path: Path) -> None:
    (tmp_path / "seeds").write_text("\n".join(map(str, range(500))))
    with pytest.raises(UsageError) as caught:
        made(tmp_path, seeds=str(tmp_path / "seeds"))
    assert len(caught.value.problems) == 11
    assert caught.value.problems[-1] == "490 more seeds are no URLs"


def test_the_assignment_is_site_hash_unless_said_otherwise(tmp_path: Path) -> None:
    planned = made(tmp_path, urls=(SEED,))
    assert planned.header["assignment"] == planned.options.assign == "site-hash"
    assert planned.header["configuration"]["assign"] == "site-hash"  # type: ignore[index]
    assert planned.header["previous"] is None


@pytest.mark.parametrize("rule", [None, "prefix", "site", "hash", "page-hash", "discoverer"])
def test_a_partition_says_who_owns_a_url_and_where_it_comes_from(tmp_path: Path, rule: str | None) -> None:
    make_map(tmp_path / "map", k=1, unknown="site")
    planned = made(tmp_path, urls=(SEED,), partition=tmp_path / "map", unknown=rule)
    header = Session.open(tmp_path / "out").header
    expected = rule or "site"
    assert header["assignment"] == ("page-partition" if expected == "prefix" else f"page-partition/{expected}")
    assert header["previous"] == "session-1"
    assert header["configuration"]["partition"] == str(tmp_path / "map")
    assert header["configuration"]["unknown"] == planned.options.unknown == expected
    assert header["configuration"]["assign"] is None


def test_a_partition_is_recorded_so_that_it_is_found_from_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_map(tmp_path / "map", k=1)
    monkeypatch.chdir(tmp_path)
    planned = made(tmp_path, urls=(SEED,), partition=Path("map"))
    assert planned.options.partition == Path("map"), "every rank looks from where it is"
    configuration = Session.open(tmp_path / "out").header["configuration"]
    assert configuration["partition"] == str(tmp_path / "map")
    assert configuration["partition_identity"] == read_manifest(tmp_path / "map").identity


def test_a_partition_for_another_number_of_ranks_is_refused_with_a_way_out(tmp_path: Path) -> None:
    make_map(tmp_path / "map", k=4)
    assert refusal(tmp_path, partition=tmp_path / "map") == (
        f"--partition {tmp_path / 'map'} is for K = 4 ranks, but this run has K = 1; start it with --ranks 4, "
        "or make a map that fits with: cutweb partition session-1 --parts 1 --out DIR"
    )


def test_contradictions_about_who_owns_a_url_are_refused(tmp_path: Path) -> None:
    make_map(tmp_path / "map", k=1)
    message = "--partition and --assign site-hash contradict each other: leave one of the two out"
    assert refusal(tmp_path, partition=tmp_path / "map", assign="site-hash") == message
    message = "--unknown site says what a partition map does not: give --partition DIR"
    assert refusal(tmp_path, unknown="site") == message


def test_a_partition_that_some_rank_does_not_hold_is_refused(tmp_path: Path) -> None:
    make_map(tmp_path / "map", k=2)
    make_map(tmp_path / "other", k=2, unknown="site")
    options = CrawlOptions(urls=(SEED,), contact=CONTACT, scope="all", out=tmp_path / "out", partition=tmp_path / "map")
    held = [look_at(tmp_path / "map"), look_at(tmp_path / "other")]
    with pytest.raises(UsageError, match="rank 1 of 2 has a different partition map"):
        plan(options, 2, held)
    (tmp_path / "map" / "shards.bin").unlink()
    assert "shards.bin: No such file" in refusal(tmp_path, partition=tmp_path / "map")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("seeds", "beyond"),
    [
        (("http://a.example/",), "http://a.example/"),
        (("http://localhost/", "http://10.0.0.1/x", "http://b.example/"), "http://10.0.0.1/x"),
    ],
)
def test_a_crawl_beyond_this_machine_needs_a_contact(tmp_path: Path, seeds: tuple[str, ...], beyond: str) -> None:
    message = refusal(tmp_path, urls=seeds, contact=None)
    assert message.startswith(f"--contact URL or MAIL is missing: {beyond} leads beyond this machine")
    assert made(tmp_path, urls=seeds).seeds == seeds


@pytest.mark.parametrize(
    "limits", [{"scope": "all"}, {"scope": "sites"}, {"max_pages": 9}, {"max_seconds": 9.0}, {"max_depth": 0}]
)
def test_a_crawl_beyond_this_machine_needs_a_scope_or_a_limit(tmp_path: Path, limits: dict[str, object]) -> None:
    message = refusal(tmp_path, scope=None)
    assert message.startswith(f"neither a scope nor a limit is given, and {SEED} leads beyond this machine: name a")
    assert message.endswith("--max-depth), or write out --scope all if the whole web is meant")
    assert "neither" in refusal(tmp_path, scope=None, max_pages_per_site=9, max_redirects=1)
    planned = made(tmp_path, urls=(SEED,), **{"scope": None, **limits})
    assert planned.options.scope == planned.header["configuration"]["scope"] == limits.get("scope", "all")


def test_a_crawl_of_this_machine_needs_neither(tmp_path: Path) -> None:
    seeds = ("http://127.0.0.1:8080/", "http://a.example/")
    planned = made(tmp_path, urls=seeds, scope=None, contact=None, connect_to=("a.example::127.0.0.1:8081",))
    assert planned.scope.is_everything


def test_a_crawl_is_fit_for_the_open_web_by_default() -> None:
    options = CrawlOptions()
    assert options.traps
    assert (options.max_pages_per_site, options.max_pages_per_domain) == (100_000, 1_000_000)
    assert options.max_pages_per_address is options.max_pages_per_prefix is None


def test_a_crawl_of_this_machine_needs_no_contact(tmp_path: Path) -> None:
    seeds = ("http://127.0.0.1:8080/", "http://localhost/", "http://a.example/")
    assert made(tmp_path, urls=seeds, contact=None, connect_to=("a.example::127.0.0.1:8081",)).seeds == seeds


def test_the_previous_session_is_named_in_the_header(tmp_path: Path) -> None:
    small_session(tmp_path / "before")
    assert made(tmp_path, urls=(SEED,), previous=tmp_path / "before").header["previous"] == str(tmp_path / "before")
    make_map(tmp_path / "map", k=1)
    both = made(tmp_path, urls=(SEED,), previous=tmp_path / "before", partition=tmp_path / "map", out=tmp_path / "both")
    assert both.header["previous"] == str(tmp_path / "before"), "not the one that the map was made from"


def test_a_previous_session_that_is_none_is_refused(tmp_path: Path) -> None:
    message = refusal(tmp_path, previous=tmp_path / "nowhere")
    assert message.startswith(f"--from {tmp_path / 'nowhere'}: cannot be read as a session (")
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "session.json").write_text('{"format": 99}')
    assert "format 99" in refusal(tmp_path, previous=tmp_path / "foreign")
    (tmp_path / "foreign" / "session.json").write_text('{"format": 1, "epochs": 1, "ranks": 1}')
    assert "assignment is missing" in refusal(tmp_path, previous=tmp_path / "foreign")
    header = '{"format": 1, "epochs": 1, "ranks": 1, "assignment": "x", "configuration": {}, "ended": null}'
    (tmp_path / "foreign" / "session.json").write_text(header)
    assert "epochs/000001.json: no such file" in refusal(tmp_path, previous=tmp_path / "foreign")


def test_a_previous_session_that_lacks_a_file_is_refused(tmp_path: Path) -> None:
    small_session(tmp_path / "before")
    lost = next((tmp_path / "before" / "rank-0001").glob("links-*.parquet"))
    lost.unlink()
    assert refusal(tmp_path, previous=tmp_path / "before") == (
        f"--from {tmp_path / 'before'}: is damaged; {lost} is missing"
    )
