"""The commands `cutweb web make`, `serve` and `export`, as a user calls them."""

import http.client
import signal
import socket
import ssl
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from crawler.commands.web import web
from sessions.localweb.evolve.rates import Rates
from sessions.localweb.generate.make import MadeWeb
from tests.sessions.conftest import WriteWarc
from tests.sessions.localweb.support.warcs import record_bytes, response

_PROGRAM = [sys.executable, "-c", "from crawler.commands.web import web; web()"]


def _run(*arguments: str | int | Path) -> Result:
    return CliRunner().invoke(web, list(map(str, arguments)))


def test_make_prints_what_it_made(tmp_path: Path) -> None:
    out = tmp_path / "web.warc.gz"
    result = _run("make", "--sites", 3, "--pages", 30, "--seed", 2, "--links", 5, "--out", out)
    assert result.exit_code == 0
    lines = dict(line.split(": ", 1) for line in result.output.splitlines())
    assert list(lines) == ["file", "sites", "pages", "links", "bytes", "seeds"]
    assert lines["file"] == str(out)
    assert lines["sites"].startswith("3 in ")
    assert lines["pages"].startswith("30 and 8 redirects")
    seeds = Path(lines["seeds"]).read_text().splitlines()
    assert len(seeds) == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["web.seeds.txt", "web.warc.gz"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--sites", "9", "--pages", "8"),
        ("--sites", "-1"),
        ("--pages", "-1"),
        ("--links", "-1"),
        ("--robots", "2"),
        ("--page-kb", "x"),
    ],
)
def test_make_refuses_bad_input_in_one_line(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    result = _run("make", *arguments, "--out", tmp_path / "web.warc.gz")
    assert result.exit_code == 2
    assert sum(line.startswith(("Error: ", "cutweb web make: ")) for line in result.output.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_make_leaves_an_existing_file_alone(tmp_path: Path) -> None:
    out = tmp_path / "web.warc.gz"
    out.write_text("mine")
    result = _run("make", "--sites", 1, "--pages", 1, "--out", out)
    assert result.exit_code == 2
    assert f"{out} exists already" in result.output
    assert out.read_text() == "mine"
    assert "there is no folder" in _run("make", "--out", tmp_path / "absent" / "web.warc.gz").output


def test_evolving_prints_what_happened(made: MadeWeb, tmp_path: Path) -> None:
    out = tmp_path / "web-7.warc.gz"
    result = _run("make", "--evolve-from", made.path, "--days", 7, "--births", 0.02, "--seed", 2, "--out", out)
    assert result.exit_code == 0
    lines = [line.split(": ", 1) for line in result.stdout.splitlines()]
    assert [name for name, _ in lines] == [
        *("file", "sites", "pages", "edited", "links", "links", "unchanged", "unreachable from the seeds", "seeds")
    ]
    assert lines[0][1] == f"{out}, 7 days after web.warc.gz, as of 2024-01-08"
    assert all(word in lines[2][1] for word in ("born", "gone"))
    assert len((tmp_path / "web-7.seeds.txt").read_text().split()) >= 35
    again = _run("make", "--evolve-from", made.path, "--days", 7, "--out", out)
    assert again.exit_code == 2
    assert f"{out} exists already" in again.output


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--evolve-from", "WEB"), "needs --days"),
        (("--evolve-from", "WEB", "--days", "0"), "days must be between"),
        (("--evolve-from", "WEB", "--days", "7", "--sites", "40"), "--sites does not go with --evolve-from"),
        (("--evolve-from", "WEB", "--days", "7", "--page-kb", "3"), "--page-kb does not go"),
        (("--evolve-from", "WEB", "--days", "7", "--deaths", "-1"), "rate of deaths"),
        (("--evolve-from", "WEB", "--days", "7", "--link-edits", "1"), "must not be larger"),
        (("--evolve-from", "absent", "--days", "7"), "absent: No such file"),
        (("--days", "7"), "--days only goes with --evolve-from"),
        (("--new-sites", "0.1"), "--new-sites only goes with"),
    ],
)
def test_evolving_refuses_bad_input_in_one_line(
    made: MadeWeb, tmp_path: Path, arguments: tuple[str, ...], complaint: str
) -> None:
    given = [str(made.path) if argument == "WEB" else argument for argument in arguments]
    result = _run("make", *given, "--out", tmp_path / "web.warc.gz")
    assert result.exit_code == 2
    (line,) = [line for line in result.output.splitlines() if line.startswith(("Error: ", "cutweb web make: "))]
    assert complaint in line
    is_misuse = any(word in complaint for word in ("needs", "only goes", "does not go"))
    assert is_misuse or result.output == f"{line}\n"
    assert list(tmp_path.iterdir()) == []


