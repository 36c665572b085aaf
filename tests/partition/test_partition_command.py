"""`cutweb partition`: what it prints, how it exits, and that it leaves nothing when it must stop."""

import html
import re
import signal
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from crawler.commands import partition
from crawler.main import cutweb
from partition.assignment.hashing import PageHash
from partition.choices import MODELS, MOST_PARTS, OBJECTIVES, UNKNOWN_RULES, map_models
from partition.cut.effort import EFFORTS
from partition.graphs.link_graph import link_graph
from partition.map.manifest import SHARDS
from partition.map.partition_map import PartitionMap
from partition.measures.measures import measures
from partition.models.settings import Settings
from partition.report.scales import percent
from partition.shares.cut_shares import ONE_RANK_LIMIT
from sessions.session import SEEDS, Session
from sessions.url import url_hashes
from tests.partition.quality.support.webs import SmallWeb, ring
from tests.sessions.support.builder import Crawl


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cutweb, ["partition", *map(str, arguments)], catch_exceptions=False)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ring().session(tmp_path_factory.mktemp("webs") / "ring")


def test_a_partition(session: Path, tmp_path: Path) -> None:
    out = tmp_path / "map"
    done = run(session, "--parts", 3, "--out", out, "--model", "prefix", "--tolerance", 0.2, "--unknown", "site")
    assert (done.exit_code, done.stderr) == (0, "")
    table = PartitionMap.open(out)
    assert (table.parts, table.manifest.unknown, table.manifest.origin.model) == (3, "site", "prefix")
    lines = done.stdout.splitlines()
    origin = table.manifest.origin
    assert lines[0] == f"best of the normal effort: {origin.settings['won']}"
    assert lines[1] == (
        f"{out}: 40 pages in 3 parts by prefix; imbalance of these (fullest part over the mean, less one) "
        f"{origin.imbalances['bytes']:.1%} of bytes, "
        f"{origin.imbalances['requests']:.1%} of requests, "
        f"{origin.imbalances['links']:.1%} of links (not balanced)"
    )
    assert lines[2].startswith(f"between parts: {origin.volumes['cut_links'] / 120:.2%} of 120 links; ")
    assert f"{origin.volumes['sent_bytes']:,} bytes of URLs if each is sent once" in lines[2]
    assert f"{origin.volumes['cut_bytes']:,} for every link" in lines[2]
    assert re.fullmatch(
        r"expected of the next crawl, if \d+% of its pages are new \(--unknown site\): imbalance [\d.]+% of bytes, "
        r"[\d.]+% of requests",
        lines[3],
    )
    seeds, later = session / SEEDS, session.with_name("ring-next")
    assert lines[4] == f"next: cutweb crawl --ranks 3 --partition {out} --seeds {seeds} --external all --out {later}"


def test_a_partition_by_streaming(session: Path, tmp_path: Path) -> None:
    out = tmp_path / "map"
    done = run(session, "--parts", 3, "--out", out, "--tolerance", 0.2, "--streaming", "--effort", "low")
    assert (done.exit_code, done.stderr) == (0, "")
    origin = PartitionMap.open(out).manifest.origin
    assert origin.settings["streaming"]
    lines = done.stdout.splitlines()
    assert lines[0] == f"best of the low effort: {origin.settings['won']}"
    assert lines[1].startswith(f"{out}: 40 pages in 3 parts by page; ")
    assert f"{origin.volumes['sent_bytes']:,} bytes of URLs if each is sent once" in lines[2]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["map"]


