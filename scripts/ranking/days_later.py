"""Run `cutweb` as if it were some days later: pages are fetched then.

python -m scripts.ranking.days_later 7 crawl --worklist next --out week-1 ...
"""

import sys
import time

from crawler.main import main

_SECONDS_A_DAY = 86_400


def run() -> None:
    """Run the command line behind the number of days."""
    present, later = time.time, float(sys.argv.pop(1)) * _SECONDS_A_DAY
    time.time = lambda: present() + later
    main()


if __name__ == "__main__":
    run()
