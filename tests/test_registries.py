"""A further ordering, hash, model or rule is one file and one line: options, help, files and what uses them follow."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from crawler.frontier.orderings import ORDERINGS
from partition.assignment.assignment import Assignment
from partition.choices import ASSIGNMENTS, DURATIONS, LEARNERS, LEARNT_MODELS, MODELS, UNKNOWN_RULES
from partition.map.partition_map import PartitionMap
from sessions.localweb.generate.make import make_web
from sessions.localweb.serve.server import LocalWeb
from sessions.registry import Choice, Registry
from sessions.session import DISCOVERER, Session
from sessions.url import url_hashes

STRANGE = "http://nowhere.example/never-seen"
NEW = {
    "ordering": '''
import numpy as np
from crawler.frontier.ordering import BreadthFirst
from crawler.urls.batch import joined

class NewestFirst(BreadthFirst):
    """Last found, first fetched."""

    def take(self, count):
        everything = joined(list(self.drain()))
        first = max(0, len(everything) - count)
        self.add(everything.take(np.arange(first)))
        return everything.take(np.arange(first, len(everything))[::-1])
''',
    "assignment": """
import numpy as np

class FirstRank:
    name = "first"
    unit = "page"

    def __init__(self, ranks):
        self.ranks = ranks

    def owners(self, hashes, urls):
        return np.zeros(len(hashes), np.int32)

    def asked_by(self, rank):
        return self
""",
    "model": """
import numpy as np
from partition.models.model import Model

def in_turns(graph, balance):
    return np.arange(len(graph), dtype=np.int32) % balance.parts

TURNS = Model("pages", needs_urls=False, divide=in_turns)
""",
    "rule": """
import numpy as np
from partition.map.unknown_rules import UnknownRule

LAST = UnknownRule(lambda table, rank: lambda hashes, urls: np.full(len(hashes), table.parts - 1, np.int32))
""",
}
COMMAND = """
import sys
sys.path.insert(0, {folder!r})
from crawler.frontier.orderings import ORDERINGS
from partition.choices import ASSIGNMENTS, MODELS, UNKNOWN_RULES
from sessions.registry import Choice
ORDERINGS.add(Choice("newest", "the last found first", "new_ordering:NewestFirst"))
ASSIGNMENTS.add(Choice("first", "nothing but the first rank", "new_assignment:FirstRank"))
MODELS.add(Choice("turns", "nothing at all", "new_model:TURNS"))
UNKNOWN_RULES.add(Choice("last", "the last part", "new_rule:LAST"))
from crawler.main import main
main()
"""


@pytest.mark.parametrize(
    "registry",
    [ORDERINGS, ASSIGNMENTS, MODELS, LEARNT_MODELS, LEARNERS, DURATIONS, UNKNOWN_RULES],
    ids=lambda registry: registry.kind,
)
def test_every_choice_is_where_it_says(registry: Registry) -> None:
    assert all(registry.load(name) is not None for name in registry)


def test_a_choice_that_there_is_not_is_told() -> None:
    with pytest.raises(ValueError, match="no model 'domain'; there are page, site, prefix, url-range"):
        MODELS.load("domain")
    registry = Registry("colour", Choice("red", "like blood", "builtins:int"))
    registry.add(Choice("blue", "like the sky", "builtins:str"))
    assert registry.told() == "red: like blood; blue: like the sky"
    assert (list(registry), "blue" in registry, registry.load("blue")) == (["red", "blue"], True, str)


def test_the_rule_that_sessions_know_by_name_is_there() -> None:
    assert [name for name in UNKNOWN_RULES if UNKNOWN_RULES.load(name).depends_on_finder] == [DISCOVERER]


class House:
    """Cutweb with one ordering, one assignment, one model and one rule more."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name, text in NEW.items():
            (folder / f"new_{name}.py").write_text(text)

    def __call__(self, *arguments: str) -> str:
        command = [sys.executable, "-c", COMMAND.format(folder=str(self.folder)), *arguments]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    return House(tmp_path_factory.mktemp("house"))


@pytest.fixture(scope="module")
def crawled(house: House) -> Session:
    """A crawl in the new ordering."""
    made = make_web(house.folder / "web.warc.gz", sites=2, pages=40, seed=5)
    with LocalWeb([house.folder / "web.warc.gz"]) as web:
        quick = ["--delay", "0", "--server-delay", "0", "--superstep", "0.1", "--contact", "me@a.example"]
        where = ["--connect-to", web.connect_to, "--scope", "sites"]
        house("crawl", *made.seeds, "--out", "session", "--order", "newest", *where, *quick)
    return Session.open(house.folder / "session")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (
            "crawl",
            [
                "[bfs|budget|backlink|backlink-page|priority|random|newest]",
                "newest: the last found first",
                "first: nothing but the first rank",
                "last: the last part",
            ],
        ),
        ("partition", ["site-packed|turns|twoma]", "turns: nothing at all", "discoverer|last]", "last: the last part"]),
        ("quality", ["turns", "first"]),
        ("replay", ["turns", "site-ring|first]"]),
    ],
)
def test_they_stand_in_the_help(house: House, command: str, words: list[str]) -> None:
    told = "".join(house(command, "--help").split())
    assert [one for one in words if "".join(one.split()) not in told] == []


def test_a_new_ordering_crawls(house: House, crawled: Session) -> None:
    assert crawled.header["configuration"]["order"] == "newest"
    assert len(set(crawled.read("pages", ["url"])["url"].to_pylist())) >= 40
    assert "good" in house("check", "session")


def test_a_new_assignment_assigns(house: House, crawled: Session) -> None:
    house("replay", "session", "--estimate", "--assign", "first", "--parts", "3", "--out", "all-on-first")
    told = json.loads((house.folder / "all-on-first" / "report.json").read_text())
    assert "'first'" in repr(told)


def test_a_new_model_cuts_and_a_new_rule_assigns(
    house: House, crawled: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    house("partition", "session", "--parts", "3", "--model", "turns", "--unknown", "last", "--out", "map")
    house("replay", "session", "--estimate", "--partition", "map", "--out", "estimate")
    monkeypatch.syspath_prepend(str(house.folder))
    for registry, choice in (
        (MODELS, Choice("turns", "nothing at all", "new_model:TURNS")),
        (UNKNOWN_RULES, Choice("last", "the last part", "new_rule:LAST")),
    ):
        monkeypatch.setattr(registry, "_choices", dict(registry))
        registry.add(choice)
    from partition.map.partition_assignment import PartitionAssignment

    table = PartitionMap.open(house.folder / "map")
    assert table.manifest.origin.model == "turns"
    assignment: Assignment = PartitionAssignment(table, 0)
    urls = [*sorted(set(crawled.read("pages", ["url"])["url"].to_pylist())), STRANGE]
    owners = assignment.owners(url_hashes(urls), urls)
    counts = [int((owners[:-1] == part).sum()) for part in range(3)]
    assert max(counts) - min(counts) <= 1
    assert owners[-1] == 2
