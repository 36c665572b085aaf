"""What a page costs in a replay by K ranks, against one by a single rank.

    .venv/bin/python -m scripts.bench.parallel_replay SESSION
    .venv/bin/python -m scripts.bench.parallel_replay --ranks 2,4,8 --runs 5 SESSION
    .venv/bin/python -m scripts.bench.parallel_replay --bodies SESSION
    .venv/bin/python -m scripts.bench.parallel_replay --save SESSION          the same, into docs/replay.md

SESSION, which may be a WARC file, is replayed by one rank, by K such replays at once that know nothing of each other,
and by K ranks under page hash, site hash and a page partition.  K replays at once share the machine's cores and caches
as K ranks do, which makes each dearer: what K ranks cost beyond them is what they cost as ranks.  CPU time is that of
all ranks' loops by stage, as their reports say, in milliseconds a page.  The kinds of replay take turns, so that a slow
spell of the machine hits all alike; all figures are medians over the ``--runs`` turns, ratios being those of a turn.
On a shared machine that is not enough: one process alone may run much faster than in company, and no two minutes are
alike.  But with ``--bodies`` there is a yardstick in each replay: parsing a page is the same work whoever does it.  The
ratio "by parsing" takes costs in units of what parsing took in the same replay.
Without ``--bodies`` a page is its links in a table, which costs far less than reading a page does.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import NamedTuple

from crawler.monitoring.stage_clock import STAGES
from crawler.replay.source import recorded_session
from scripts.shared.doc_tables import keep, table
from scripts.shared.this_machine import this_machine
from sessions.session import Session

CUTWEB = Path(sys.executable).parent / "cutweb"
AT_ONCE = "one rank each, at once"


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

    @property
    def parsings(self) -> float:
        """How many pages can be parsed in the time that one takes as a whole."""
        return self.milliseconds / self.stage("parse")

    def stage(self, name: str) -> float:
        """Milliseconds of a page in one stage."""
        return 1000 * self.stages[name] / self.pages


class _Kind(NamedTuple):
    """A kind of replay: by so many ranks, with these options."""

    name: str
    ranks: int
    replay: Callable[[Path, int, list[str], Path], Cost]
    asked: tuple[str, ...] = ()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("session", type=Path, metavar="SESSION")
    parser.add_argument("--ranks", type=lambda text: [int(part) for part in text.split(",")], default=[4])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--bodies", action="store_true", help="read the links from the bodies again")
    parser.add_argument("--save", action="store_true", help="keep the table in docs/replay.md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, recorded_session(options.session, Path(folder)) as session:
        ratios = ["to one", "to K at once", "to one, by parsing"]
        head = ["assignment", "ranks", "pages", "CPU ms a page", *ratios, "most of a rank", *STAGES]
        rows = table(head, _rows(session, options, Path(folder)))
    links = "read from their bodies" if options.bodies else "taken from the tables"
    text = f"{options.session.name}, links {links}, medians of {options.runs} turns; {this_machine()}:\n\n{rows}"
    print(text, end="")
    if options.save:
        keep("replay.md", "parallel-bodies" if options.bodies else "parallel", text)


def _rows(session: Path, options: argparse.Namespace, folder: Path) -> Iterator[list[str]]:
    common = ["--bodies"] if options.bodies else []
    kinds = [_Kind("one rank", 1, _replay)]
    for ranks in options.ranks:
        partition = folder / f"map-{ranks}"
        _run("partition", session, "--parts", ranks, "--out", partition)
        kinds += [
            _Kind(AT_ONCE, ranks, _at_once),
            _Kind("page-hash", ranks, _replay, ("--assign", "page-hash")),
            _Kind("site-hash", ranks, _replay, ("--assign", "site-hash")),
            _Kind("page partition", ranks, _replay, ("--partition", str(partition))),
        ]
    alone = kinds[0]
    turns = []
    for turn in range(options.runs):
        costs = {}
        for kind in kinds:
            costs[kind] = kind.replay(session, kind.ranks, [*common, *kind.asked], folder)
            print(f"turn {turn + 1} of {options.runs}: {kind.ranks} ranks, {kind.name}", file=sys.stderr)
        turns.append(costs)
    at_once = {kind.ranks: kind for kind in kinds if kind.name == AT_ONCE} | {1: alone}
    for kind in kinds:
        yield [
            kind.name,
            str(kind.ranks),
            f"{turns[0][kind].pages:,}",
            f"{median(costs[kind].milliseconds for costs in turns):.3f}",
            f"{median(costs[kind].milliseconds / costs[alone].milliseconds for costs in turns):.2f}",
            f"{median(costs[kind].milliseconds / costs[at_once[kind.ranks]].milliseconds for costs in turns):.2f}",
            f"{median(costs[kind].parsings / costs[alone].parsings for costs in turns):.2f}" if options.bodies else "-",
            f"{median(costs[kind].imbalance for costs in turns):+.0%}",
            *(f"{median(costs[kind].stage(stage) for costs in turns):.3f}" for stage in STAGES),
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
