"""What STAR counts again from the referrals table, against the links themselves."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.frontier.budgets import trust
from crawler.frontier.budgets.budget_functions import B0
from crawler.frontier.budgets.referrals import Arrived, owners
from crawler.frontier.budgets.star import Star
from crawler.rank.resuming.referrals import COLUMNS, keep_links, recount_referrals
from sessions.url import Hashes
from tests.crawler.frontier.budgets.support.streams import FakeStaging, Links, columns, hashes, in_degree
from tests.crawler.rank.resuming.support.table_rows import batches_of
from tests.crawler.support.thread_ranks import on_ranks

PLENTY, LITTLE = 1 << 24, 3000
DOMAINS = range(1, 13)
LINKS = st.lists(st.tuples(st.sampled_from(DOMAINS), st.sampled_from(DOMAINS)), max_size=60)
RUNS = st.lists(st.tuples(LINKS, st.integers(1, 3)), min_size=2, max_size=3)
Pairs = list[dict[str, int]]


class Run:
    """STAR on each of the ranks of one run, which goes on from ``table``; ``written`` is what came to each rank."""

    def __init__(self, folder: Path, ranks: int, memory: int, table: Pairs, function: str = "degree") -> None:
        self.orderings = [FakeStaging(ready=1) for _ in range(ranks)]
        self.written: list[Pairs] = [[] for _ in range(ranks)]
        self.stars = [
            Star(
                folder.with_name(f"{folder.name}-{rank}"),
                ordering,
                function,
                memory,
                seeds=hashes([1, 2]),
                arrived=self.writer(rank),
            )
            for rank, ordering in enumerate(self.orderings)
        ]
        for rank, star in enumerate(self.stars):
            recount_referrals(batches_of("referrals", table, COLUMNS, 1000), star, rank=rank, ranks=ranks)
            keep_links(batches_of("referrals", table, COLUMNS, 1000), star, rank=rank, ranks=ranks)
        assert self.written == [[]] * ranks

    def writer(self, rank: int) -> Arrived:
        def write(sources: Hashes, targets: Hashes) -> None:
            pairs = zip(sources.tolist(), targets.tolist(), strict=True)
            self.written[rank] += [{"source": source, "target": target} for source, target in pairs]

        return write

    def take(self, links: Links) -> list[int]:
        """Take links, and the budgets of all domains once an epoch could close."""
        ranks = len(self.stars)
        for rank, star in enumerate(self.stars):
            star.links(*columns(links[rank::ranks]))
        on_ranks(ranks, lambda exchange: self.stars[exchange.rank].settle(exchange))
        for star in self.stars:
            star.flush()
        for ordering in self.orderings:
            ordering.staged = list(DOMAINS)
        on_ranks(ranks, lambda exchange: self.stars[exchange.rank].settle(exchange))
        return self.stars[0].of(hashes(DOMAINS)).tolist()


@settings(deadline=None, derandomize=True, max_examples=30)
@given(RUNS, st.sampled_from([PLENTY, LITTLE]))
def test_over_all_runs_each_pair_is_written_and_counted_once(runs: list[tuple[Links, int]], memory: int) -> None:
    links: Links = []
    table: Pairs = []
    with TemporaryDirectory() as folder:
        for number, (new, ranks) in enumerate(runs):
            run = Run(Path(folder) / str(number), ranks, memory, table)
            links += new
            assert run.take(new) == [B0 * (1 + in_degree(links, domain)) for domain in DOMAINS]
            for rank, written in enumerate(run.written):
                targets = np.array([pair["target"] for pair in written], np.uint64)
                assert (owners(targets, ranks) == rank).all()
                table += written
    pairs = [(pair["source"], pair["target"]) for pair in table]
    ends = columns([(source, domain) for source, domain in links if source != domain])
    assert sorted(set(pairs)) == sorted(set(zip(*(column.tolist() for column in ends), strict=True)))


def test_pairs_that_wait_on_disk_are_written_before_they_are_counted(tmp_path: Path) -> None:
    ends = np.random.default_rng(4).integers(0, 300, (6_000, 2)).tolist()
    links: Links = [(source, domain) for source, domain in ends if source != domain]
    run = Run(tmp_path / "first", 1, 1 << 17, [])
    (star,) = run.stars
    star.links(*columns(links))
    on_ranks(1, star.settle)
    assert len(run.written[0]) == len(set(links))
    again = Run(tmp_path / "second", 1, 1 << 17, run.written[0])
    budgets = again.take([])
    assert budgets == [B0 * (1 + in_degree(links, domain)) for domain in DOMAINS]


@pytest.mark.parametrize("ranks", [1, 3])
def test_trust_is_what_it_would_be_had_the_crawl_not_ended(
    tmp_path: Path, ranks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trust, "_TOLD_AGAIN", 1 << 20)
    ends = np.random.default_rng(6).integers(1, 13, (60, 2)).tolist()
    links: Links = [(source, domain) for source, domain in ends if source != domain]
    first = Run(tmp_path / "first", 2, PLENTY, [], "trust")
    first.take(links[:30])
    table = [pair for written in first.written for pair in written]
    again = Run(tmp_path / "again", ranks, PLENTY, table, "trust")
    whole = Run(tmp_path / "whole", 2, PLENTY, [], "trust")
    budgets = [[run.take(links) for _ in range(60)][-1] for run in (again, whole)]
    assert budgets[0] == pytest.approx(budgets[1], abs=1 / 512)
    assert len(set(budgets[0])) > 6
