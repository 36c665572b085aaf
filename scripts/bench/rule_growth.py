"""What rules cost by their number, on a workbench with many sites: reading, recording, a change, and each superstep.

Every tenth rule on names is about one of the sites that wait; of the others nobody has heard.  A change is one more
rule, as when an operator adds one to the file: rank 0 reads, compares and records what differs, and each rank reads
that and looks at the sites that it concerns.  The last columns are of a file in
which every rule has a limit of pages, of which a hundred are used: what ranks add up of that in each superstep.

    python -m scripts.bench.rule_growth             print the table
    python -m scripts.bench.rule_growth --save      and keep it in docs/rules.md
"""

import argparse
import multiprocessing
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from unittest.mock import patch

import numpy as np
import numpy.typing as npt

from crawler.fetching import rule_quotas, workbench
from crawler.fetching.rule_quotas import RuleQuotas
from crawler.launch.rule_checks import PlannedRules
from crawler.rank.rule_changes import RuleChanges
from crawler.site_rules.rule_file import rules_in
from crawler.site_rules.rules_in_force import RulesInForce
from scripts.bench.rule_cost import rules_for
from scripts.shared.doc_tables import keep, table
from scripts.shared.this_machine import this_machine
from sessions.peak_memory import peak_memory
from tests.crawler.support.single_rank_workbench import Desk

RULES = (1_000, 10_000, 100_000)
SITES = 100_000
_LIMITS_IN_USE = 100
_HEAD = (
    "rules", "file, MB", "read, s", "memory, MB", "record, bytes", "change on rank 0, s", "on each rank, s",
    "a site, µs", "superstep with limits, ms", "its bytes",
)  # fmt: skip


class Sums:
    """The exchange of one of many ranks; ``bytes`` is what this one hands over."""

    rank, ranks = 0, 2

    def __init__(self) -> None:
        self.bytes = 0

    def union(self, mine: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """As `LinkExchange.union`, if the others have nothing."""
        self.bytes += mine.nbytes
        return mine

    def sums(self, mine: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """As `LinkExchange.sums`, if the others have nothing."""
        self.bytes += mine.nbytes
        return mine.copy(), np.zeros_like(mine)


def main() -> None:
    """Measure each number of rules in a process of its own."""
    options = _options()
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        rows = pool.map(_measured, options.rules, chunksize=1)
    shown = f"{SITES:,} sites wait; {this_machine()}:\n\n{table(_HEAD, rows)}"
    print(shown)
    if options.save:
        keep("rules.md", "rule_growth", shown)


def _measured(count: int) -> list[str]:
    names = [f"w{number}.example" for number in range(SITES)]
    text = rules_for(names, count)
    before = peak_memory()
    reading = _seconds(lambda: RulesInForce(rules_in(text, "rules.toml")))
    rules = RulesInForce(rules_in(text, "rules.toml"))
    memory = peak_memory() - before
    matching = _seconds(lambda: [rules.book.of(name, "10.20.30.40") for name in names])
    with TemporaryDirectory() as folder, patch.object(workbench, "RulesInForce", lambda: rules):
        record, first, each = _change(Path(folder), text, rules, names)
    summing, exchanged = _limits(names, count)
    return [
        f"{count:,}",
        f"{len(text) / 1e6:.1f}",
        f"{reading:.2f}",
        f"{memory / 1e6:,.0f}",
        f"{record:,}",
        f"{first:.2f}",
        f"{each:.2f}",
        f"{1e6 * matching / SITES:.1f}",
        f"{1e3 * summing:.2f}",
        f"{exchanged:,}",
    ]


def _change(folder: Path, text: str, rules: RulesInForce, names: list[str]) -> tuple[int, float, float]:
    """Add a rule to the file: bytes of the record, and seconds on rank 0, and after that on each rank."""
    session, file = folder / "session", folder / "rules.toml"
    session.mkdir()
    file.write_text(text)
    desk = Desk(folder / "backlogs", capacity=2 * SITES, most_sites=2 * SITES, address_of=lambda site: "192.0.2.1")
    desk.put(*(f"http://{name}/" for name in names))
    changes = RuleChanges(PlannedRules(file, text, {}), RulesInForce(rules.book.rules), session, "run", lambda: 1)
    of_another_rank = RuleChanges(PlannedRules(file, text, {}), rules, session, "run", lambda: 1)
    changes.begin()
    changes.news()
    file.write_text(f'{text}\n[[rule]]\nsite = "{names[-1]}"\nblock = true\n')
    began = process_time()
    news = changes.news()
    told = process_time()
    assert news is not None
    of_another_rank.hear(news)
    heard = process_time()
    desk.close()
    return (session / "rules" / "000002.json").stat().st_size, told - began, heard - told


def _limits(names: list[str], count: int) -> tuple[float, int]:
    """Seconds of a superstep in which some of many limits are used, and the bytes that a rank hands over."""
    text = rules_for(names, count).replace("delay = 0", "max-pages = 1000000")
    rules = RulesInForce(rules_in(text, "rules.toml"))
    quotas, exchange = RuleQuotas(rules, 0, 2), Sums()
    quotas.settle(exchange)
    exchange.bytes = 0

    def superstep() -> None:
        for name in names[:_LIMITS_IN_USE]:
            its = quotas.of(rules.book.of(name))
            if not rule_quotas.obstacle(its):
                rule_quotas.take(its)
                rule_quotas.spend(its, 1)
        quotas.settle(exchange)

    seconds = _seconds(superstep)
    return seconds, exchange.bytes // _TURNS


_TURNS = 5


def _seconds(work: Callable[[], object]) -> float:
    """Of the processor, the median of some turns."""
    turns = []
    for _ in range(_TURNS):
        began = process_time()
        work()
        turns.append(process_time() - began)
    return median(turns)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", type=int, nargs="+", default=list(RULES), help="how many, each a row")
    parser.add_argument("--save", action="store_true", help="keep the table in docs/rules.md")
    return parser.parse_args()


if __name__ == "__main__":
    main()