def test_a_page_of_the_cut(session: Path, tmp_path: Path) -> None:
    out, page = tmp_path / "map", tmp_path / "map.html"
    asked = ("--parts", 3, "--model", "prefix", "--tolerance", 0.2, "--effort", "low")
    page.write_text("an older page")
    done = run(session, *asked, "--out", out, "--html", page)
    assert (done.exit_code, done.stderr) == (0, "")
    *before, last = done.stdout.splitlines()
    assert last == f"page: {page}"
    volumes = PartitionMap.open(out).manifest.origin.volumes
    shown = page.read_text(encoding="utf-8")
    answer = re.findall(r'<p class="sentence">(.*?)</p>', shown)[0]
    hashed = measures(
        link_graph(Session.open(session)), PageHash(3).owners(url_hashes(list(ring().sizes)), []), 3, None
    )
    share = percent(volumes["sent_bytes"] / hashed.pages.sent_bytes)
    assert f"they send each other {volumes['sent_bytes']:,} bytes of URLs, {share} of what they would by" in answer
    assert f"{volumes['sent_bytes']:,} bytes of URLs, each once." in shown
    assert html.escape(before[-1].removeprefix("next: ")) in shown
    assert shown.count("<svg") == 3
    assert {path.name for path in tmp_path.iterdir()} == {"map", "map.html"}


