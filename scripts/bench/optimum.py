"""How often a cut of a tiny web in two is the best there is: all 2^pages partitions are looked at.

python -m scripts.bench.optimum [--webs 250] [--save]        so many of each kind; --save keeps it in docs/cuts.md

With 250 of each kind it takes a quarter of an hour, or more.
"""

import argparse
import sys
from collections.abc import Sequence
from itertools import product

from partition.graphs.link_graph import LinkGraph
from scripts.shared.doc_tables import keep, table
from scripts.shared.this_machine import this_machine
from tests.partition.cut.support.optimum import MOST_VERTICES
from tests.partition.cut.support.tiny_webs import KINDS, Pair, pair_of, tiny_web

_TOLERANCES = (0.05, 0.3)
_OBJECTIVES = ("sent", "links")
_EFFORTS = ("low", "normal", "high")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--webs", type=int, default=250, help="of each kind")
    parser.add_argument("--save", action="store_true", help="keep the table in docs/cuts.md")
    options = parser.parse_args()
    graphs = {kind: [tiny_web(kind, number).graph() for number in range(options.webs)] for kind in KINDS}
    rows = []
    for objective, tolerance in product(_OBJECTIVES, _TOLERANCES):
        found = {}
        for kind, of_kind in graphs.items():
            print(f"{objective}, tolerance {tolerance:.0%}: cutting {kind} webs ...", file=sys.stderr)
            found[kind] = cuts_of(of_kind, objective, tolerance)
        found["all"] = {effort: [pair for cuts in found.values() for pair in cuts[effort]] for effort in _EFFORTS}
        rows += [[objective, f"{tolerance:.0%}", kind, *_told(cuts)] for kind, cuts in found.items()]
    head = ["objective", "tolerance", "webs", "can be balanced"]
    head += [f"{effort}: {what}" for effort in _EFFORTS for what in ("not balanced", "optimal", "mean", "worst")]
    text = (
        f"{len(KINDS) * options.webs:,} webs of 4 to {MOST_VERTICES} pages, K = 2. Of the webs that can be balanced: "
        "how many are not, the share of cuts that are optimal, and what the balanced ones cost to the optimum, in the "
        f"mean and at worst (where the optimum is above 0). {this_machine()}.\n\n{table(head, rows)}"
    )
    print(text)
    if options.save:
        keep("cuts.md", "optimum", text)


def cuts_of(graphs: Sequence[LinkGraph], objective: str, tolerance: float) -> dict[str, list[Pair]]:
    """By each effort the cuts of some webs, beside the best."""
    return {effort: [pair_of(graph, objective, tolerance, effort) for graph in graphs] for effort in _EFFORTS}


def _told(cuts: dict[str, list[Pair]]) -> list[str]:
    """The cells of a row: what it counts, and four for each effort."""
    possible = {effort: [pair for pair in pairs if pair.best.excess == 0] for effort, pairs in cuts.items()}
    cells = [f"{len(possible[_EFFORTS[0]])} of {len(cuts[_EFFORTS[0]])}"]
    for pairs in possible.values():
        balanced = [pair for pair in pairs if pair.found.excess == 0]
        ratios = [pair.found.cost / pair.best.cost for pair in balanced if pair.best.cost]
        cells += [
            str(len(pairs) - len(balanced)),
            f"{sum(pair.is_optimal for pair in pairs) / len(pairs):.1%}" if pairs else "-",
            f"{sum(ratios) / len(ratios):.3f}" if ratios else "-",
            f"{max(ratios):.2f}" if ratios else "-",
        ]
    return cells


if __name__ == "__main__":
    main()
