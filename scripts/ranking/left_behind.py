"""What Anansi's formula leaves behind on two imported crawls of the same sites, two years apart.

SESSION are those of sites-2020-01-01.warc.gz and sites-2022-01-01.warc.gz (`cutweb import warc`).

    python -m scripts.ranking.left_behind SESSION SESSION            print the table
    python -m scripts.ranking.left_behind --save SESSION SESSION     and keep it in docs/ranking.md
"""

import argparse
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from crawler.worklist.make_worklist import WorklistSettings, make_worklist, opened
from partition.communication.ranks import Ranks
from scripts.shared.doc_tables import keep, table
from sessions.analysis.difference import difference


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sessions", nargs=2, type=Path)
    parser.add_argument("--save", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        made = make_worklist(Ranks(), asked.sessions, Path(folder) / "w", WorklistSettings(datetime.now(UTC)))
    manifest = made.manifest
    before, after = opened(asked.sessions)
    pages = difference(before, after).total()["pages"]
    again = manifest.visited_again
    rows = [
        ["were visited in both", again, 1.0],
        [
            "changed their body (of all that both have, whatever the answer)",
            pages["changed"],
            pages["changed"] / pages["kept"],
        ],
        [
            "kept all their links: C = 0, so P = 0, however old they are",
            manifest.kept_links,
            manifest.kept_links / again,
        ],
        ["have no links: C = 1 for ever", manifest.without_links, manifest.without_links / again],
    ]
    text = table(
        ["URLs that", "number", "share"], ([what, f"{count:,}", f"{share:.0%}"] for what, count, share in rows)
    )
    print(text)
    if asked.save:
        keep("ranking.md", "left behind", text)


if __name__ == "__main__":
    main()
