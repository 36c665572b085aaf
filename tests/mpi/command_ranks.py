"""Run under mpiexec: several commands, one after the other, on the same ranks, for starting these takes longest."""

import json
import sys
from collections.abc import Callable

from crawler.launch import crawl
from crawler.replay.command import replay

COMMANDS: dict[str, Callable[[list[str]], int]] = {"crawl": crawl, "replay": replay}

for name, *arguments in json.loads(sys.argv[1]):
    if code := COMMANDS[name](arguments):
        sys.exit(code)