def test_the_page_of_one_part_and_of_pages_without_urls(session: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert run(session, "--parts", 1, "--out", tmp_path / "one", "--html", page).exit_code == 0
    assert "One rank owns all 40 known pages of ring." in page.read_text(encoding="utf-8")
    numbers = [f"http://pages.invalid/{number}" for number in range(9)]
    web = SmallWeb(dict.fromkeys(numbers, 1), (), tuple((one, two) for one in numbers for two in numbers if one != two))
    links = ("--objective", "links", "--effort", "low")
    done = run(web.session(tmp_path / "numbers"), "--parts", 2, "--out", tmp_path / "two", "--html", page, *links)
    assert done.exit_code == 0
    assert "they send each other 40 links, " in page.read_text(encoding="utf-8")


def test_a_page_that_has_no_place_is_told_before_the_work(session: Path, tmp_path: Path) -> None:
    for page, told in ((tmp_path, "is a folder, not a file"), (tmp_path / "none" / "page", "no such folder")):
        done = run(session, "--parts", 2, "--out", tmp_path / "map", "--html", page)
        assert (done.exit_code, done.stdout) == (2, "")
        (line,) = done.stderr.splitlines()
        assert line.startswith("cutweb partition: ")
        assert line.endswith(told)
        assert list(tmp_path.iterdir()) == []


def test_shares(session: Path, tmp_path: Path) -> None:
    done = run(session, "--parts", 2, "--out", tmp_path / "map", "--rank-shares", "3, 1", "--effort", "low")
    assert (done.exit_code, done.stderr) == (0, "")
    settings = PartitionMap.open(tmp_path / "map").manifest.origin.settings
    assert (settings["shares"], settings["shares_are_measured"]) == ([3, 1], False)
    assert done.stdout.splitlines()[0] == "shares of the ranks: 75.0%, 25.0%, as given"


def crawled_by_two(path: Path, web: SmallWeb) -> Path:
    """A session in which rank 0 fetched two pages of three, in as much CPU time (0.25 s) as rank 1 fetched one."""
    crawl = Crawl(path, ranks=2)
    for number, (page, size) in enumerate(web.sizes.items()):
        rank = crawl.ranks[number % 3 // 2]
        rank.discover([page])
        rank.fetch(page, b"x" * size, links=[(target, 0) for source, target in web.links if source == page])
    crawl.ranks[0].discover(web.known)
    crawl.commit("imported")
    crawl.close()
    return path


@pytest.mark.parametrize("model", MODELS)
def test_parts_weigh_what_ranks_can_do(tmp_path: Path, model: str) -> None:
    """Shares as measured: no part is heavier than its share and the tolerance, in bytes and in requests."""
    web, out, tolerance = ring(360), tmp_path / "map", Fraction(1, 20) if model == "page" else Fraction(1, 4)
    session = crawled_by_two(tmp_path / "crawl-1", web)
    asked = ("--rank-shares", "measured", "--model", model, "--tolerance", float(tolerance), "--effort", "low")
    done = run(session, "--parts", 2, "--out", out, *asked)
    assert (done.exit_code, done.stderr) == (0, "")
    told = "shares of the ranks: 66.7%, 33.3%, as measured: 960.0, 480.0 pages a second of CPU time for parsing"
    assert done.stdout.splitlines()[0] == told
    table = PartitionMap.open(out)
    settings = table.manifest.origin.settings
    assert (settings["shares"], settings["shares_are_measured"], settings["is_balanced"]) == ([960, 480], True, True)
    parts = table.parts_of(url_hashes(list(web.sizes)), list(web.sizes)).tolist()
    for weights in (list(web.sizes.values()), [1] * len(web.sizes)):
        for part, share in enumerate((Fraction(2, 3), Fraction(1, 3))):
            load = sum(weight for weight, its in zip(weights, parts, strict=True) if its == part)
            assert load <= (1 + tolerance) * share * sum(weights)


def test_a_partition_with_a_memory(session: Path, tmp_path: Path) -> None:
    old, asked = tmp_path / "old", ("--model", "site", "--tolerance", 0.2)
    assert run(session, "--parts", 4, "--out", old, *asked).exit_code == 0
    for cost, name in ((None, "free"), (5, "dear")):
        given = () if cost is None else ("--migration-cost", cost)
        done = run(session, "--parts", 4, "--out", tmp_path / name, "--previous-map", old, "--tolerance", 0.2, *given)
        assert (done.exit_code, done.stderr) == (0, "")
        told = PartitionMap.open(tmp_path / name).manifest.origin.settings
        assert (told["previous"], told["previous_parts"]) == (str(old.resolve()), 4)
        assert (told["previous_pages"], told["migration_cost"]) == (40, cost or 0)
        urls = list(ring().sizes)
        hashes = url_hashes(urls)
        before, after = (PartitionMap.open(folder).parts_of(hashes, urls) for folder in (old, tmp_path / name))
        sizes = np.array(list(ring().sizes.values()))
        moved = before != after
        assert (told["moved_pages"], told["moved_bytes"]) == (moved.sum(), sizes[moved].sum())
        assert done.stdout.splitlines()[-3] == (
            f"of 40 pages and {sizes.sum():,} bytes with an owner before, {40 - moved.sum():,} and "
            f"{sizes[~moved].sum():,} are kept, {moved.sum():,} ({moved.mean():.2%}) and {sizes[moved].sum():,} "
            f"({sizes[moved].sum() / sizes.sum():.2%}) move; 0 pages are new"
        )
    assert told["moved_pages"] == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ["--previous-map", "{old}"],
            "cutweb partition: {old}/partition.json: no such file; is {old} a partition map?",
        ),
        (
            ["--migration-cost", "1"],
            "cutweb partition: --migration-cost says what --previous-map DIR is worth, which is missing",
        ),
        (["--previous-map", "{map}", "--migration-cost", "-1"], "Error: Invalid value for '--migration-cost'"),
        (
            ["--previous-map", "{map}", "--migration-cost", "nan"],
            "cutweb partition: {session}: the migration cost must be from 0 up, not nan",
        ),
        (
            ["--previous-map", "{map}", "--migration-cost", "1e30"],
            "cutweb partition: {session}: a migration cost of 1e+30 is too",
        ),
        (
            ["--previous-map", "{map}", "--migration-cost", "1", "--model", "url-range"],
            "cutweb partition: {session}: the url-range model follows from the balance alone",
        ),
    ],
)
def test_memories_that_make_no_sense(session: Path, tmp_path: Path, arguments: list[str], told: str) -> None:
    names = {"session": session, "old": tmp_path / "none", "map": tmp_path / "map"}
    assert run(session, "--parts", 2, "--out", names["map"], "--model", "site", "--effort", "low").exit_code == 0
    given = [argument.format(**names) for argument in arguments]
    done = run(session, "--parts", 2, "--out", tmp_path / "out", "--effort", "low", *given)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1].startswith(told.format(**names))
    assert [path.name for path in tmp_path.iterdir()] == ["map"]


