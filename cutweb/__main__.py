"""``python -m cutweb`` is the command ``cutweb``."""

from cutweb.own_packages import refuse_strangers


def main() -> None:
    """Entry point of the command line."""
    refuse_strangers()
    from crawler.main import main as run

    run()


if __name__ == "__main__":
    main()
