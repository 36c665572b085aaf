"""Run under mpiexec: several commands, one after the other, on the same ranks, for starting these takes longest."""

import json
import sys
from unittest.mock import patch

from sessions.storage.without_pandas import without_pandas


def crawl(arguments: list[str]) -> int:
    from crawler.commands.crawl import crawl

    return crawl(arguments)


def replay(arguments: list[str]) -> int:
    # What a replay imports takes as long again as what a crawl does.
    from crawler.replay.command import replay

    return replay(arguments)


def replay_without_report(arguments: list[str]) -> int:
    from crawler.replay import plan

    with patch.object(plan, "_report"):
        return replay(arguments)


COMMANDS = {"crawl": crawl, "replay": replay, "replay without report": replay_without_report}

with without_pandas():
    for name, *arguments in json.loads(sys.argv[1]):
        if code := COMMANDS[name](arguments):
            sys.exit(code)
