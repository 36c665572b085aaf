"""What commands say: one boundary, and nothing of what comes from outside is obeyed behind it."""

import ast
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from crawler import main as main_module
from crawler.process.mpi_environment import RANK_VARIABLES
from crawler.process.terminal import overwrite, refuse, tell, tell_json, tell_of
from sessions.schema import FAILED, FILTERED
from sessions.visible import visible, visible_json
from tests.crawler.test_house import FILES, ROOT
from tests.sessions.support.breaking import edit_header
from tests.sessions.support.builder import HOME, OTHERS, PAGES, Crawl

OBEYED = "\x1b[2J\x1b]0;owned\x07\x9b31m\r\x08\x7f\u202eevil\u2066\u2028\x85"
"""Clears the screen, sets a title, changes colours, goes back, turns the order of letters round."""
FOUND = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f]")
BOUNDARY = {"crawler/process/terminal.py"}


@pytest.mark.parametrize(
    "character", [*map(chr, [*range(32), *range(127, 160)]), *"\u061c\u200f\u202e\u2069\u2029\ud800"]
)
def test_what_a_terminal_would_obey_becomes_an_escape(character: str) -> None:
    assert visible(f"a{character}b") == f"a\\u{ord(character):04x}b"


def test_all_else_stays_as_it_is() -> None:
    text = "".join(map(chr, range(32, 127))) + "\u00a0\u00e9\u6f22\u0645\u200c\U0001f600"
    assert visible(text) == text


def test_json_has_no_control_characters_and_says_the_same() -> None:
    text = visible_json({"x\x7f": [OBEYED]}, indent=1)
    assert FOUND.search(text) is None
    assert text.isascii()
    assert ast.literal_eval(text) == {"x\x7f": [OBEYED]}


def test_every_way_to_say_something_is_safe(capsys: pytest.CaptureFixture[str]) -> None:
    tell(OBEYED, "two\nlines")
    tell(OBEYED, err=True)
    tell_json({"x": OBEYED})
    tell_of(OBEYED, OBEYED)
    refuse("cutweb x", OBEYED, "b")
    overwrite(OBEYED)
    said = capsys.readouterr()
    assert FOUND.search(said.out) is None
    assert "two\\u000alines\n" in said.out
    assert FOUND.search(said.err.replace("\r", "", 1)) is None
    assert "\ncutweb x: b\n" in said.err


