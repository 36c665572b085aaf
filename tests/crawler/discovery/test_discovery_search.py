"""K ranks that discover a graph's pages, against a plain search of the graph."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.config.crawl_options import CrawlOptions
from crawler.config.settings import settings_from
from crawler.discovery.admission import AdmissionSettings, UrlRules
from crawler.discovery.depth_limits import Limits
from crawler.discovery.scope import Scope
from crawler.urls.targets import listed
from partition.assignment.assignment import Assignment, assignment_named
from sessions.schema import FILTERED
from sessions.url import url_hash, url_hashes
from tests.crawler.support.batches import by_rank
from tests.crawler.support.single_rank_discovery import ALL, BUDGET, Found

Graph = dict[str, list[str]]


def plain_search(graph: Graph, seeds: Sequence[str], scope: Scope = ALL, depth: int | None = None) -> dict[str, int]:
    """Every URL that can be reached from the seeds, with its depth; from pages at most at ``depth`` links are taken."""
    depths = dict.fromkeys(seeds, 0)
    level = list(depths)
    for number in count(1):
        if not level or (depth is not None and number > depth + 1):
            return depths
        targets = dict.fromkeys(target for page in level for target in graph[page] if target not in depths)
        level = [target for target, is_in in zip(targets, scope.contains(list(targets)), strict=True) if is_in]
        depths |= dict.fromkeys(level, number)
    raise AssertionError


class Cluster:
    """K ranks that fetch pages of a graph and exchange what they find."""

    def __init__(self, folder: Path, graph: Graph, assignment: Assignment, **options: object) -> None:
        self.graph = graph
        self.assignment = assignment
        self.ranks = [Found(folder, rank, assignment, **options) for rank in range(assignment.ranks)]  # type: ignore[arg-type]
        self.fetched: Counter[str] = Counter()

    def fetch(self, found: Found, most: int) -> None:
        for url, depth in self._taken(found, most):
            self.fetched[url] += 1
            links = list(dict.fromkeys(self.graph[url]))
            found.discovery.links_of(url_hash(url), depth + 1, listed(links, [0] * len(links)))

    def _taken(self, found: Found, most: int) -> list[tuple[str, int]]:
        batch = found.ordering.take(most)
        depths, _ = found.discovery.seen.shortest(batch.hashes, batch.depths, batch.hops)
        return list(zip(batch.urls, depths.tolist(), strict=True))

    def exchange(self) -> int:
        """How many URLs were undelivered; a rank that has nothing queued lets none wait for a merge."""
        for found in self.ranks:
            found.discovery.settle()
            if not len(found.ordering):
                found.discovery.flush()
        undelivered = sum(found.discovery.undelivered for found in self.ranks)
        pending = sum(found.pending for found in self.ranks)
        outgoing = [by_rank(found.discovery.outgoing(), len(self.ranks)) for found in self.ranks]
        assert undelivered == sum(len(batch) for batches in outgoing for batch in batches) + pending
        for source, batches in enumerate(outgoing):
            assert not len(batches[source])
        for target, found in enumerate(self.ranks):
            found.discovery.receive([batches[target] for batches in outgoing])
        return undelivered

    def crawl(self, seeds: Sequence[str], most: Iterator[int]) -> None:
        """To the end; every rank fetches the next of ``most`` pages between two exchanges."""
        for found in self.ranks:
            found.discovery.seed(seeds)
        while True:
            for found in self.ranks:
                self.fetch(found, next(most))
            if not self.exchange() and not any(len(found.ordering) for found in self.ranks):
                return

    def discovered(self) -> dict[str, int]:
        """Every URL that was discovered, with its depth; each at its owner and nowhere else."""
        depths: dict[str, int] = {}
        for rank, found in enumerate(self.ranks):
            urls = [url for _, url in found.recorder.known]
            assert [url_hash_ for url_hash_, _ in found.recorder.known] == url_hashes(urls).tolist()
            assert (self.assignment.owners(url_hashes(urls), urls) == rank).all()
            assert found.counters.discovered == len(found.discovery.seen) == len(urls)
            assert not set(urls) & set(depths)
            assert len(set(urls)) == len(urls)
            depths |= {url: found.way_to(url)[0] for url in urls}
        return depths

    def links(self) -> Counter[tuple[int, int]]:
        assert all(found.counters.links == len(found.recorder.found) for found in self.ranks)
        return Counter((source, target) for found in self.ranks for source, target, _ in found.recorder.found)


@contextmanager
def cluster(graph: Graph, name: str, ranks: int, **options: object) -> Iterator[Cluster]:
    with TemporaryDirectory() as folder:
        yield Cluster(Path(folder), graph, assignment_named(name, ranks), **options)


def random_graph(seed: int, pages: int) -> tuple[Graph, list[str]]:
    """Pages on some sites with links, to themselves and double ones too; and seeds."""
    dice = random.Random(seed)
    sites = dice.randint(1, 8)
    urls = [f"http://s{dice.randrange(sites)}.example/{page}" for page in range(pages)]
    graph = {url: dice.choices(urls, k=dice.randrange(5)) for url in urls}
    return graph, dice.sample(urls, dice.randint(1, min(3, pages)))


def links_of(graph: Graph, sources: Sequence[str], scope: Scope = ALL) -> Counter[tuple[int, int]]:
    pairs = {(page, target) for page in sources for target in graph[page] if target != page}
    return Counter((url_hash(page), url_hash(target)) for page, target in pairs if scope.contains([target])[0])


NAMES = st.sampled_from(["page-hash", "site-hash"])
SMALL = settings(derandomize=True, deadline=None, max_examples=80)


@SMALL
@given(
    st.integers(0, 2**32),
    st.integers(1, 60),
    NAMES,
    st.integers(1, 4),
    st.integers(1, 60),
    st.sampled_from([0, BUDGET]),
)
def test_ranks_together_discover_what_a_plain_search_finds(
    seed: int, pages: int, name: str, ranks: int, links_per_batch: int, budget: int
) -> None:
    """However fast each of them fetches, however often links are settled, and whatever is forgotten."""
    graph, seeds = random_graph(seed, pages)
    expected = plain_search(graph, seeds)
    dice = random.Random(seed)
    with cluster(graph, name, ranks, budget=budget, links_per_batch=links_per_batch) as ours:
        ours.crawl(seeds, iter(lambda: dice.randrange(8), None))
        assert set(ours.discovered()) == set(expected)
        assert ours.fetched == dict.fromkeys(expected, 1)
        assert ours.links() == links_of(graph, list(expected))


@SMALL
@given(
    st.integers(0, 2**32),
    st.integers(1, 60),
    NAMES,
    st.integers(1, 4),
    st.one_of(st.none(), st.integers(0, 5)),
    st.booleans(),
)
def test_ranks_that_fetch_level_by_level_go_as_deep_as_a_plain_search(
    seed: int, pages: int, name: str, ranks: int, depth: int | None, is_scoped: bool
) -> None:
    graph, _ = random_graph(seed, pages)
    seeds = [url for url in graph if url.startswith("http://s0.")][:2] or list(graph)[:1]
    scope = Scope(sites=["s0.example", "s1.example", "s2.example"]) if is_scoped else ALL
    if not scope.contains(seeds).all():
        scope = ALL
    expected = plain_search(graph, seeds, scope, depth)
    fetched = [url for url, at in expected.items() if depth is None or at <= depth]
    with cluster(graph, name, ranks, scope=scope, limits=Limits(depth, 20)) as ours:
        ours.crawl(seeds, iter(lambda: 10**6, None))
        assert ours.discovered() == expected
        assert ours.fetched == dict.fromkeys(fetched, 1)
        assert ours.links() == links_of(graph, fetched, scope)
        outside = sum(not scope.contains([target])[0] for page in fetched for target in set(graph[page]) - {page})
        assert sum(found.counters.links_out_of_scope for found in ours.ranks) == outside


@SMALL
@given(st.integers(0, 2**32), st.integers(1, 60), NAMES, st.integers(1, 4))
def test_ranks_refuse_what_one_would_and_find_what_lies_behind_the_rest(
    seed: int, pages: int, name: str, ranks: int
) -> None:
    graph, seeds = random_graph(seed, pages)
    admission = UrlRules(settings_from(CrawlOptions(exclude=("[37]$",)), AdmissionSettings), seeds, 2026)
    refused = {url for url in graph if url[-1] in "37" and url not in seeds}
    expected = plain_search({url: [] if url in refused else links for url, links in graph.items()}, seeds)
    dice = random.Random(seed)
    with cluster(graph, name, ranks, admission=admission) as ours:
        ours.crawl(seeds, iter(lambda: dice.randrange(8), None))
        assert set(ours.discovered()) == set(expected)
        assert ours.fetched == dict.fromkeys(set(expected) - refused, 1)
        outcomes = [outcome for found in ours.ranks for outcome in found.recorder.outcomes]
        assert sorted(outcomes) == sorted((url_hash(url), FILTERED, "exclude") for url in refused & set(expected))
