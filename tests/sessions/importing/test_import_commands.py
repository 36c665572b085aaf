"""`cutweb import`: what it prints, how it exits, and what it leaves."""

import gzip
import os
import random
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from crawler.commands.importing import import_
from crawler.commands.info import info
from crawler.main import cutweb
from sessions.importing.bv_successors import Coding
from tests.sessions.importing.support.bvwriter import write_graph
from tests.sessions.importing.support.reading import opened

PATIENCE_SECONDS = 60


def run(*arguments: object) -> Result:
    return CliRunner().invoke(import_, [str(argument) for argument in arguments], catch_exceptions=False)


def record(url: str, body: str, kind: str = "response") -> bytes:
    block = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}"
    return (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2020-01-02T03:04:05Z\r\n"
        f"Content-Length: {len(block)}\r\n\r\n{block}\r\n\r\n"
    ).encode()


@pytest.fixture
def links(tmp_path: Path) -> Path:
    """A small list of links."""
    path = tmp_path / "links.txt"
    path.write_text("0 1\n0 1\n1 0\n1 1\n2 1\n")
    return path


def test_edges(tmp_path: Path, links: Path) -> None:
    urls, out = tmp_path / "urls", tmp_path / "out"
    urls.write_text("http://a.example/\t1000\nhttp://b.example/\t2000\nhttp://b.example/#x\t3000\n")
    result = run("edges", links, "--urls", urls, "--out", out)
    assert (result.exit_code, result.stderr) == (0, "")
    text = (
        f"{out}: 2 pages, 2 links, 3,000 bytes; 1 pages merged with others of their URL, 2 links to the page itself "
        "and 1 repeated ones dropped in "
    )
    assert re.fullmatch(re.escape(text) + r"\d+\.\d s\n", result.stdout)
    opened(out)


def test_webgraph(tmp_path: Path) -> None:
    basename = write_graph(tmp_path / "small", [[0, 1], [0]], Coding(), random.Random(1))
    sizes = tmp_path / "bytes"
    sizes.write_text("10\n20\n")
    result = run("webgraph", basename, "--bytes", sizes, "--out", tmp_path / "out")
    assert result.exit_code == 0
    assert "out: 2 pages, 2 links, 30 bytes; 0 pages merged with others of their URL, 1 links to " in result.stdout
    opened(tmp_path / "out")


def test_warc(tmp_path: Path) -> None:
    files = [tmp_path / "0.warc.gz", tmp_path / "1.warc"]
    files[0].write_bytes(gzip.compress(record("http://a.example/", "<a href=/x><a href=/y>")))
    files[1].write_bytes(record("http://a.example/", "") + record("http://a.example/x", "") + record("dns:a", ""))
    result = run("warc", *files, "--out", tmp_path / "out")
    assert (result.exit_code, result.stderr) == (0, "")
    assert (
        "out: 2 pages, 2 links, 22 bytes; 1 URLs linked to and not imported, 1 repeated pages merged, "
        "1 responses without an http(s) URL, 0 unreadable ones and 0 of robots.txt files left out in "
    ) in result.stdout
    opened(tmp_path / "out")


def test_few_of_many_warnings_are_shown(tmp_path: Path) -> None:
    broken = [
        record(f"http://a.example/{number}", "").replace(b"HTTP/1.1 200", b"HTTP/1.1 2000") for number in range(15)
    ]
    broken = [one.replace(b"Content-Length: 44", b"Content-Length: 45") for one in broken]
    path = tmp_path / "x.warc"
    path.write_bytes(record("http://a.example/", "") + b"".join(broken))
    result = run("warc", path, "--out", tmp_path / "out")
    assert result.exit_code == 0
    *warnings, last = result.stderr.splitlines()
    assert len(warnings) == 10
    assert all(line.startswith(f"warning: {path}: offset ") for line in warnings)
    assert last == "warning: 5 more like these"


