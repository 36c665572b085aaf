"""The exit codes of `cutweb crawl`, of its ranks and of who starts them; docs/command-line.md says what they mean."""

from enum import IntEnum


class ExitCode(IntEnum):
    """An exit code of `cutweb crawl`.  A signal's number plus `BY_SIGNAL` is one, too."""

    DONE = 0
    FAILED = 1
    REFUSED = 2
    FENCED = 3
    NOTHING_FETCHED = 4
    SILENCE = 5


BY_SIGNAL = 128
