"""The rules of the house that no linter knows: who reads the clock, who knows what, how large files are."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("crawler", "partition", "sessions")
FILES = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
MOST_LINES = 400

CLOCKS = {"time", "sched", "asyncio", "timeit"}
CLOCK_CALLS = {
    "sleep",
    "now",
    "utcnow",
    "today",
    "monotonic",
    "perf_counter",
    "getitimer",
    "setitimer",
    "alarm",
    "pause",
}
MAY_READ_CLOCKS = {"network.py", "stages.py", "waitingasleep.py", "replay/recordedweb/recordedweb.py"}
"""Webs; what stages cost; and how long others are waited for in an exchange, which is no time of the crawl."""
COMMANDS_THAT_READ_CLOCKS = {"replay/reporting/report.py", "replay/estimating.py"}
"""They say when a report was made, and how long that took; no rank's loop runs in them while they do."""

FOREIGN_TO_THE_LOOP = {
    "asyncio",
    "cchardet",
    "endec",
    "fastwarc",
    "html",
    "http",
    "lxml",
    "mpi4py",
    "pyarrow",
    "pycurl",
    "pymetis",
    "select",
    "socket",
    "ssl",
    "urllib",
    "webencodings",
    "zlib",
}
OWN_BUT_FOREIGN_TO_THE_LOOP = {
    "crawler.charset",
    "crawler.content",
    "crawler.links",
    "crawler.network",
    "crawler.prescan",
    "crawler.reading",
    "crawler.robots",
    "crawler.web_codecs",
    "partition",
    "sessions.tables",
    "sessions.warc",
}


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def imports(tree: ast.AST) -> Iterator[str]:
    """Every module that is imported, and every name from one, in full."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{name.name}" for name in node.names)


def clock_readings(tree: ast.AST) -> list[str]:
    """What in a module reads a clock or sleeps; asking the web for the time does not count."""
    found = [name for name in imports(tree) if name.partition(".")[0] in CLOCKS]
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CLOCK_CALLS:
            called = ast.unparse(node.func)
            if called not in ("web.now", "self._web.now"):
                found.append(called)
    return found


CRAWLER_FILES = sorted((ROOT / "crawler").glob("*.py"))
POLITENESS_FILES = sorted((ROOT / "crawler" / "politeness").glob("*.py"))
DRUM_FILES = sorted((ROOT / "crawler" / "drum").glob("*.py"))
BUDGETS_FILES = sorted((ROOT / "crawler" / "budgets").glob("*.py"))
WATCHING_FILES = sorted((ROOT / "crawler" / "watching").glob("*.py"))
RESUMING_FILES = sorted((ROOT / "crawler" / "resuming").glob("*.py"))
REPLAY_FILES = sorted((ROOT / "crawler" / "replay").rglob("*.py"))


def in_crawler(path: Path) -> str:
    return path.relative_to(ROOT / "crawler").as_posix()


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in CRAWLER_FILES
        + POLITENESS_FILES
        + DRUM_FILES
        + BUDGETS_FILES
        + WATCHING_FILES
        + RESUMING_FILES
        + REPLAY_FILES
        if in_crawler(path) not in MAY_READ_CLOCKS | COMMANDS_THAT_READ_CLOCKS
    ],
    ids=in_crawler,
)
def test_time_belongs_to_the_web(path: Path) -> None:
    assert clock_readings(parsed(path)) == []


@pytest.mark.parametrize(
    "source",
    [
        "import time",
        "from time import sleep",
        "import asyncio.tasks",
        "import datetime\ndatetime.datetime.now()",
        "from datetime import datetime as d\ndef f():\n    return d.now(UTC)",
        "from threading import Event\nimport x\nx.time.sleep(1)",
        "import signal\nsignal.setitimer(0, 1)",
    ],
)
def test_readings_of_clocks_are_found(source: str) -> None:
    assert clock_readings(ast.parse(source))


def test_those_that_may_read_clocks_do() -> None:
    for name in MAY_READ_CLOCKS | COMMANDS_THAT_READ_CLOCKS:
        assert clock_readings(parsed(ROOT / "crawler" / name))


@pytest.mark.parametrize("name", ["rank.py", "workbench.py", "verdict.py", "credits.py", "seen.py", "letin.py"])
def test_the_loop_knows_no_sockets_no_html_no_metis_and_no_file_formats(name: str) -> None:
    for module in imports(parsed(ROOT / "crawler" / name)):
        assert module.partition(".")[0] not in FOREIGN_TO_THE_LOOP
        assert not any(module == own or module.startswith(own + ".") for own in OWN_BUT_FOREIGN_TO_THE_LOOP)


def test_only_the_network_knows_libcurl() -> None:
    users = [path.name for path in FILES if any(name.partition(".")[0] == "pycurl" for name in imports(parsed(path)))]
    assert users == ["network.py", "transfer.py"]


def test_there_are_files_to_look_at() -> None:
    assert len(CRAWLER_FILES) > 30
    assert len(REPLAY_FILES) > 20
    assert len(DRUM_FILES) > 20
    assert len(BUDGETS_FILES) > 10
    assert len(FILES) > len(CRAWLER_FILES) + 10


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_one_idea_a_file(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


def classes() -> Iterator[ast.ClassDef]:
    for file in FILES:
        yield from (node for node in parsed(file).body if isinstance(node, ast.ClassDef))


def methods(node: ast.ClassDef) -> set[str]:
    return {inner.name for inner in node.body if isinstance(inner, ast.FunctionDef) and inner.name[0] != "_"}


def bases(node: ast.ClassDef) -> set[str]:
    return {ast.unparse(base).partition("[")[0] for base in node.bases}


def undocumented(tree: ast.Module, protocols: list[set[str]]) -> Iterator[str]:
    """Public classes, functions and methods without a docstring.

    The methods of a protocol are described there, once, and those that a library calls in the library's own
    documentation: a class that fulfils a protocol, or is made from a library's class, does not repeat it.
    """
    if tree.body and ast.get_docstring(tree) is None:
        yield "the module"
    for node in tree.body:
        if not isinstance(node, ast.ClassDef | ast.FunctionDef) or node.name.startswith("_"):
            continue
        if ast.get_docstring(node) is None:
            yield node.name
        if isinstance(node, ast.ClassDef):
            described = set().union(*(protocol for protocol in protocols if protocol <= methods(node)))
            if not any("." in base for base in bases(node)):
                own = [inner for inner in node.body if isinstance(inner, ast.FunctionDef)]
                named = [inner.name for inner in own if ast.get_docstring(inner) is None]
                yield from (f"{node.name}.{name}" for name in named if name in methods(node) - described)


PROTOCOLS = [methods(node) for node in classes() if "Protocol" in bases(node)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_everything_public_says_what_it_is(path: Path) -> None:
    missing = list(undocumented(parsed(path), PROTOCOLS))
    assert missing == []


def test_a_missing_docstring_is_noticed() -> None:
    code = "'''Module.'''\nclass A:\n    '''A.'''\n    def b(self): ...\n    def _c(self): ...\ndef d(): ...\n"
    assert list(undocumented(ast.parse(code), [])) == ["A.b", "d"]
    assert list(undocumented(ast.parse(code), [{"b"}])) == ["d"]
    assert list(undocumented(ast.parse(code), [{"b", "c"}])) == ["A.b", "d"]
    assert list(undocumented(ast.parse("x = 1"), [])) == ["the module"]


@pytest.mark.parametrize(
    "seam",
    [
        *("crawler/web.py", "crawler/ordering.py", "crawler/visits.py", "crawler/pacing.py", "crawler/admission.py"),
        *("crawler/watching/watcher.py", "crawler/replay/recordedweb/answers.py", "partition/assignment.py"),
    ],
)
def test_every_method_of_a_seam_says_what_it_does(seam: str) -> None:
    protocols = [
        node
        for node in parsed(ROOT / seam).body
        if isinstance(node, ast.ClassDef) and any(ast.unparse(base) == "Protocol" for base in node.bases)
    ]
    assert protocols
    for protocol in protocols:
        for method in protocol.body:
            if isinstance(method, ast.FunctionDef):
                assert ast.get_docstring(method), method.name


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_tells_its_story(package: str) -> None:
    assert ast.get_docstring(parsed(ROOT / package / "__init__.py"))


@pytest.mark.parametrize("path", CRAWLER_FILES, ids=lambda path: path.name)
def test_every_module_of_the_crawler_has_its_tests(path: Path) -> None:
    tested_elsewhere = {
        "__init__.py": "a docstring",
        "__main__.py": "test_main.py",
        "assembly.py": "test_rank.py",
        "crawl.py": "test_rank.py",
        "modes.py": "test_discovery_modes.py",
        "parked.py": "test_shares.py and test_workbench.py",
        "visits.py": "a protocol; test_politevisits.py and replay/recordedweb/test_plainvisits.py",
        "web.py": "test_network.py",
    }
    assert path.name in tested_elsewhere or (Path(__file__).parent / f"test_{path.name}").exists()


@pytest.mark.parametrize("path", POLITENESS_FILES, ids=lambda path: path.name)
def test_every_module_of_politeness_has_its_tests(path: Path) -> None:
    tested_elsewhere = {
        "__init__.py": "a docstring",
        "messages.py": "test_simulation.py",
        "post.py": "tests/mpi/test_post.py",
        "share.py": "tests/crawler/test_shares.py",
        "site.py": "test_leases.py",
    }
    tests = Path(__file__).parent / "politeness"
    assert path.name in tested_elsewhere or (tests / f"test_{path.name}").exists()


@pytest.mark.parametrize("path", DRUM_FILES + BUDGETS_FILES, ids=in_crawler)
def test_every_module_of_drum_and_budgets_has_its_tests(path: Path) -> None:
    tests = Path(__file__).parent / path.parent.name
    assert path.name == "__init__.py" or (tests / f"test_{path.name}").exists()


@pytest.mark.parametrize("path", WATCHING_FILES, ids=in_crawler)
def test_every_module_of_watching_has_its_tests(path: Path) -> None:
    tested_elsewhere = {"__init__.py": "a docstring", "watcher.py": "a protocol; test_watchers.py"}
    assert path.name in tested_elsewhere or (Path(__file__).parent / "watching" / f"test_{path.name}").exists()


@pytest.mark.parametrize("path", RESUMING_FILES, ids=in_crawler)
def test_every_module_of_resuming_has_its_tests(path: Path) -> None:
    assert path.name == "__init__.py" or (Path(__file__).parent / "resuming" / f"test_{path.name}").exists()


@pytest.mark.parametrize("path", REPLAY_FILES, ids=in_crawler)
def test_every_module_of_the_replay_has_its_tests(path: Path) -> None:
    tested_elsewhere = {
        "__init__.py": "a docstring",
        "afterwards.py": "test_command.py",
        "answers.py": "a protocol; test_recordedpages.py and test_storedbodies.py",
        "estimating.py": "test_inoneprocess.py",
        "page.py": "test_report.py",
        "planning.py": "test_command.py",
        "replaying.py": "test_command.py and tests/mpi/test_replay.py",
        "reportfiles.py": "test_report.py",
        "roundpost.py": "test_commontime.py and tests/mpi/test_replay.py",
        "settings.py": "test_asking.py",
    }
    tests = Path(__file__).parent / path.parent.relative_to(ROOT / "crawler")
    assert path.name in tested_elsewhere or (tests / f"test_{path.name}").exists()
