"""Run under mpiexec: several commands, one after the other, on the same ranks, for starting these takes longest."""

import json
import sys
from collections.abc import Callable
from unittest.mock import patch

from crawler.launch import crawl
from crawler.replay import planning
from crawler.replay.command import replay


def replay_without_report(arguments: list[str]) -> int:
    with patch.object(planning, "_report"):
        return replay(arguments)


COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "crawl": crawl,
    "replay": replay,
    "replay without report": replay_without_report,
}

for name, *arguments in json.loads(sys.argv[1]):
    if code := COMMANDS[name](arguments):
        sys.exit(code)
