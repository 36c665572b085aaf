"""The other crawlers: how each is started, how it says how many pages it fetched, and what it does not do."""

import os
import re
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from scripts.bench.peers.environments import environment, without_our_packages

_HERE = Path(__file__).parent


class Task(NamedTuple):
    """A web to crawl: from ``seeds``, all of whose hosts answer through the ``proxy``; ``home`` keeps environments."""

    seeds: Path
    proxy: str
    home: Path


class Crawler(NamedTuple):
    """A crawler that is not ours.

    ``command`` says how to start it, and is None where it is not installed; its output has the number of pages as
    the group of ``pages``.
    """

    name: str
    command: Callable[[Task], list[str] | None]
    pages: str
    lacks: str


class Cost(NamedTuple):
    """What a crawl cost: ``cpu`` seconds of user and system, of the whole process; ``seconds`` on the clock."""

    pages: int
    cpu: float
    seconds: float


def cost_of(crawler: Crawler, task: Task) -> Cost | None:
    """Have it crawl; None where it is not installed.  Raises ValueError if it does not say what it fetched."""
    command = crawler.command(task)
    if command is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), os.times().elapsed
        proxied = {**without_our_packages(), "http_proxy": task.proxy, "no_proxy": ""}
        ran = subprocess.run(
            command, cwd=folder, env=proxied, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        seconds, after = os.times().elapsed - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    counts: list[str] = re.findall(crawler.pages, ran.stdout)
    if not counts:
        raise ValueError(f"{crawler.name} does not say how many pages it fetched:\n{ran.stdout[-2000:]}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(int(counts[-1].replace(",", "")), cpu, seconds)


def _scrapy(spider: str) -> Callable[[Task], list[str]]:
    def command(task: Task) -> list[str]:
        scrapy = environment("scrapy", task.home) / "scrapy"
        return [str(scrapy), "runspider", str(_HERE / spider), "-a", f"seeds={task.seeds}"]

    return command


def _aiohttp(task: Task) -> list[str]:
    python = environment("aiohttp", task.home) / "python"
    return [str(python), str(_HERE / "aiohttp_crawler.py"), str(task.seeds), task.proxy]


def _wget(*further: str) -> Callable[[Task], list[str] | None]:
    """From one seed, since it crawls once for each."""

    def command(task: Task) -> list[str] | None:
        crawls = ["--recursive", "--level=inf", "--span-hosts", "--compression=auto", "-e", "robots=off", "-nv"]
        return _if_installed("wget", *crawls, *further, _first(task))

    return command


def _wget2(task: Task) -> list[str] | None:
    return _if_installed(
        "wget2", "--recursive", "--level=0", "--span-hosts", "--robots=off", "--max-threads=8", _first(task)
    )


def _first(task: Task) -> str:
    return task.seeds.read_text().split()[0]


def _if_installed(*command: str) -> list[str] | None:
    return list(command) if shutil.which(command[0]) else None


_OF_WGET = r"Downloaded: ([\d,]+) files"
_OF_SCRAPY = r"'downloader/response_status_count/200': (\d+)"

CRAWLERS = [
    Crawler("Scrapy, plain", _scrapy("scrapy_plain.py"), _OF_SCRAPY, "store, robots.txt, seen on disk"),
    Crawler(
        "Scrapy, tuned", _scrapy("scrapy_tuned.py"), _OF_SCRAPY, "store, robots.txt, redirects, retries, seen on disk"
    ),
    Crawler("aiohttp and lxml", _aiohttp, r"pages: (\d+)", "store, robots.txt, delays, retries, seen on disk"),
    Crawler("GNU wget", _wget(), _OF_WGET, "robots.txt (off here), WARC, tables, seen on disk"),
    Crawler(
        "GNU wget, with a WARC", _wget("--warc-file=wget"), _OF_WGET, "robots.txt (off here), tables, seen on disk"
    ),
    Crawler("wget2", _wget2, _OF_WGET, "robots.txt (off here), WARC, tables, seen on disk"),
]
