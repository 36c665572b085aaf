"""Five real crawls in a row from four places, near to some sites and far from others, on this machine; wants root.

    python -m scripts.twoma.points_in_namespaces            print the table of makespans
    python -m scripts.twoma.points_in_namespaces --save     and keep it in docs/learning.md
    ... --sites 40 --sessions 3                             a smaller web, fewer crawls in a row

Places, web, lines and learners are those of scripts/twoma/unequal_points.py; time is real, and so is the network
(scripts/twoma/crawl_points.py).  What a machine is too slow for shows as its share of CPU.
"""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

from scripts.shared.doc_tables import keep, table
from scripts.shared.this_machine import this_machine
from scripts.twoma.crawl_points import CrawlPoints, missing
from scripts.twoma.session_chain import Crawled, chain
from scripts.twoma.unequal_points import COST, FIGURES, LEARNERS, LOWER_COST, PAGE, SESSIONS, TIMED, figures
from scripts.twoma.unequal_web import SITES

_CHAINS = {
    "site partition": ("--model", "site"),
    **{learner: ("--model", "twoma", "--learn", learner) for learner in LEARNERS},
    **{f"twoma+prefix, X = {cost}": (*TIMED, str(cost)) for cost in (COST, LOWER_COST)},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--save", action="store_true", help="keep the table in docs/")
    parser.add_argument("--sites", type=int, default=SITES, help="of 25 pages each")
    parser.add_argument("--sessions", type=int, default=SESSIONS, help="crawls in a row")
    options = parser.parse_args()
    lacking = missing()
    if lacking is not None:
        parser.error(lacking)
    with tempfile.TemporaryDirectory() as folder, CrawlPoints(Path(folder), sites=options.sites) as points:
        before = _processor_ticks()
        makespans = _makespans(points, options.sessions)
        idle, all_ticks = (now - was for now, was in zip(_processor_ticks(), before, strict=True))
    busy = f"All programs together kept the processors busy for {1 - idle / all_ticks:.0%} of the time."
    text = f"{this_machine()}.\n\n{options.sites} sites. {busy}\n\n{makespans}"
    print(text, flush=True)
    if options.save:
        keep(PAGE, "namespaces", text)


def _makespans(points: CrawlPoints, sessions: int) -> str:
    """Return the table of all sessions, by who owns pages."""
    hashed = [points.crawl(points.folder / f"hashed-{number}") for number in range(1, sessions + 1)]
    rows = [_row("site hash", hashed, hashed, points)]
    for name, cut in _CHAINS.items():
        crawled = list(chain(points, hashed[0], points.folder / name, sessions, cut))
        rows.append(_row(name, crawled, hashed, points))
    numbers = (f"session {number}, s (CPU)" for number in range(1, sessions + 1))
    return table(["owners", *numbers, "to site hash", "pages at the near rank", *FIGURES], rows)


def _row(name: str, crawled: Sequence[Crawled], hashed: Sequence[Crawled], points: CrawlPoints) -> list[str]:
    makespans = (f"{one.makespan:.2f} ({one.cpu_share:.0%})" for one in crawled)
    last = crawled[-1]
    ratio = last.makespan / hashed[-1].makespan
    return [name, *makespans, f"{ratio:.2f}", f"{points.near_share(last):.0%}", *figures(last)]


def _processor_ticks() -> tuple[int, int]:
    """Return how long this machine's processors have been idle, and in all."""
    ticks = list(map(int, Path("/proc/stat").read_text().splitlines()[0].split()[1:9]))
    return ticks[3] + ticks[4], sum(ticks)


if __name__ == "__main__":
    main()
