"""Running a unit: exactly its URLs, politely, and nothing that a unit might want of the machine."""

import itertools
from datetime import timedelta
from pathlib import Path

import pytest

from crawler.work.ledger import present
from crawler.work.run_unit import Volunteer, run_unit
from crawler.work.unit import Unit, UnitUrl
from crawler.work.work_error import WorkError
from sessions.localweb.serve.server import LocalWeb
from sessions.session import Session
from sessions.url import site_of
from tests.crawler.support.work_units import CONTACT, URLS, Forgery, Project, Run, run_without_mpi


def test_exactly_its_urls_are_requested_and_robots(run: Run) -> None:
    """The redirect to z.example is recorded and not followed."""
    sites = {site_of(url) for url in URLS}
    robots = {f"http://{site}/robots.txt" for site in sites}
    assert sorted(url for _, url in run.requests) == sorted([*URLS, *robots])


def test_delays_hold(run: Run) -> None:
    requests = sorted(run.requests)
    for before, after in itertools.pairwise(requests):
        assert after[0] - before[0] >= 0.5
    for site in {site_of(url) for url in URLS}:
        times = [at for at, url in requests if site_of(url) == site]
        assert all(after - before >= 1.0 for before, after in itertools.pairwise(times))


def test_what_is_recorded(run: Run, tmp_path: Path) -> None:
    session = Session.open(Forgery(run.result, tmp_path).folder)
    pages = {row["url"]: row for row in session.read("pages").to_pylist()}
    assert {url: pages[url]["status"] for url in URLS} == dict(zip(URLS, [200, 200, 301, 404, 200], strict=True))
    assert pages["http://a.example/moved"]["redirect"] == "http://z.example/"
    urls = {row["hash"]: row["url"] for row in session.read("urls").to_pylist()}
    left = {urls[row["hash"]]: row["reason"] for row in session.read("frontier").to_pylist()}
    assert left == dict.fromkeys(["http://a.example/one", "http://d.example/", "http://z.example/"], "not-listed")


def test_nothing_of_the_machine_is_in_the_result_but_its_name_in_warcinfo(run: Run, tmp_path: Path) -> None:
    folder = Forgery(run.result, tmp_path).folder
    for path in (*folder.glob("*.json"), *folder.glob("epochs/*.json"), folder / "result.txt"):
        text = path.read_text()
        assert str(run.project.folder) not in text
        assert "127.0.0.1" not in text


def _run(project: Project, number: int, out: Path, **changes: object) -> None:
    told = {"trust": project.key.public, "key": project.anna, "contact": CONTACT, **changes}
    run_unit(project.units / f"unit-{number:06d}.unit", out, Volunteer(**told))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"trust": "0" * 64}, "which is not the key that --trust names; it is not run"),
        ({"allow_net": ("10.0.0.0/8",)}, "--allow-net 10.0.0.0/8: only loopback may be opened to a unit"),
        ({"allow_net": ("0.0.0.0/0",)}, "--allow-net 0.0.0.0/0: only loopback may be opened to a unit"),
        ({"connect_to": ("::10.0.0.1:80",)}, "--connect-to ::10.0.0.1:80: a unit's requests may be sent to loopback"),
        ({"connect_to": ("a.example::b.example:",)}, "a unit's requests may be sent to loopback, and nowhere else"),
    ],
)
def test_what_is_not_run(tmp_path: Path, changes: dict[str, object], problem: str) -> None:
    project = Project(tmp_path, URLS)
    number = project.hand_out(URLS)
    with pytest.raises(WorkError, match=problem):
        _run(project, number, tmp_path / "r", **changes)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith((".cutweb", "r"))]


def test_a_unit_whose_time_is_over_is_not_run(tmp_path: Path) -> None:
    project = Project(tmp_path, URLS)
    number = project.hand_out(URLS, exported=present() - timedelta(days=7))
    with pytest.raises(WorkError, match=r"its deadline, .*, is over or too near; ask for another unit"):
        _run(project, number, tmp_path / "r")


def test_a_result_is_never_overwritten(tmp_path: Path) -> None:
    project = Project(tmp_path, URLS)
    number = project.hand_out(URLS)
    (tmp_path / "r").write_text("mine")
    with pytest.raises(WorkError, match="r: exists; name a new file"):
        _run(project, number, tmp_path / "r")
    with pytest.raises(WorkError, match="there is no folder"):
        _run(project, number, tmp_path / "none" / "r")


def test_addresses_inside_are_not_connected_to_whatever_a_unit_says(tmp_path: Path, web: LocalWeb) -> None:
    """Nothing was opened by the volunteer, so nothing is requested; that is an outcome, which can be handed in."""
    project = Project(tmp_path, URLS)
    urls = [f"http://127.0.0.1:{web.port}/", f"http://localhost:{web.port}/", "http://10.0.0.1/", "http://[::1]/"]
    number, before = project.hand_out(urls), len(web.log)
    words = (project.units / f"unit-{number:06d}.unit", "--trust", project.key.public, "--out", tmp_path / "r")
    done = run_without_mpi(*words, key=str(tmp_path / "anna.key"))
    assert done.returncode == 0, done.stderr
    assert "0 fetched" in done.stdout
    assert len(web.log) == before
    session = Session.open(Forgery(tmp_path / "r", tmp_path).folder)
    assert set(session.read("outcomes")["reason"].to_pylist()) <= {"internal-address", "dns"}
    assert session.read("outcomes").num_rows == len(urls)


def test_a_run_that_is_interrupted_leaves_nothing(tmp_path: Path, web: LocalWeb) -> None:
    import signal
    import subprocess
    import sys

    project = Project(tmp_path, URLS)
    number = project.hand_out([f"http://a.example/{page}" for page in range(100)])
    unit = project.units / f"unit-{number:06d}.unit"
    before = len(web.log)
    words = ["work", "run", str(unit), "--trust", project.key.public, "--key", str(tmp_path / "anna.key")]
    words += ["--contact", CONTACT, "--connect-to", web.connect_to, "--out", str(tmp_path / "r")]
    process = subprocess.Popen([sys.executable, "-m", "cutweb", *words], stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    while len(web.log) == before:
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    told = process.communicate(timeout=60)[1]
    assert process.returncode == 2
    assert told.splitlines()[-1].startswith(f"cutweb work run: {unit}: interrupted (signal), so there is no result")
    assert not [path for path in tmp_path.iterdir() if path.name.startswith((".cutweb", "r"))]


def test_options_of_a_unit_reach_the_crawl(tmp_path: Path) -> None:
    from crawler.work.run_unit import _options

    exported = present()
    deadline = exported + timedelta(days=1)
    told = {"delay": 2.5, "max_links": 7.0, "max_body": 1.0}
    unit = Unit(1, "w", exported.isoformat(), deadline.isoformat(), told, (UnitUrl(URLS[0], "new"),))
    key = Project(tmp_path, URLS).anna
    options = _options(unit, tmp_path, tmp_path, Volunteer(key.public, key, CONTACT))
    assert (options.delay, options.max_links, options.max_body, options.server_delay) == (2.5, 7, 1.0, 0.5)
    assert isinstance(options.max_links, int)
    assert options.max_seconds is not None
    assert 23 * 3600 < options.max_seconds < 24 * 3600
