"""`make guard`: has anything that a rank does over and over become dearer since its weight was recorded?

    python -m tests.guard                  weigh all loads by what is here, callgrind before the CPU clock
    python -m tests.guard --tool cpu-time  weigh by the CPU clock all the same
    python -m tests.guard --remember scale.md
                                           the tables of this page were made just now: say later if a load moves

A load more than 10% heavier than recorded fails (25% by the CPU clock, or on a processor without a record of its own):
find out why, or record it with a reason.  One more than 10% lighter asks to be recorded.  Pages of docs are named
whose tables were made when a load weighed 5% more or less.
"""

import argparse
import sys

from tests.guard.recorded import DEARER, FILE, Judged, as_record, fitting, judged, processor, python, records
from tests.guard.tables import moved, remember
from tests.guard.weighing import CALLGRIND, CPU_TIME, Weights, tool, weighed_by

_ROW = "{:<20} {:>16} {:>16} {:>7}  {}"


def main() -> int:
    """Weigh, compare, and tell; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", choices=[CALLGRIND, CPU_TIME], default=tool(), help="what weighs")
    parser.add_argument("--remember", nargs="+", default=[], metavar="PAGE", help="pages of docs that were just made")
    asked = parser.parse_args()
    by = asked.tool
    weights = weighed_by(by)
    if asked.remember and by == CALLGRIND:
        remember(asked.remember, weights)
    record, most = fitting(records(), by, processor(), python())
    print(f"weighed by {by} on {processor()}, Python {python()}")
    if record is None:
        print(f"nothing is recorded for that; {FILE.name} could have:\n\n{as_record(by, weights)}")
        return 0
    if record.processor != processor():
        print(f"nothing is recorded for this processor; beside {record.processor}:")
    found = judged(weights, record, most)
    _show(found)
    for page in moved(by, weights):
        ratios = ", ".join(f"{load} {ratio:.2f}" for load, ratio in page.ratios.items())
        print(f"docs/{page.page} was made at {page.commit}; since then, times as heavy: {ratios}")
    return _told(found, weights, by, most)


def _show(found: list[Judged]) -> None:
    print(_ROW.format("load", "weighed", "recorded", "ratio", ""))
    for load, weight, recorded, verdict in found:
        beside = ("", "") if recorded is None else (f"{recorded:,.4g}", f"{weight / recorded:.3f}")
        print(_ROW.format(load, f"{weight:,.4g}", *beside, verdict))


def _told(found: list[Judged], weights: Weights, by: str, most: float) -> int:
    dearer = [one.load for one in found if one.verdict == DEARER]
    if dearer or any(one.verdict.endswith("record it") for one in found):
        print(f"\nTo record these weights, put this into {FILE.name} by hand, with the reason:\n")
        print(as_record(by, weights))
    if dearer:
        print(f"guard: more than {round(100 * most) - 100}% dearer than recorded: {', '.join(dearer)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
