"""Crawl many sites on few servers with several ranks, and let the servers' log judge the delays.

    .venv/bin/python -m scripts.checks.judge_politeness --ranks 4 --delay 1 --server-delay 0.2
    .venv/bin/python -m scripts.checks.judge_politeness --save        several webs and delays, into docs/politeness.md

The sites are invented, each on one of the loopback addresses; their pages are spread over the ranks by page hash, so
that every site is visited by every rank.  Told are the smallest distance between the end of a request and the start of
the next to one site and to one server, over the delay asked for (must be at least 0.99), and the time of the crawl
over the least time that the delays force: the largest, over sites and servers, of (requests - 1) x delay.
"""

import argparse
import subprocess
import sys
import tempfile
from argparse import Namespace
from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from scripts.checks.polite_web import PoliteWeb
from scripts.shared.doc_tables import keep, table
from scripts.shared.without_rules import WITHOUT_RULES

SCENARIOS = [
    {"pages": 1500, "delay": 1.0, "server_delay": 0.2},
    {"pages": 4000, "delay": 0.5, "server_delay": 0.1},
    {"pages": 2400, "delay": 0.5, "server_delay": 0.1, "equal": True},
    {"pages": 1000, "delay": 1.0, "server_delay": 0.5, "equal": True},
]
HEAD = ["sizes of sites", "requests", "site delay s", "server delay s", "closest, sites", "closest, servers"]
HEAD += ["least s", "crawl s", "ratio"]
_TOLERANCE, _MOST_OF_LEAST = 0.99, 1.15


class Judgement(NamedTuple):
    """What the log says: distances over the delays asked for, times in seconds."""

    requests: int
    closest_at_site: float
    closest_at_server: float
    least: float
    crawl: float

    @property
    def is_good(self) -> bool:
        """Were the delays kept, and was little time lost?"""
        closest = min(self.closest_at_site, self.closest_at_server)
        return closest >= _TOLERANCE and self.crawl <= _MOST_OF_LEAST * self.least


def main() -> int:
    """Run one crawl, or all that the docs tell of; 1 if a delay was broken or one took too long."""
    options = _options()
    asked = [Namespace(**{**vars(options), **scenario}) for scenario in SCENARIOS] if options.save else [options]
    judgements = [_judgement(one) for one in asked]
    text = table(HEAD, [_row(one, judgement) for one, judgement in zip(asked, judgements, strict=True)])
    print(text)
    if options.save:
        keep("politeness.md", "judge_politeness", text)
    return 0 if all(judgement.is_good for judgement in judgements) else 1


def _options() -> Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--sites", type=int, default=200)
    parser.add_argument("--addresses", type=int, default=20)
    parser.add_argument("--pages", type=int, default=1500, help="over all sites, whose sizes differ")
    parser.add_argument("--equal", action="store_true", help="all sites have as many pages")
    parser.add_argument("--delay", type=float, default=1.0)
    parser.add_argument("--server-delay", type=float, default=0.2)
    parser.add_argument("--assign", default="page-hash")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", action="store_true", help="keep the figures of all scenarios in docs/politeness.md")
    return parser.parse_args()


def _judgement(asked: Namespace) -> Judgement:
    with PoliteWeb(asked.sites, asked.addresses, asked.pages, seed=asked.seed, equal=asked.equal) as web:
        with tempfile.TemporaryDirectory() as folder:
            _crawl(web, asked, Path(folder) / "session")
        requests = web.requests()
    sites, servers = defaultdict(list), defaultdict(list)
    for request in requests:
        sites[request.site].append((request.began, request.ended))
        servers[request.address].append((request.began, request.ended))
    return Judgement(
        len(requests),
        _closest(sites.values()) / asked.delay,
        _closest(servers.values()) / asked.server_delay,
        max(
            (max(map(len, sites.values())) - 1) * asked.delay,
            (max(map(len, servers.values())) - 1) * asked.server_delay,
        ),
        max(request.ended for request in requests) - min(request.began for request in requests),
    )


def _crawl(web: PoliteWeb, asked: Namespace, out: Path) -> None:
    seeds, config = out.parent / "seeds.txt", out.parent / "crawl.toml"
    seeds.write_text("".join(f"{url}\n" for url in web.seeds()))
    config.write_text(f"connect_to = {web.connect_to()!r}\n")
    command = [str(Path(sys.executable).parent / "cutweb"), "crawl", "--ranks", str(asked.ranks), "--out", str(out)]
    command += ["--seeds", str(seeds), "--config", str(config), "--assign", asked.assign]
    command += ["--delay", str(asked.delay), "--server-delay", str(asked.server_delay), *WITHOUT_RULES]
    subprocess.run(command, check=True)
    subprocess.run([command[0], "check", str(out)], check=True)


def _closest(visits: Iterable[list[tuple[float, float]]]) -> float:
    """The least time from the end of a request to the start of the next."""
    return min(after[0] - before[1] for those in visits for before, after in pairwise(sorted(those)))


def _row(asked: Namespace, judged: Judgement) -> list[str]:
    return [
        "equal" if asked.equal else "heavy-tailed",
        f"{judged.requests:,}",
        str(asked.delay),
        str(asked.server_delay),
        f"{judged.closest_at_site:.3f} x",
        f"{judged.closest_at_server:.3f} x",
        f"{judged.least:.1f}",
        f"{judged.crawl:.1f}",
        f"{judged.crawl / judged.least:.3f}",
    ]


if __name__ == "__main__":
    sys.exit(main())
