"""The tables of the paper on crawling billions of pages, ours beside its own, and what our crawler needs at that scale.

The paper: H.-T. Lee, D. Leonard, X. Wang, D. Loguinov, "IRLbot: Scaling to 6 Billion Pages and Beyond", WWW 2008.
Its model is in crawler/feasibility/drum_overhead_model.py and crawler/feasibility/budget_disk_model.py.

    python -m scripts.irlbot           print the page, from the model and from what docs/scale.json keeps
    python -m scripts.irlbot --save    compute the tables anew, and write docs/scale.json, docs/scale.md and the plots
    python -m scripts.irlbot --session SESSION --data "what it is" --save
                                       the same, with the bytes that a page takes on disk measured from this session

What URL-seen costs is measured by scripts/irlbot/bench_drum.py --save, what a page costs by scripts/bench/page_cost.py
--save.
"""

import argparse
import sys
from pathlib import Path

from scripts.irlbot.report import as_markdown
from scripts.irlbot.scale_json import renewed, write
from scripts.shared.stored_bytes import stored_bytes
from sessions.session import SessionError


def main() -> None:
    options = _options()
    figures = renewed()
    if options.session:
        try:
            figures["stored"] = {"data": options.data, **stored_bytes(options.session)}
        except SessionError as error:
            print(f"error: {error}", file=sys.stderr)
            sys.exit(2)
    if options.save:
        write(figures)
    print(as_markdown(figures))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--session", type=Path, metavar="SESSION", help="measure the bytes on disk of its pages")
    parser.add_argument("--data", metavar="NAME", default="a crawl", help="what that session is")
    parser.add_argument("--save", action="store_true", help="write docs/scale.json, docs/scale.md and the plots")
    return parser.parse_args()


if __name__ == "__main__":
    main()