def test_info_of_an_imported_session(tmp_path: Path, links: Path) -> None:
    run("edges", links, "--out", tmp_path / "out")
    lines = CliRunner().invoke(info, [str(tmp_path / "out")], catch_exceptions=False).stdout.splitlines()
    assert re.fullmatch(rf"{tmp_path}/out: ended \(imported\) after \d+\.\d s, 1 epoch", lines[0])
    assert "  ranks        1, assignment imported" in lines
    assert "  fetched      3 pages of 1 site: 3 2xx" in lines


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["edges", "none"], "none: No such file or directory"),
        (["edges", "broken"], "broken: line 2: 'no' is not a pair of page numbers"),
        (["edges", "empty"], "empty: no pages"),
        (["edges", "links.txt", "--urls", "broken"], "broken: line 1: '0 1' is not an http or https URL"),
        (["edges", "links.txt", "--bytes", "empty"], "links.txt: line 1: '0 1' has a number that is no page's"),
        (["webgraph", "links"], "links.properties: No such file or directory"),
        (["warc", "broken"], "broken: is not a WARC file"),
        (["warc", "cut.warc.gz"], "cut.warc.gz: offset "),
    ],
)
@pytest.mark.parametrize("out", ["out", "a/b/out"])
def test_errors_are_one_line_and_leave_nothing(
    tmp_path: Path, links: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str, out: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("broken").write_text("0 1\nno\n")
    Path("empty").write_text("")
    Path("cut.warc.gz").write_bytes(gzip.compress(record("http://a.example/", "x" * 900))[:-9])
    before = sorted(tmp_path.rglob("*"))
    result = run(*arguments, "--out", out)
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith(f"cutweb import {arguments[0]}: {message}")
    assert sorted(tmp_path.rglob("*")) == before


def test_a_place_that_cannot_be_written(tmp_path: Path, links: Path) -> None:
    for out, message in ((links, "is a file"), (links / "out", "Not a directory"), (tmp_path, "is not empty")):
        result = run("edges", links, "--out", out)
        assert result.exit_code == 2
        (line,) = result.stderr.splitlines()
        assert message in line
    assert list(tmp_path.iterdir()) == [links]


def test_a_full_disk_is_one_line_and_leaves_nothing(
    tmp_path: Path, links: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        (folder,) = tmp_path.glob(".out.*.partial/.scratch-*")
        assert list(folder.iterdir())
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sessions.storage.sorted_keys._append", fail)
    result = run("edges", links, "--out", tmp_path / "out")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"cutweb import edges: {tmp_path}/out: No space left on device\n"
    assert list(tmp_path.iterdir()) == [links]


@pytest.mark.parametrize(
    ("kind", "content"), [("warc", record("http://a.example/", "<a href=/x>")), ("edges", b"0 1\n2 3\n")]
)
@pytest.mark.parametrize(
    "number", [signal.SIGTERM, *(pytest.param(each, marks=pytest.mark.long) for each in (signal.SIGINT, signal.SIGHUP))]
)
def test_a_signal_leaves_nothing(tmp_path: Path, number: int, kind: str, content: bytes) -> None:
    pipe, out = tmp_path / "pipe", tmp_path / "a" / "out"
    os.mkfifo(pipe)
    command = [sys.executable, "-m", "crawler", "import", kind, str(pipe), "--out", str(out)]
    root = Path(__file__).parents[3]
    process = subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with open(pipe, "wb") as writer:  # opens when the import reads, which is after it has made its folder
        writer.write(content)
        writer.flush()
        assert list((tmp_path / "a").glob(".out.*.partial/session.json"))
        process.send_signal(number)
        output, _ = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 128 + number
    assert output == b""
    assert list(tmp_path.iterdir()) == [pipe]


@pytest.mark.parametrize("command", ["edges", "webgraph", "warc"])
def test_help_has_examples(command: str) -> None:
    assert f"cutweb import {command} " in run(command, "--help").stdout
    assert f"cutweb import {command} " in run("--help").stdout
    assert "import" in CliRunner().invoke(cutweb, ["--help"]).stdout


def test_the_command_loads_quickly() -> None:
    """`cutweb import --help` must not wait for Arrow or the compiler."""
    code = "import sys, crawler.commands.importing; print(*sys.modules)"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not {"pyarrow", "numba", "numpy", "lxml"} & set(printed.split())