def test_the_help_gives_the_default_rates() -> None:
    text = " ".join(_run("make", "--help").output.split())
    for rate in fields(Rates):
        own = text.partition(f"--{rate.name.replace('_', '-')} FLOAT")[2]
        assert own.partition("[default: ")[2].partition("]")[0] == f"{rate.default:g}"


_STOPPED = """
import signal
from crawler.commands import web

def before_its_end(make):
    def made(*arguments, **options):
        from sessions.localweb import web_files  # not before: what is loaded must have the signals blocked

        def stop(*_):
            print("there", flush=True)
            while True:
                signal.pause()

        web_files.os.link = stop
        return make(*arguments, **options)

    return made

web._invent, web._evolve = before_its_end(web._invent), before_its_end(web._evolve)
web.web()
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_leaves_nothing_of_a_web(tmp_path: Path, number: int) -> None:
    command = [sys.executable, "-c", _STOPPED, "make", "--sites", "3", "--pages", "30", "--out", tmp_path / "web.warc"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "there\n"
            assert list(tmp_path.glob(".web.warc-*/web.warc"))
            process.send_signal(number)
            told, error = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (process.returncode, told, error) == (128 + number, "", "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_serve_says_how_to_reach_it_and_ends_on_a_signal(made: MadeWeb, tmp_path: Path, number: int) -> None:
    seeds = tmp_path / "seeds.txt"
    arguments = ["serve", str(made.path), "--port", "0", "--seeds-out", str(seeds)]
    with subprocess.Popen([*_PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            first, second = server.stdout.readline().split(), server.stdout.readline().split()
            port = int(first[-1].rpartition(":")[2])
            pages = made.pages + made.redirects + made.robots
            assert " ".join(first) == f"serving {pages:,} pages of 40 sites on http(s)://127.0.0.1:{port}"
            assert second[:4] == ["use:", "--connect-to", f"::127.0.0.1:{port}", "--ca-cert"]
            assert Path(second[4]).exists()
            assert seeds.read_text().split() == sorted(made.seeds)
            client = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            client.request("GET", "/", headers={"Host": made.seeds[0].split("/")[2]})
            assert client.getresponse().status == 200
            client.close()
        finally:
            server.send_signal(number)
            output, errors = server.communicate(timeout=60)
    assert (server.returncode, output, errors) == (0, "", "")
    assert not Path(second[4]).exists()


def test_seeds_and_certificate_of_pages_of_others(write_warc: WriteWarc, tmp_path: Path) -> None:
    urls = ("https://a.example/", "https://b.example/long/way", "https://b.example/way", "https://b.example/robots.txt")
    path = write_warc((record_bytes("response", url, response(b"x")) for url in urls), "others.warc")
    seeds, certificate = tmp_path / "seeds.txt", tmp_path / "ca.pem"
    arguments = ["serve", str(path), "--seeds-out", str(seeds), "--ca-cert-out", str(certificate)]
    with subprocess.Popen([*_PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            first, second = server.stdout.readline(), server.stdout.readline()
            assert first.startswith("serving 4 pages of 2 sites on")
            assert second.endswith(f" --ca-cert {certificate}\n")
            assert seeds.read_text().split() == ["https://a.example/", "https://b.example/way"]
            trusting = ssl.create_default_context(cafile=str(certificate))
            port = int(first.rpartition(":")[2])
            plain = socket.create_connection(("127.0.0.1", port), timeout=5)
            with trusting.wrap_socket(plain, server_hostname="b.example") as trusted:
                trusted.sendall(b"GET /way HTTP/1.1\r\nHost: b.example\r\nConnection: close\r\n\r\n")
                assert b" 200 " in trusted.recv(4096)
        finally:
            server.terminate()
            _, errors = server.communicate(timeout=60)
    assert errors == "warning: b.example has no root page here; its seed is https://b.example/way\n"


@pytest.mark.parametrize("option", ["--seeds-out", "--ca-cert-out"])
def test_a_file_that_cannot_be_written_is_named_before_anybody_is_served(
    write_warc: WriteWarc, tmp_path: Path, option: str
) -> None:
    path = write_warc([record_bytes("response", "http://a.example/", response(b"x"))], "others.warc")
    done = _run("serve", path, option, tmp_path / "none" / "file")
    assert done.exit_code == 2
    assert done.output == f"cutweb web serve: {tmp_path / 'none'}: no such folder\n"


@pytest.mark.parametrize("command", [["serve"], ["export", "--out", "unused"]])
def test_missing_and_strange_files_are_named(tmp_path: Path, command: list[str]) -> None:
    strange = tmp_path / "strange"
    strange.write_text("hello")
    for path, complaint in ((strange, "is not a WARC file"), (tmp_path / "absent", "No such file")):
        result = _run(*command, path)
        assert result.exit_code == 2
        (line,) = result.output.splitlines()
        assert line.startswith(f"cutweb web {command[0]}: ")
        assert str(path) in line
        assert complaint in line


def test_serve_warns_of_a_file_cut_off(write_warc: WriteWarc) -> None:
    whole = [record_bytes("response", f"http://a.example/{n}", response(b"x" * 1000)) for n in range(3)]
    path = write_warc(whole, "cut.warc")
    path.write_bytes(path.read_bytes()[:-100])
    with subprocess.Popen(
        [*_PROGRAM, "serve", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            assert server.stdout.readline().startswith("serving 2 pages of 1 site on")
        finally:
            server.terminate()
            _, errors = server.communicate(timeout=60)
    assert errors.startswith(f"warning: {path} is cut off or damaged at offset {2 * len(whole[0])}")
    assert server.returncode == 0


def test_a_made_web_of_https_is_exported_with_a_certificate_for_each_host(tmp_path: Path) -> None:
    made, out = tmp_path / "web.warc.gz", tmp_path / "out"
    assert _run("make", "--sites", 3, "--pages", 20, "--https", "--robots", 1, "--out", made).exit_code == 0
    result = _run("export", made, "--out", out, "--port", 8081, "--tls-port", 8443)
    assert result.exit_code == 0
    assert "left out" not in result.output
    authority = out / "tls" / "authority.pem"
    assert (
        f"use: --connect-to :80:127.0.0.1:8081 --connect-to :443:127.0.0.1:8443 --ca-cert {authority}" in result.output
    )
    hosts = {line.split("/")[2] for line in (tmp_path / "web.seeds.txt").read_text().split()}
    assert len(hosts) == 3
    assert {path.name for path in out.glob("tls/*.pem")} == {authority.name, *(f"{host}.pem" for host in hosts)}


def test_export_refuses_one_port_for_http_and_https(tmp_path: Path) -> None:
    made = tmp_path / "web.warc.gz"
    assert _run("make", "--sites", 1, "--pages", 2, "--out", made).exit_code == 0
    result = _run("export", made, "--out", tmp_path / "out", "--port", 8443, "--tls-port", 8443)
    assert result.exit_code == 2
    assert "8443 cannot be the port of both http and https" in result.output
    assert not (tmp_path / "out").exists()


def test_export_prints_what_was_left_out_and_how_to_start(write_warc: WriteWarc, tmp_path: Path) -> None:
    urls = ("http://a.example/", "https://a.example/", "https://b.example/")
    path = write_warc(record_bytes("response", url, response(b"x", "X-Cutweb-Delay: 1")) for url in urls)
    result = _run("export", path, "--out", tmp_path / "out", "--port", 8081)
    assert result.exit_code == 0
    assert "warning: 2 pages left out: https (see --tls-port and --http-for-https)" in result.output
    assert "warning: 1 slow pages will answer at once" in result.output
    assert f"exported 1 pages to {tmp_path / 'out'}" in result.output
    assert f"-c {tmp_path / 'out' / 'nginx.conf'}\n" in result.output
    assert "nginx.conf -s stop" in result.output
    assert "use: --connect-to ::127.0.0.1:8081" in result.output
    assert "exists" in _run("export", path, "--out", tmp_path / "out").output


def test_help_has_examples_and_loads_nothing_heavy() -> None:
    for command in ("make", "serve", "export"):
        assert "cutweb web " + command in _run(command, "--help").output
    code = "import sys; import crawler.commands.web; print('numpy' in sys.modules, 'trustme' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False False\n"


def test_a_port_that_is_taken_is_named_in_one_line(made: MadeWeb) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = _run("serve", made.path, "--port", port)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"cutweb web serve: 127.0.0.1:{port}: Address already in use\n"


def test_all_options_that_would_do_nothing_are_named(tmp_path: Path) -> None:
    result = _run("make", "--evolve-from", "x", "--sites", 3, "--pages", 30, "--out", tmp_path / "web.warc.gz")
    assert result.exit_code == 2
    assert result.stderr.splitlines() == [
        "cutweb web make: --sites does not go with --evolve-from",
        "cutweb web make: --pages does not go with --evolve-from",
        "cutweb web make: --evolve-from needs --days, the number of days to let pass",
    ]