def test_an_error_that_nobody_expected_is_told_safely() -> None:
    code = "from crawler.process import terminal\nterminal.tell_of_errors()\nraise ValueError('a\\x1b[2J\\u202eb')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=ROOT, check=False, timeout=60)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == b"ValueError: a\\u001b[2J\\u202eb"
    assert b"Traceback" in done.stderr


def test_nothing_is_printed_but_at_the_boundary() -> None:
    said = {"print", "click.echo", "click.secho", "sys.stdout.write", "sys.stderr.write", "Console"}
    for path in FILES:
        if path.relative_to(ROOT).as_posix() not in BOUNDARY:
            calls = [node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
            assert {ast.unparse(function) for function in calls} & said == set(), path


Cutweb = Callable[..., tuple[int, str]]


@pytest.fixture
def cutweb(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Cutweb:
    """Run ``cutweb`` with arguments as its entry point does, in this process; exit code and all that it said."""
    for name in RANK_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)

    def run(*arguments: object) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["cutweb", *map(str, arguments)])
        capfd.readouterr()
        with pytest.raises(SystemExit) as left:
            main_module.main()
        said = capfd.readouterr()
        return int(left.value.code or 0), said.out + said.err

    return run


@pytest.fixture
def evil(tmp_path: Path) -> Path:
    """A session whose URLs, types, errors, reasons, header and name are full of what a terminal obeys."""
    path = tmp_path / f"ses{OBEYED}sion\n"
    crawl = Crawl(path, ranks=2)
    home, page = HOME + OBEYED, PAGES[0] + OBEYED
    crawl.ranks[0].discover([home, page, PAGES[1], PAGES[2]])
    crawl.ranks[1].discover([OTHERS[0] + OBEYED])
    crawl.ranks[0].fetch(home, b"page", links=[(page, 0), (PAGES[1], 0)], content_type=f"text/{OBEYED}")
    crawl.ranks[0].fetch(page, b"another", error=OBEYED)
    crawl.ranks[0].settle(PAGES[1], FAILED, f"reason{OBEYED}")
    crawl.ranks[0].settle(PAGES[2], FILTERED, f"rule{OBEYED}")
    crawl.commit("complete")
    crawl.close()
    edit_header(path, lambda header: header.update(software=f"cutweb{OBEYED}", previous=f"before{OBEYED}"))
    return path


def test_no_command_passes_on_what_a_terminal_would_obey(cutweb: Cutweb, evil: Path, tmp_path: Path) -> None:
    out, gone = tmp_path / "out", tmp_path / f"gone{OBEYED}"
    (tmp_path / f"seeds{OBEYED}").write_text(f"http://a.example/\nftp://{OBEYED}/\n")
    (tmp_path / f"conf{OBEYED}").write_text('nonsense = "x"\n')
    bad_seeds = ("--seeds", tmp_path / f"seeds{OBEYED}")
    done = [
        (0, "info", evil),
        (0, "info", "--json", evil),
        (0, "info", "--watch", evil),
        (1, "check", evil),
        (1, "check", "--json", evil),
        (0, "diff", evil, evil),
        (0, "diff", "--json", "-", evil, evil),
        (0, "export", evil, "--format", "edges", "--out", tmp_path / f"edges{OBEYED}"),
        (0, "partition", evil, "--parts", 2, "--model", "prefix", "--out", tmp_path / f"map{OBEYED}"),
        (2, "partition", gone, "--parts", 2, "--out", out),
        (2, "quality", gone, "--parts", 2, "--out", out),
        (2, "advise", gone, "--ranks", 2),
        (2, "export", gone, "--format", "edges", "--out", out),
        (2, "info", gone),
        (2, "import", "edges", gone, "--out", out),
        (0, "replay", evil, "--estimate", "--parts", 2, "--models", "page-hash", "--out", tmp_path / f"rep{OBEYED}"),
        (2, "replay", gone, "--out", out),
        (2, "crawl", *bad_seeds, "--out", out, "--partition", gone, "--ca-cert", gone, "--scope", gone),
        (2, "crawl", OBEYED, "--contact", "me@a.example", "--out", evil),
        (2, "crawl", "--resume", gone),
        (2, "crawl", "--config", tmp_path / f"conf{OBEYED}"),
        (2, "crawl", f"--{OBEYED}"),
        (2, "crawl", "--max-pages", OBEYED),
        (2, OBEYED),
        (2, "info"),
        (2, "info", evil, OBEYED),
        (2, "web", "make", "--sites", OBEYED, "--out", out),
        (2, "web", "serve", gone),
        (2, "web", "export", gone, "--out", out),
        (0, "slurm", "init", tmp_path / f"jobs{OBEYED}"),
    ]
    shown = 0
    for code, *arguments in done:
        found, said = cutweb(*arguments)
        assert FOUND.search(said) is None, (arguments, said)
        assert found == code, (arguments, said)
        shown += "\\u001b[2J" in said
    assert shown >= len(done) - 6, "of some commands the words do not depend on what is hostile here"


COMMANDS = [
    ["crawl", "--no-such"],
    ["crawl"],
    ["import", "edges"],
    ["import", "warc", "--no-such"],
    ["import", "webgraph", "none", "--out", "x"],
    ["replay"],
    ["replay", "none", "--estimate", "--parts", "x", "--out", "x"],
    ["info", "none"],
    ["info"],
    ["check", "none"],
    ["diff", "none", "none"],
    ["partition", "none"],
    ["quality", "none", "--parts", "2", "--out", "x"],
    ["advise", "none"],
    ["export", "none", "--format", "no-such", "--out", "x"],
    ["web", "make", "--pages", "-1", "--out", "x"],
    ["web", "serve", "none"],
    ["web", "export", "none", "--out", "x"],
    ["web", "serve"],
    ["slurm", "init"],
    ["no-such"],
    ["--no-such"],
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_error_lines_begin_alike(
    cutweb: Cutweb, arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, said = cutweb(*arguments)
    assert code == 2
    words = [word for word in arguments[:2] if not word.startswith("-") and word not in ("none", "no-such")]
    name = " ".join(["cutweb", *words])
    assert said
    assert [line for line in said.splitlines() if not line.startswith(f"{name}: ")] == []
    assert list(tmp_path.iterdir()) == []
