"""Run under mpiexec: several commands, one after the other, on the same ranks, for starting these takes longest."""

import json
import sys
from collections.abc import Callable
from unittest.mock import patch

from crawler.commands.crawl import crawl
from crawler.replay import plan
from crawler.replay.command import replay


def replay_without_report(arguments: list[str]) -> int:
    with patch.object(plan, "_report"):
        return replay(arguments)


COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "crawl": crawl,
    "replay": replay,
    "replay without report": replay_without_report,
}

for name, *arguments in json.loads(sys.argv[1]):
    if code := COMMANDS[name](arguments):
        sys.exit(code)
