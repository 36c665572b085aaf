"""The states that sites go through, and who writes their fields, against the tables of docs/politeness.md."""

import ast
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crawler.fetching.site_table import SiteTable
from crawler.politeness.agenda import ScheduledSite
from crawler.politeness.delays import ALIKE
from crawler.politeness.entry import Entry, Errand
from crawler.politeness.page_caps import PageCaps
from crawler.politeness.site import Site
from crawler.politeness.site_state import SiteState
from tests.crawler.politeness.support import simulation
from tests.crawler.politeness.support.random_plans import Various, random_plan
from tests.crawler.politeness.support.simulation import Cluster, SimulatedRank

ROOT = Path(__file__).parents[3]
DOCS = (ROOT / "docs" / "politeness.md").read_text(encoding="utf-8")
EVENTS = {
    "supply": ("put", "unpark"),
    "picker": ("run_errand", "pick", "release"),
    "answers": ("fetch_robots", "known", "allowed", "forget"),
    "leases": ("turn_given", "lease_given", "recalled", "give_back_in_time"),
}
SAME_AS = {"fetch_robots": "run_errand"}
"""An errand comes either way: the one also tells where the site is."""
SEEDS_OF_ALL = [93, 4239, 266, 675, 1194, 10071, 46, 173, 19, 2451, 5397, 5884, 6856, 15146, 11327]
"""Found by trying some thousands: together they show every row of the table."""

Move = tuple[str, str, str]


def rows_of(table: str) -> list[list[str]]:
    """The cells of a table of docs/politeness.md, without its head."""
    text = DOCS.split(f"<!-- {table} -->")[1].split(f"<!-- /{table} -->")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.strip().splitlines()[2:]]


def moves_of_the_docs() -> set[Move]:
    return {
        (before, after, event)
        for before, after, when in rows_of("site_states")
        for event in re.findall("`(.+?)`", when)
    }


class Watch:
    """Sees what each event does to the states of a rank's sites, and that these are what they say."""

    def __init__(self, rank: SimulatedRank, moves: Counter[Move]) -> None:
        self._rank = rank
        self._moves = moves
        self._is_within = False
        for part, events in EVENTS.items():
            owner: Any = rank.leases if part == "leases" else getattr(rank.bench, part)
            for event in events:
                setattr(owner, event, self._watched(event, getattr(owner, event)))
        rank.sites._run_errand = rank.bench.picker.run_errand
        rank.sites._fetch_robots = rank.bench.answers.fetch_robots

    def _watched(self, event: str, happens: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*args: Any, **kwargs: Any) -> Any:
            if self._is_within:
                return happens(*args, **kwargs)
            self._is_within, before = True, self._states()
            answer = happens(*args, **kwargs)
            self._is_within, after = False, self._states()
            for name in before | after:
                was, became = (states.get(name, SiteState.FORGOTTEN).value for states in (before, after))
                if was != became:
                    self._moves[was, became, SAME_AS.get(event, event)] += 1
            self._check()
            return answer

        return watched

    def _states(self) -> dict[str, SiteState]:
        sites = self._rank.bench.sites
        return {name: sites.state_of(name) for name in sites}

    def _check(self) -> None:
        fetching: Counter[str] = Counter()
        for site in self._rank.bench.sites.values():
            server, state = site.server, site.state
            fetching[server.key] += state is SiteState.FETCHING
            match state:
                case SiteState.ASKING:
                    assert site.asked or site.told or self._waits_for_allowance(site), f"{site} waits for nobody"
                case SiteState.LEASED:
                    assert server.is_leased
                    assert server.turn is None
                case SiteState.TURN:
                    assert server.is_leased
                    assert server.turn is not None
                    assert server.turn[site.name] is site
                case SiteState.FETCHING:
                    assert server.is_leased
                    assert server.is_held
                case SiteState.RESTING:
                    assert not site.weight
        assert not fetching or max(fetching.values()) <= 1, "two sites of a server are fetched from at once"

    def _waits_for_allowance(self, site: Site) -> bool:
        return self._rank.bench.picker._allowances.is_asking(site)


