"""What a page costs in a replay by K ranks, against one by a single rank.

    .venv/bin/python scripts/bench_parallel.py SESSION
    .venv/bin/python scripts/bench_parallel.py --ranks 1,2,4,8 --runs 5 SESSION

SESSION, which may be a WARC file, is replayed under page hash, site hash and a page partition.  CPU time is that of
all ranks' loops by stage, as their reports say, in milliseconds a page: that of the run of ``--runs`` with the least.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
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
    parser.add_argument("--ranks", type=lambda text: [int(part) for part in text.split(",")], default=[1, 4])
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, recorded_session(options.session, Path(folder)) as session:
        head = ["assignment", "ranks", "pages", "CPU ms a page", "to one rank", "most of a rank", *STAGES]
        print(table(head, _rows(session, options.ranks, options.runs, Path(folder))), end="")


def _rows(session: Path, ranks: list[int], runs: int, folder: Path) -> Iterator[list[str]]:
    for name in ("page-hash", "site-hash", "page partition"):
        alone: Cost | None = None
        for count in ranks:
            cost = _cheapest(session, name, count, runs, folder)
            alone = alone or cost
            yield [
                name,
                str(count),
                f"{cost.pages:,}",
                f"{cost.milliseconds:.3f}",
                f"{cost.milliseconds / alone.milliseconds:.2f}",
                f"{cost.imbalance:+.0%}",
                *(f"{1000 * cost.stages[stage] / cost.pages:.3f}" for stage in STAGES),
            ]


def _cheapest(session: Path, name: str, ranks: int, runs: int, folder: Path) -> Cost:
    asked = ["--assign", name]
    if name == "page partition":
        partition = folder / f"map-{ranks}"
        _run("partition", session, "--parts", ranks, "--out", partition)
        asked = ["--partition", str(partition)]
    costs = [_replay(session, ranks, asked, folder) for _ in range(runs)]
    print(f"replayed under {name} by {ranks}", file=sys.stderr)
    return min(costs, key=lambda cost: cost.milliseconds)


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


def _run(*arguments: object) -> None:
    done = subprocess.run([CUTWEB, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)


if __name__ == "__main__":
    main()
