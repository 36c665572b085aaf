"""Every option of a crawl: its name, type, default, unit and meaning, in one place.

The command line and the configuration file are both made from this: a field ``max_pages`` is the option
``--max-pages`` and the TOML key ``max_pages``.
"""

import math
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

import click

from crawler.connect_to import ConnectTo
from partition.hashing import ASSIGNMENTS
from partition.map.manifest import UNKNOWN_RULES

DEFAULT_ASSIGNMENT = "site-hash"


def _option(default: Any, text: str, kind: Any = None, *, multiple: bool = False, metavar: str | None = None) -> Any:
    metadata = {"help": text, "type": kind, "multiple": multiple, "metavar": metavar}
    return field(default=default, metadata=metadata)


_LARGEST = 1e12


class _Number(click.FloatRange):
    """A number in a range, not so large that it could not be told in milliseconds or bytes."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, int) and abs(value) > _LARGEST:
            self.fail("is too large a number", param, ctx)
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number", param, ctx)
        if number > _LARGEST:
            self.fail(f"{value!r} is too large a number", param, ctx)
        return number


class _HeaderText(click.ParamType[str]):
    """Text that can stand in an HTTP header."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(value)
        if not (text.strip() and text.isascii() and text.isprintable()):
            self.fail(f"{text!r} cannot stand in an HTTP header", param, ctx)
        return text


_SECONDS = _Number(min=0)
_SOME_SECONDS = _Number(min=0, min_open=True)
_COUNT = click.IntRange(min=1)
_MIB = _Number(min=0, min_open=True)


@dataclass(frozen=True)
class CrawlOptions:
    """The options of ``cutweb crawl``; defaults as a user meets them."""

    urls: tuple[str, ...] = _option((), "Seed URLs.", str, multiple=True)
    seeds: str | None = _option(
        None, "File of seeds, one URL a line, # comments; - reads standard input.", str, metavar="FILE|-"
    )
    out: Path | None = _option(
        None, "Folder for the session; must be new or empty.", click.Path(path_type=Path), metavar="DIR"
    )
    ranks: int | None = _option(
        None, "Number of ranks K: start so many under mpiexec, or check that there are.", _COUNT
    )
    assign: str | None = _option(
        None,
        f"Who owns a URL, by hash of the page or of its site; {DEFAULT_ASSIGNMENT} if --partition does not say it.",
        click.Choice(sorted(ASSIGNMENTS)),
    )
    partition: Path | None = _option(
        None,
        "Who owns a URL, as cutweb partition has worked it out from an earlier session into this folder, for as many "
        "parts as there are ranks.",
        click.Path(path_type=Path),
        metavar="DIR",
    )
    unknown: str | None = _option(
        None,
        "Who owns a URL that --partition does not know: the part with its longest known prefix, the part with most of "
        "its site, a part by hash of its site, or who discovers it (then ranks may fetch a page twice); as the map "
        "says unless given.",
        click.Choice(UNKNOWN_RULES),
    )
    scope: str = _option(
        "all",
        "Which URLs belong to the crawl: all, those on the seeds' sites or domains, or as FILE says "
        "(one site, .domain or URL prefix a line).",
        str,
        metavar="all|sites|domains|FILE",
    )
    order: str = _option("bfs", "In what order URLs are fetched.", click.Choice(["bfs"]))
    max_pages: int | None = _option(None, "End after so many pages, exactly, over all ranks.", _COUNT)
    max_seconds: float | None = _option(None, "End after so many seconds.", _SOME_SECONDS)
    max_wait: float = _option(300.0, "End if all that is left must wait longer than this, in seconds.", _SECONDS)
    max_depth: int | None = _option(
        None, "Fetch nothing further than so many links from the seeds.", click.IntRange(0, 65534)
    )
    max_redirects: int = _option(10, "Follow at most so many redirects in a row.", click.IntRange(0, 254))
    superstep: float = _option(1.0, "Length of a superstep, in seconds.", _Number(min=0.01))
    connections: int = _option(64, "Transfers at once on each rank.", click.IntRange(1, 4096))
    delay: float = _option(1.0, "Rest between two requests of a rank to one site, in seconds.", _SECONDS)
    server_delay: float = _option(
        0.5, "Rest between two requests of a rank to one server (IP address), in seconds.", _SECONDS
    )
    timeout: float = _option(60.0, "Time limit of a request, in seconds.", _SOME_SECONDS)
    connect_timeout: float = _option(10.0, "Time limit for connecting, in seconds.", _SOME_SECONDS)
    max_body: float = _option(10.0, "Cut a body off after so many MiB.", _MIB)
    max_decoded: float = _option(64.0, "Cut a body off after so many MiB once decompressed.", _MIB)
    retries: int = _option(2, "Ask so many times again when no response comes.", click.IntRange(0, 100))
    retry_wait: float = _option(
        2.0, "Wait so many seconds before the first retry, twice as long before the next.", _SECONDS
    )
    user_agent: str = _option(
        "cutweb/0.1",
        "What the crawler calls itself; robots.txt is matched with the part before the slash.",
        _HeaderText(),
    )
    connect_to: tuple[str, ...] = _option(
        (),
        "Connect to ADDR:PORT instead of HOST:PORT; empty HOST or PORT means any (as curl has it).",
        ConnectTo(),
        multiple=True,
        metavar="HOST:PORT:ADDR:PORT",
    )
    ca_cert: Path | None = _option(
        None,
        "Trust the certificate authorities in FILE (PEM) instead of the usual ones.",
        click.Path(exists=True, dir_okay=False, readable=True, path_type=Path),
        metavar="FILE",
    )
    tls_verify: bool = _option(True, "Refuse servers whose certificate does not verify.", bool)
    store_bodies: bool = _option(True, "Keep the bodies, in WARC files.", bool)
    epoch_seconds: float = _option(
        60.0, "Commit what was crawled to disk at least so often, in seconds.", _SOME_SECONDS
    )
    frontier_memory: float = _option(256.0, "Memory for queued URLs on each rank, in MiB; more wait on disk.", _MIB)
    sent_memory: float = _option(
        256.0, "Memory for what a rank has sent to others, in MiB; beyond it the oldest is sent again.", _MIB
    )


def option_names() -> list[str]:
    """The names of all options, as they stand in a configuration file."""
    return [item.name for item in fields(CrawlOptions)]


def click_parameters() -> list[click.Parameter]:
    """The options as click wants them; ``urls`` is the positional argument."""
    parameters: list[click.Parameter] = []
    for item in fields(CrawlOptions):
        meta = item.metadata
        if item.name == "urls":
            parameters.append(click.Argument(["urls"], nargs=-1, metavar="[URL...]"))
            continue
        flag = item.name.replace("_", "-")
        is_switch = meta["type"] is bool
        parameters.append(
            click.Option(
                [f"--{flag}/--no-{flag}" if is_switch else f"--{flag}"],
                type=meta["type"],
                default=None if item.default is MISSING else item.default,
                multiple=meta["multiple"],
                metavar=meta["metavar"],
                show_default=item.default not in (None, ()),
                help=meta["help"],
            )
        )
    return parameters