def moves_in_a_crawl(seed: int) -> set[Move]:
    """What moves the sites of a random cluster take, one of all kinds: with delays and without, with caps or not."""
    dice = random.Random(seed)
    plan = random_plan(
        seed,
        dice.randint(1, 4),
        dice.choice([0.0, 0.005, 0.5]),
        dice.choice([0.0, 0.05, 0.3, 1.0]),
        rests=dice.choice([ALIKE, Various(2.0, 0.6)]),
    )
    caps = PageCaps(
        per_site=dice.choice([None, 3]), per_domain=dice.choice([None, 10]), per_address=dice.choice([None, None, 8])
    )
    moves: Counter[Move] = Counter()

    class Watched(SimulatedRank):
        def __init__(self, rank: int, cluster: Cluster, folder: Path) -> None:
            super().__init__(rank, cluster, folder)
            Watch(self, moves)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(simulation, "SimulatedRank", Watched)
        Cluster(replace(plan, caps=caps)).run()
    return set(moves)


@pytest.mark.parametrize("seeds", [range(start, start + 20) for start in range(2000, 2080, 20)], ids=str)
def test_sites_take_no_way_that_is_not_in_the_table(seeds: range) -> None:
    for seed in seeds:
        assert moves_in_a_crawl(seed) <= moves_of_the_docs(), f"seed {seed}"


def test_each_way_in_the_table_is_taken() -> None:
    assert set().union(*map(moves_in_a_crawl, SEEDS_OF_ALL)) == moves_of_the_docs()


def test_the_table_has_every_state() -> None:
    told = {state for before, after, _ in rows_of("site_states") for state in (before, after)}
    assert told == {state.value for state in SiteState}
    assert all(f"*{state.value}*" in DOCS for state in SiteState)


def test_a_site_is_told_in_one_line() -> None:
    sites = SiteTable()
    assert sites.state_of("a.example") is SiteState.FORGOTTEN
    site = sites.named("a.example")
    site.add(Entry("http://a.example/", 1))
    site.add_errand(Errand("http://a.example", "http://a.example/robots.txt"))
    assert repr(site) == "Site('a.example', asking, 1 URLs, 0 parked)"


def owners_of_the_docs() -> dict[str, str]:
    return {
        field: owner.strip("`")
        for fields, owner, _ in rows_of("site_fields")
        for field in re.findall("`(.+?)`", fields)
    }


CHANGES = {"append", "extend", "insert", "pop", "remove", "clear", "add", "discard", "update", "push"}


def writes_in(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Whose attributes are assigned to, or are changed in place, and which: ("site", "told")."""
    for inner in ast.walk(node):
        written: list[ast.AST] = []
        if isinstance(inner, ast.Assign):
            written = [part for target in inner.targets for part in ast.walk(target)]
        elif isinstance(inner, ast.AugAssign | ast.AnnAssign):
            written = [inner.target]
        elif isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and inner.func.attr in CHANGES:
            written = [inner.func.value]
        for target in written:
            if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
                yield target.value.id, target.attr


def methods_of(path: Path, class_name: str) -> Iterator[ast.AST]:
    """The methods of a class, but for what gives its fields their first values."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef) and node.name == class_name:
            yield from (it for it in node.body if isinstance(it, ast.FunctionDef) and it.name != "__init__")


def test_each_field_of_a_site_has_one_owner() -> None:
    politeness = ROOT / "crawler" / "politeness"
    fields = {*Site.__slots__, *ScheduledSite.__slots__} - {"name"}
    found = set()
    for class_name, path in (("Site", politeness / "site.py"), ("ScheduledSite", politeness / "agenda.py")):
        for method in methods_of(path, class_name):
            found |= {(field, "the site") for who, field in writes_in(method) if who == "self" and field in fields}
    for path in (ROOT / "crawler").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if re.search(r"^from crawler\.politeness\.site import .*\bSite\b|^class ScheduledSite", text, re.MULTILINE):
            written = {field for who, field in writes_in(ast.parse(text)) if who in ("site", "known")}
            found |= {(field, path.name) for field in written & fields}
    assert found == set(owners_of_the_docs().items())