def test_parts_that_cannot_be_balanced_are_a_warning(session: Path, tmp_path: Path) -> None:
    done = run(session, "--parts", 3, "--out", tmp_path / "map", "--model", "site", "--tolerance", "0.005")
    assert done.exit_code == 0
    (warning,) = done.stderr.splitlines()
    told = PartitionMap.open(tmp_path / "map").manifest.origin
    by = told.imbalances["bytes"] - 0.005, told.imbalances["requests"] - 0.005
    assert warning.startswith(
        "warning: no partition within 0.5% of storage and of requests was found; this is the least unbalanced, "
    )
    beyond = re.search(r"unbalanced, ([\d.]+)% of bytes and ([\d.]+)% of requests beyond that[.]", warning)
    assert beyond is not None
    # A limit is a whole number of pages, so that the overrun is that above the limit, not above 0.5%.
    assert 100 * by[0] == pytest.approx(float(beyond[1]), abs=0.1)
    assert 100 * by[1] <= float(beyond[2]) + 0.01
    assert "--model prefix" in warning
    assert PartitionMap.open(tmp_path / "map").manifest.origin.settings["is_balanced"] is False


def test_any_weights_are_balanced(session: Path, tmp_path: Path) -> None:
    seconds, out = tmp_path / "seconds.tsv", tmp_path / "map"
    seconds.write_text("site\tseconds\nsite0.example\t0.5\nsite1.example\t2\n")
    asked = ("--balance", "requests,links=0.5,seconds=0.4", "--seconds", seconds, "--tolerance", 0.3, "--effort", "low")
    done = run(session, "--parts", 2, "--out", out, *asked)
    assert (done.exit_code, done.stderr) == (0, "")
    origin = PartitionMap.open(out).manifest.origin
    assert origin.weights == ("requests", "links", "seconds")
    assert tuple(origin.imbalances) == ("bytes", "requests", "links", "seconds")
    assert origin.settings["balance"] == {"requests": 0.3, "links": 0.5, "seconds": 0.4}
    assert origin.settings["site_seconds"] == str(seconds)
    told = [f"{imbalance:.1%} of {unit}" for unit, imbalance in origin.imbalances.items()]
    assert f"{told[0]} (not balanced), {told[1]}, {told[2]}, {told[3]}" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--balance", "pages"], "'pages' is not one of storage, requests, links, seconds"),
        (["--balance", ""], "'' is not one of storage, requests, links, seconds"),
        (["--balance", "links,links=0.1"], "links stands there twice"),
        (["--balance", "links=much"], "'links=much' has no tolerance from 0 to 10 after the =, as in links=0.1"),
        (["--balance", "links="], "'links=' has no tolerance from 0 to 10"),
        (["--balance", "links=nan"], "'links=nan' has no tolerance from 0 to 10"),
        (["--balance", "bytes,storage"], "storage stands there twice"),
        (["--seconds", "none.tsv"], "none.tsv: No such file or directory"),
    ],
)
def test_balances_that_make_no_sense(session: Path, tmp_path: Path, arguments: list[str], told: str) -> None:
    done = run(session, "--parts", 2, "--out", tmp_path / "map", *arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert told in " ".join(done.stderr.split())
    assert not any(tmp_path.iterdir())


def test_two_runs_write_the_same_files(session: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        assert run(session, "--parts", 4, "--out", tmp_path / name, "--seed", 3).exit_code == 0
    assert (tmp_path / "one" / SHARDS).read_bytes() == (tmp_path / "two" / SHARDS).read_bytes()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--parts", "41"], "{session}: 41 parts of 40 pages: some would be empty; take 40 at most"),
        (
            ["--parts", "41", "--model", "url-range"],
            "{session}: 41 parts of 40 pages: some would be empty; take 40 at most",
        ),
        (["--parts", "5", "--model", "site"], "{session}: 5 parts of 4 sites: some would be empty; take 4 at most"),
        (["--parts", "2", "--rank-shares", "measured"], "{session}: was crawled by K = 1, which says nothing of 2"),
        (["--parts", "1", "--rank-shares", "measured"], "{session}: rank 0 fetched 40 pages, too few to tell its"),
        (["--parts", "2", "--rank-shares", "1,1e-12"], "{session}: the smallest share is less than a billionth"),
    ],
)
def test_what_cannot_be_cut_is_one_line(session: Path, tmp_path: Path, arguments: list[str], told: str) -> None:
    done = run(session, "--out", tmp_path / "map", *arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("cutweb partition: " + told.format(session=session))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--parts", "0"], "'--parts'"),
        (["--parts", "65536"], "'--parts'"),
        (["--parts", "2", "--rank-shares", "1,2,3"], "--rank-shares: 3 numbers for 2 parts"),
        (["--parts", "2", "--rank-shares", "1,x"], "'1,x' is neither 'measured' nor a list of numbers"),
        (["--parts", "2", "--rank-shares", "1,0"], "'1,0' has a number that is not above 0"),
        (["--parts", "2", "--rank-shares", "1,nan"], "'1,nan' has a number that is not above 0"),
        (["--parts", "2", "--rank-shares", "1,inf"], "'1,inf' has a number that is not above 0"),
        (["--parts", "2", "--tolerance", "-1"], "'--tolerance'"),
        (["--parts", "2", "--tolerance", "nan"], "tolerance"),
        (["--parts", "2", "--model", "domain"], "'--model'"),
        (["--parts", "2", "--seed", "-1"], "'--seed'"),
        (["--parts", "2", "--streaming", "--model", "site"], "--streaming: the model site is cut as a whole"),
        (
            ["--parts", "2", "--streaming", "--objective", "links"],
            "--streaming: --objective links is for cuts as a whole",
        ),
        (["--parts", "2", "--streaming", "--ranks", "2"], "--streaming is done by one process"),
        (
            ["--parts", "2", "--streaming", "--html", "cut.html"],
            "--streaming: the page of --html shows a cut as a whole",
        ),
        (["--parts", "2", "--streaming", "--previous-map", "map"], "--streaming: a cut with --previous-map is made as"),
        (
            ["--parts", "2", "--streaming", "--balance", "storage,links"],
            "--streaming: links in --balance is balanced as",
        ),
        ([], "'--parts'"),
    ],
)
def test_options_that_make_no_sense(session: Path, tmp_path: Path, arguments: list[str], told: str) -> None:
    done = run(session, "--out", tmp_path / "map", *arguments)
    assert done.exit_code == 2
    assert told in done.stderr.splitlines()[-1]
    assert list(tmp_path.iterdir()) == []


