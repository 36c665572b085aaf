"""What breadth-first search and budgets make of a web with a spam farm (docs/scale.md).

    python -m scripts.irlbot.spam_farm                      K = 1 and 2, without and with rests
    python -m scripts.irlbot.spam_farm --ranks 1 --seed 7   another web
    python -m scripts.irlbot.spam_farm --save               and keep the figures in docs/scale.json, with a plot

The web (`spam_web.py`) has a thousand legitimate domains, and a farm without end that one of them links to.  Told are
the share of the pages fetched that are the farm's, the share of the links found that lie in it, and the rank
correlation (Spearman) of a domain's pages with its in-degree: how many other domains had links to it on the pages
fetched, counted from the session's tables when all is over.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import spearmanr

from scripts.irlbot.scale_json import keep_in_scale
from scripts.irlbot.spam_plot import NAME, plot
from scripts.irlbot.spam_section import spam_table
from scripts.irlbot.spam_web import USUAL, SpamWeb, domain_numbered
from scripts.shared.doc_tables import ROOT
from scripts.shared.page_server import PageServer
from scripts.shared.without_rules import WITHOUT_RULES
from sessions.session import Session

_FARM = -1
_MOST_SECONDS = 600
"""Where a thousand domains rest 40 seconds, 20,000 pages would take twice as long."""

Ints = npt.NDArray[np.int64]


class Kind(NamedTuple):
    """A crawl: by which order and budget function, on how many ranks, and with which ``--delay``."""

    order: str
    ranks: int
    delay: float

    @property
    def arguments(self) -> list[str]:
        """Its options for ``cutweb crawl``."""
        order, _, budget = self.order.partition(" ")
        by_budget = ["--budget", budget] if budget else []
        return ["--ranks", str(self.ranks), "--order", order, *by_budget, "--delay", str(self.delay)]


class Outcome(NamedTuple):
    """What a crawl made of the web: of each legitimate domain, its in-degree and how many of its pages it has."""

    pages: int
    in_farm: float
    links_in_farm: float
    in_degrees: Ints
    fetched: Ints
    seconds: float

    def row(self, kind: Kind) -> dict[str, Any]:
        """The figures that are kept."""
        met = self.fetched > 0
        return {
            **kind._asdict(),
            "pages": self.pages,
            "in_farm": self.in_farm,
            "links_in_farm": self.links_in_farm,
            "correlation": _correlation(self.in_degrees, self.fetched),
            "correlation_with_pages": _correlation(self.in_degrees[met], self.fetched[met]),
            "domains_with_pages": int(met.sum()),
            "wall": self.seconds,
        }


def main() -> None:
    """Crawl, and print, and keep if that is wanted."""
    asked = _options()
    web = SpamWeb(asked.seed)
    outcomes: dict[Kind, Outcome] = {}
    with PageServer(web.page) as server:
        for kind in [Kind(*one) for one in product(asked.order, asked.ranks, asked.delay)]:
            print(f"{kind.order}, K={kind.ranks}, site delay {kind.delay:g} s ...", file=sys.stderr)
            outcomes[kind] = crawled(kind, web, server.port, asked.pages)
            print(spam_table([outcomes[kind].row(kind)]), file=sys.stderr, flush=True)
    rows = [outcome.row(kind) for kind, outcome in outcomes.items()]
    print(spam_table(rows))
    if asked.save:
        slowest = max(asked.delay)
        shown = {kind.order: outcome for kind, outcome in outcomes.items() if kind[1:] == (asked.ranks[0], slowest)}
        plot(ROOT / "docs" / NAME, {order: (outcome.in_degrees, outcome.fetched) for order, outcome in shown.items()})
        about = {**USUAL._asdict(), "seed": asked.seed, "pages": asked.pages}
        keep_in_scale("spam", {"rows": rows, "plot": NAME, **about})


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="of the web")
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--delay", type=float, nargs="+", default=[0.0, 0.01])
    parser.add_argument("--order", nargs="+", default=["bfs", "budget degree", "budget top"])
    parser.add_argument("--save", action="store_true", help="keep the figures in docs/scale.json")
    return parser.parse_args()


def crawled(kind: Kind, web: SpamWeb, port: int, pages: int) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "session"
        seeds = Path(folder) / "seeds.txt"
        seeds.write_text("".join(f"{url}\n" for url in web.seeds))
        command = [str(Path(sys.executable).parent / "cutweb"), "crawl", "--out", str(out), "--seeds", str(seeds)]
        command += ["--connect-to", f"::127.0.0.1:{port}", "--max-pages", str(pages), "--server-delay", "0"]
        command += ["--max-seconds", str(_MOST_SECONDS), *WITHOUT_RULES]
        subprocess.run([*command, *kind.arguments], check=True, stdout=subprocess.DEVNULL)
        return _outcome(Session.open(out), web.domains)


def _outcome(session: Session, domains: int) -> Outcome:
    """Who linked to whom is counted anew: what the crawl itself took for in-degrees has no part in it."""
    pages = session.read("pages", ["hash", "site"])
    links = session.read("links", ["source", "target"])
    urls = session.read("urls", ["hash", "url"])
    domain = _domains(pages["site"].to_pylist())
    source = _looked_up(links["source"].to_numpy(), pages["hash"].to_numpy(), domain)
    target = _looked_up(links["target"].to_numpy(), urls["hash"].to_numpy(), _domains(urls["url"].to_pylist()))
    is_between = (source != target) & (target != _FARM)
    pairs = np.unique(np.stack([source[is_between], target[is_between]]), axis=1)
    return Outcome(
        pages=len(domain),
        in_farm=float((domain == _FARM).mean()),
        links_in_farm=float(((source == _FARM) & (target == _FARM)).mean()),
        in_degrees=np.bincount(pairs[1], minlength=domains),
        fetched=np.bincount(domain[domain != _FARM], minlength=domains),
        seconds=max(report["seconds"] for report in session.rank_reports()),
    )


def _domains(texts: Sequence[str]) -> Ints:
    return np.fromiter(map(domain_numbered, texts), np.int64, len(texts))


def _looked_up(wanted: npt.NDArray[np.uint64], keys: npt.NDArray[np.uint64], values: Ints) -> Ints:
    order = np.argsort(keys)
    places = order[np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)]
    if (keys[places] != wanted).any():
        raise ValueError("the session has links from pages, or to URLs, that its tables do not have")
    return values[places]


def _correlation(in_degrees: Ints, pages: Ints) -> float:
    is_defined = len(np.unique(in_degrees)) > 1 and len(np.unique(pages)) > 1
    return float(spearmanr(in_degrees, pages).statistic) if is_defined else 0.0


if __name__ == "__main__":
    main()
