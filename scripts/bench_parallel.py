"""What a page costs in a replay by K ranks, against one by a single rank.

    .venv/bin/python scripts/bench_parallel.py SESSION
    .venv/bin/python scripts/bench_parallel.py --ranks 2,4,8 --runs 5 SESSION
    .venv/bin/python scripts/bench_parallel.py --bodies SESSION

SESSION, which may be a WARC file, is replayed by one rank, by K such replays at once that know nothing of each other,
and by K ranks under page hash, site hash and a page partition.  K replays at once share the machine's cores and caches
as K ranks do, which makes each dearer: what K ranks cost beyond them is what they cost as ranks.  CPU time is that of
all ranks' loops by stage, as their reports say, in milliseconds a page: that of the run of ``--runs`` with the least.
Without ``--bodies`` a page is its links in a table, which costs far less than reading a page does.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from kept_tables import table

from crawler.replay.source import recorded_session
from crawler.stages import STAGES
from sessions.session import Session

CUTWEB = Path(sys.executable).parent / "cutweb"


@dataclass(frozen=True)
class Cost:
    """CPU seconds of a replay's ranks: by stage over all ranks, and of each rank."""

    pages: int
    stages: dict[str, float]
    by_rank: list[float]

    @property
    def milliseconds(self) -> float:
        """Of a page, over all ranks."""
        return 1000 * sum(self.by_rank) / self.pages

    @property
    def imbalance(self) -> float:
        """The most of a rank over the mean, less one."""
        return max(self.by_rank) * len(self.by_rank) / sum(self.by_rank) - 1


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("session", type=Path, metavar="SESSION")
    parser.add_argument("--ranks", type=lambda text: [int(part) for part in text.split(",")], default=[4])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--bodies", action="store_true", help="read the links from the bodies again")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, recorded_session(options.session, Path(folder)) as session:
        head = ["assignment", "ranks", "pages", "CPU ms a page", "to one", "to K at once", "most of a rank", *STAGES]
        print(table(head, _rows(session, options, Path(folder))), end="")


def _rows(session: Path, options: argparse.Namespace, folder: Path) -> Iterator[list[str]]:
    common = ["--bodies"] if options.bodies else []

    def cheapest(replay: Callable[[Path, int, list[str], Path], Cost], ranks: int, asked: Sequence[str] = ()) -> Cost:
        costs = [replay(session, ranks, [*common, *asked], folder) for _ in range(options.runs)]
        print(f"measured {options.runs} times, K = {ranks} {' '.join(asked)}", file=sys.stderr)
        return min(costs, key=lambda cost: cost.milliseconds)

    alone = cheapest(_replay, 1)
    yield _row("one rank", 1, alone, alone, alone)
    for ranks in options.ranks:
        at_once = cheapest(_at_once, ranks)
        yield _row("one rank each, at once", ranks, at_once, alone, at_once)
        partition = folder / f"map-{ranks}"
        _run("partition", session, "--parts", ranks, "--out", partition)
        for name, by in (
            ("page-hash", ["--assign", "page-hash"]),
            ("site-hash", ["--assign", "site-hash"]),
            ("page partition", ["--partition", str(partition)]),
        ):
            yield _row(name, ranks, cheapest(_replay, ranks, by), alone, at_once)


def _row(name: str, ranks: int, cost: Cost, alone: Cost, at_once: Cost) -> list[str]:
    return [
        name,
        str(ranks),
        f"{cost.pages:,}",
        f"{cost.milliseconds:.3f}",
        f"{cost.milliseconds / alone.milliseconds:.2f}",
        f"{cost.milliseconds / at_once.milliseconds:.2f}",
        f"{cost.imbalance:+.0%}",
        *(f"{1000 * cost.stages[stage] / cost.pages:.3f}" for stage in STAGES),
    ]


def _replay(session: Path, ranks: int, asked: list[str], folder: Path) -> Cost:
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        out = Path(scratch) / "out"
        _run("replay", session, "--ranks", ranks, *asked, "--out", out)
        reports = Session.open(out).rank_reports()
    return Cost(
        sum(report["fetched"] for report in reports),
        {stage: sum(report["cpu"][stage] for report in reports) for stage in STAGES},
        [sum(report["cpu"].values()) for report in reports],
    )


def _at_once(session: Path, count: int, asked: list[str], folder: Path) -> Cost:
    """The cost of so many replays by one rank that run at the same time."""
    with ThreadPoolExecutor(count) as threads:
        costs = list(threads.map(lambda _: _replay(session, 1, asked, folder), range(count)))
    return Cost(
        sum(cost.pages for cost in costs),
        {stage: sum(cost.stages[stage] for cost in costs) for stage in STAGES},
        [sum(cost.by_rank) for cost in costs],
    )


def _run(*arguments: object) -> None:
    done = subprocess.run([CUTWEB, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)


if __name__ == "__main__":
    main()
