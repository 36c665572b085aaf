"""``python -m cutweb`` is the command ``cutweb``."""

import sys

from cutweb.own_packages import refuse_strangers


def main() -> None:
    """Entry point of the command line."""
    refuse_strangers()
    if sys.argv[1:2] in (["crawl"], ["replay"]):
        from crawler.process.stop_signals import hold_early

        hold_early()
    from crawler.main import main as run

    run()


if __name__ == "__main__":
    main()
