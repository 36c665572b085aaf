"""The rules of the house that no linter knows: who reads the clock, who knows what, how large files are."""

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
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
READS_THE_CLOCK = "Reads the clock:"
"""With these words the docstring of a module of the crawler says why it may."""
COMMAND_LINE = {"commands"}
"""The room in which no rank's loop runs."""

ROOMS_OF_LIBRARIES = {
    "asyncio": {"sessions.localweb"},
    "cchardet": {"crawler.pages"},
    "click": {"crawler.commands", "crawler.config", "crawler.main", "crawler.replay"},
    "cryptography": {"crawler.work", "sessions.localweb"},
    "endec": {"crawler.pages"},
    "fastwarc": {"sessions.checking", "sessions.storage"},
    "greenlet": {"crawler.replay"},
    "lxml": {"crawler.pages"},
    "marisa_trie": {"partition.map"},
    "mpi4py": {
        *("crawler.exchange", "crawler.launch", "crawler.politeness", "crawler.process", "crawler.rank"),
        "crawler.replay",
    },
    "networkx": {"sessions.networkx_graph", "sessions.session", "sessions.site_graph"},
    "numba": {"sessions.compiled"},
    "pycurl": {"crawler.network"},
    "pymetis": {"partition.cut"},
    "select": {"crawler.network", "crawler.process"},
    "socket": {"crawler.launch", "crawler.network", "sessions.localweb"},
    "ssl": {"crawler.launch", "sessions.localweb"},
    "subprocess": {"crawler.launch"},
    "webencodings": {"crawler.pages"},
}
"""The rooms that know a library; no other room imports it."""


@cache
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


@cache
def packages_imported(path: Path) -> frozenset[str]:
    return frozenset(name.partition(".")[0] for name in imports(parsed(path)))


def clock_readings(tree: ast.AST) -> list[str]:
    """What in a module reads a clock or sleeps; asking the web for the time does not count."""
    found = [name for name in imports(tree) if name.partition(".")[0] in CLOCKS]
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CLOCK_CALLS:
            called = ast.unparse(node.func)
            if called not in ("web.now", "self._web.now", "frame.web.now"):
                found.append(called)
    return found


def room_of(path: Path) -> str:
    """The package and the room in it, as in ``crawler.pages``."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts[:2])


def may_read_clocks(path: Path) -> bool:
    return READS_THE_CLOCK in (ast.get_docstring(parsed(path)) or "")


CRAWLER_FILES = [path for path in FILES if path.is_relative_to(ROOT / "crawler")]
LOOP_FILES = [path for path in CRAWLER_FILES if path.relative_to(ROOT / "crawler").parts[0] not in COMMAND_LINE]


def test_time_belongs_to_the_web() -> None:
    """Whoever reads a clock says why; whoever says so does."""
    readers = [path for path in LOOP_FILES if clock_readings(parsed(path))]
    assert readers == [path for path in LOOP_FILES if may_read_clocks(path)]


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


@pytest.mark.parametrize("library", ROOMS_OF_LIBRARIES)
def test_a_library_is_known_in_its_rooms_only(library: str) -> None:
    users = {room_of(path) for path in FILES if library in packages_imported(path)}
    assert users == ROOMS_OF_LIBRARIES[library]


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imports_when_it_runs(tree: ast.Module) -> Iterator[str]:
    """Every import but those for the type checker alone."""
    for node in tree.body:
        if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            yield from imports(node)


def test_no_module_imports_itself_by_way_of_others() -> None:
    """Imports within functions count: one that is put off to break a circle leaves the circle to be understood."""
    names = {module_name(path) for path in FILES}
    imported = {module_name(path): names.intersection(imports_when_it_runs(parsed(path))) for path in FILES}
    circle: list[str] = []
    try:
        TopologicalSorter(imported).prepare()
    except CycleError as error:
        circle = error.args[1]
    assert circle == []


def test_there_are_files_to_look_at() -> None:
    assert len(LOOP_FILES) > 150
    assert len(FILES) > len(CRAWLER_FILES) + 150


def test_one_idea_a_file() -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert {path: length for path, length in lengths.items() if length > MOST_LINES} == {}


def classes() -> Iterator[ast.ClassDef]:
    for file in FILES:
        yield from (node for node in parsed(file).body if isinstance(node, ast.ClassDef))


@pytest.mark.parametrize("floor", ["crawler", "partition", "sessions"])
def test_one_word_for_one_thing(floor: str) -> None:
    trees = [parsed(path) for path in FILES if path.relative_to(ROOT).parts[0] == floor]
    names = Counter(node.name for tree in trees for node in tree.body if isinstance(node, ast.ClassDef))
    assert [name for name, count in names.items() if count > 1 and not name.startswith("_")] == []


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


def test_everything_public_says_what_it_is() -> None:
    missing = {path: list(undocumented(parsed(path), PROTOCOLS)) for path in FILES}
    assert {path: names for path, names in missing.items() if names} == {}


def test_a_missing_docstring_is_noticed() -> None:
    code = "'''Module.'''\nclass A:\n    '''A.'''\n    def b(self): ...\n    def _c(self): ...\ndef d(): ...\n"
    assert list(undocumented(ast.parse(code), [])) == ["A.b", "d"]
    assert list(undocumented(ast.parse(code), [{"b"}])) == ["d"]
    assert list(undocumented(ast.parse(code), [{"b", "c"}])) == ["A.b", "d"]
    assert list(undocumented(ast.parse("x = 1"), [])) == ["the module"]


def test_every_method_of_a_seam_says_what_it_does() -> None:
    for node in classes():
        if "Protocol" in bases(node):
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and method.name != "__call__":
                    assert ast.get_docstring(method), f"{node.name}.{method.name}"


def test_every_room_tells_its_story() -> None:
    packages = sorted({path.parent for path in FILES})
    assert [package for package in packages if not ast.get_docstring(parsed(package / "__init__.py"))] == []