def test_no_session_no_pages_no_urls(tmp_path: Path) -> None:
    Crawl(tmp_path / "empty").close()
    numbers = [f"http://pages.invalid/{number}" for number in range(9)]
    SmallWeb(dict.fromkeys(numbers, 1), (), ()).session(tmp_path / "numbers")
    for name, model, told in (
        ("none", "page", "none/session.json: no such file"),
        ("empty", "page", "empty: no pages were downloaded"),
        ("numbers", "prefix", "numbers: the prefix model needs URLs, and this session was imported without any"),
    ):
        done = run(tmp_path / name, "--parts", 2, "--model", model, "--out", tmp_path / "map")
        assert (done.exit_code, done.stdout) == (2, "")
        (line,) = done.stderr.splitlines()
        assert line.startswith(f"cutweb partition: {tmp_path}/{told}")
    assert {path.name for path in tmp_path.iterdir()} == {"empty", "numbers"}
    assert run(tmp_path / "numbers", "--parts", 2, "--out", tmp_path / "map", "--effort", "low").exit_code == 0


def test_a_folder_that_is_taken(session: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").touch()
    for out, told in ((tmp_path, "exists and is not empty"), (tmp_path / "mine", "is a file, not a folder")):
        done = run(session, "--parts", 2, "--out", out)
        assert (done.exit_code, done.stdout) == (2, "")
        (line,) = done.stderr.splitlines()
        assert line.startswith(f"cutweb partition: {out}: {told}")
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_damaged_session_is_told_in_a_line(tmp_path: Path) -> None:
    path = ring().session(tmp_path / "ring")
    Session.open(path).table_files("pages")[0].path.write_bytes(b"PAR1")
    for command in (["partition", "--parts", "2"], ["quality", "--parts", "2"]):
        done = CliRunner().invoke(cutweb, [*command, str(path), "--out", str(tmp_path / "out")])
        assert (done.exit_code, done.stdout) == (2, "")
        assert done.stderr.startswith(f"cutweb {command[0]}: {path} is damaged (")
        assert done.stderr.endswith("; cutweb check tells more\n")
        assert not (tmp_path / "out").exists()


STOPPED = """
import sys
from threading import Thread
from time import sleep
from crawler.commands import partition
from crawler.process import exit_on_signal
from crawler.main import cutweb
stage, session, out = sys.argv[1:]

def say_so():
    sys.stdout.write("there\\n")  # in one piece: threads do this at the same time
    sys.stdout.flush()

def stop(*_):
    say_so()
    while True:
        sleep(0.1)

def cut_for_ever(cut):
    def cut_again(*arguments, **options):
        say_so()
        while True:
            cut(*arguments, **options)
    return cut_again

def made(*arguments):  # not before: what is loaded must have the signals blocked
    from partition.cut import multilevel
    from partition.cut.metis import MetisGraph
    from partition.map import write_map
    if stage == "writing":
        write_map._write_parts_table = stop
    elif stage == "another thread":
        multilevel._descent = stop
    else:
        MetisGraph.recursive = cut_for_ever(MetisGraph.recursive)
    return make(*arguments)

make, partition._made = partition._made, made
exit_on_signal.leaving_on_signals.__wrapped__.__defaults__ = (0.5,)
cutweb(["partition", session, "--parts", "4", "--out", out, "--effort", "low"])
"""


@pytest.mark.parametrize(
    ("stage", "number"),
    [
        ("writing", signal.SIGTERM),
        pytest.param("writing", signal.SIGINT, marks=pytest.mark.long),
        pytest.param("writing", signal.SIGHUP, marks=pytest.mark.long),
        ("another thread", signal.SIGTERM),
        ("METIS", signal.SIGTERM),
    ],
)
def test_a_signal_leaves_nothing(session: Path, tmp_path: Path, stage: str, number: int) -> None:
    command = [sys.executable, "-c", STOPPED, stage, str(session), str(tmp_path / "map")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "there\n"
            process.send_signal(number)
            told, error = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (process.returncode, told, error) == (128 + number, "", "")
    assert list(tmp_path.iterdir()) == []


def test_help_explains_every_option_and_has_examples() -> None:
    shown = run("--help").stdout
    names = "parts out model objective tolerance rank-shares effort streaming seed unknown html"
    assert all(f"--{name} " in shown for name in names.split())
    assert shown.count("cutweb partition ") >= 3


def test_what_the_command_names_is_what_there_is() -> None:
    options = {option.name: option for option in partition.partition.params}
    assert tuple(options["model"].type.choices) == map_models()
    assert tuple(options["unknown"].type.choices) == tuple(UNKNOWN_RULES)
    assert options["parts"].type.max == MOST_PARTS
    assert tuple(options["objective"].type.choices) == OBJECTIVES
    assert list(options["effort"].type.choices) == list(EFFORTS)
    assert options["one_rank_limit"].default == ONE_RANK_LIMIT
    for name in ("tolerance", "objective", "effort", "seed"):
        assert options[name].default == getattr(Settings(), name)


def test_the_command_loads_quickly() -> None:
    code = "import sys, crawler.commands.partition; print(*sys.modules)"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not {"pyarrow", "numpy", "numba", "scipy"} & set(printed.split())


def test_a_session_that_is_not_complete_and_a_map_of_another_web_are_named(session: Path, tmp_path: Path) -> None:
    asked = ("--parts", 2, "--effort", "low", "--model", "site")
    assert run(session, *asked, "--out", tmp_path / "map").stderr == ""
    other = SmallWeb({f"http://elsewhere.example/{number}": 9 for number in range(8)}, (), ())
    killed = ring().session(tmp_path / "killed", "signal")
    done = run(killed, *asked, "--out", tmp_path / "again", "--previous-map", tmp_path / "map")
    line = "warning: session killed is not complete: it was stopped by a signal and left 5 URLs queued"
    assert (done.exit_code, done.stderr.splitlines()) == (0, [line])
    moved = run(
        other.session(tmp_path / "other"),
        "--parts",
        2,
        "--effort",
        "low",
        "--out",
        tmp_path / "moved",
        "--previous-map",
        tmp_path / "map",
    )
    assert "warning: the previous map holds only 0 of the session's 8 pages (0.0%)" in moved.stderr
