"""Crawls that are killed at random moments and resumed: does each end with the pages of an undisturbed one?

Each run crawls a small invented web, is hit once or several times, by SIGKILL of one rank, of the launcher, of mpiexec,
of all processes, by what a power cut loses beside, by a rank's death just before a step to disk, by SIGTERM, SIGUSR1 or
SIGINT, or by a rank that is out of reach and comes back when another run has taken over; each time it is resumed,
with as many ranks or others.  At the end `cutweb check` must accept the session, and its pages, URLs, links, outcomes
and stored documents must be those of a crawl that nothing disturbed, none twice; no attempt may ask for a page that was
committed before.  (Of a crawl with --max-depth, none may be there that the whole web does not have: which pages come
by a short way depends on the order.)

    python -m scripts.crash                       50 runs
    python -m scripts.crash --seed 5 --only 17    one of them again
"""

import argparse
import random
import shutil
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from scripts.crash.plans import draw, name_of
from scripts.crash.reference_crawl import Ground
from scripts.crash.run import Outcome, carry_out
from scripts.shared.doc_tables import table


def main() -> None:
    """Print a line for each run and a table; exit code 1 if anything is wrong."""
    options = _options()
    numbers = [options.only] if options.only is not None else range(options.runs)
    folder = Path(tempfile.mkdtemp(prefix="cutweb-crash-", dir=options.folder))
    print(f"seed {options.seed}, {len(numbers)} runs, {options.pages} pages, in {folder}", flush=True)
    ground = Ground(folder, options.pages)
    runs = [draw(options.seed, number, options.pages) for number in numbers]
    outcomes: list[Outcome] = []
    jobs = ThreadPoolExecutor(options.jobs)
    try:
        for outcome in jobs.map(lambda run: carry_out(ground, run), runs):
            outcomes.append(outcome)
            _show(outcome)
    except KeyboardInterrupt:
        sys.exit("crash: stopped; waiting for the runs that have begun")
    finally:
        jobs.shutdown(cancel_futures=True)
    print(_table(outcomes), end="", flush=True)
    failed = [outcome.run.number for outcome in outcomes if outcome.faults]
    if failed:
        sys.exit(f"{len(failed)} of {len(runs)} runs failed: {', '.join(map(str, failed))}; see {folder}")
    shutil.rmtree(folder)


def _show(outcome: Outcome) -> None:
    run = outcome.run
    which = f"{' '.join(run.limits)} {name_of(run.attempts[0].options)}"
    print(
        f"{run.number:3} {'FAILED' if outcome.faults else 'ok'}: {outcome.pages} pages, {outcome.twice} fetched twice, "
        f"{outcome.epochs} epochs, {outcome.seconds:.1f} s {which}"
    )
    for line in outcome.story:
        print(f"      {line}")
    for fault in outcome.faults:
        print(f"    ! {fault}")
    sys.stdout.flush()


def _table(outcomes: list[Outcome]) -> str:
    """How often each kind of blow fell, and in how many runs that failed."""
    fell = Counter(blow for outcome in outcomes for blow in outcome.blows)
    failed = Counter(blow for outcome in outcomes if outcome.faults for blow in set(outcome.blows))
    rows = [[blow, str(count), str(failed[blow])] for blow, count in sorted(fell.items())]
    moved = sum(len({attempt.ranks for attempt in outcome.run.attempts}) > 1 for outcome in outcomes)
    good = sum(not outcome.faults for outcome in outcomes)
    return (
        table(["blow", "fell", "in runs that failed"], rows)
        + f"{good} of {len(outcomes)} runs as undisturbed, {moved} of them with several K; "
        f"{sum(outcome.twice for outcome in outcomes)} of {sum(outcome.pages for outcome in outcomes)} pages "
        "fetched twice\n"
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000), help="a random one if none is given")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="only the run of this number")
    parser.add_argument("--pages", type=int, default=500, help="pages of the web")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time")
    parser.add_argument("--folder", type=Path, help="where the folder goes that all is done in")
    return parser.parse_args()


if __name__ == "__main__":
    main()
