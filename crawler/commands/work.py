"""`cutweb work`: units of URLs for machines outside the cluster, and what comes back."""

from collections import Counter
from collections.abc import Callable
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from crawler.config.network_types import Cidr, ConnectTo, Contact
from crawler.config.refusing import or_refuse
from crawler.config.suggestions import CommandGroup
from crawler.process.exit_on_signal import leaving_on_signals
from crawler.process.printing import counted, empty_table, printer
from crawler.process.terminal import tell

F = TypeVar("F", bound=Callable[..., Any])

_FILE = click.Path(path_type=Path)
_WORKLIST = click.argument("worklist", metavar="WORKLIST", type=_FILE)
_KEY = click.option("--key", metavar="FILE", type=_FILE, required=True, help="The secret key that signs.")
_MOST_URLS, _MOST_UNITS, _LONGEST_DAYS = 10_000, 1000, 3650
"""Named here, too, so that --help need not wait for numpy and Arrow; a test compares them."""


@click.group(cls=CommandGroup)
def work() -> None:
    """Hand out URLs of a worklist to machines outside the cluster, and merge what comes back (docs/work.md).

    \b
    Examples:
      cutweb work key project.key
      cutweb work export next --key project.key --out units
      cutweb work run unit-000001.unit --trust PUBLIC-KEY --key my.key --contact me@example.org --out 1.result
      cutweb work merge next 1.result 2.result --volunteers volunteers.txt --out crawl-2
      cutweb work status next
    """


@work.command()
@click.argument("file", metavar="FILE", type=_FILE)
@click.pass_context
def key(context: click.Context, file: Path) -> None:
    """Make an Ed25519 key: the secret one goes to FILE, which must be new, and the public one is printed.

    Only the owner may read FILE.  Nobody else needs it: whoever has it signs in your name.
    """
    from crawler.work.keys import make_key

    made = or_refuse(context, file, _expected_errors(), lambda: make_key(file))
    tell(made.public)


def _unit_options(command: F) -> F:
    """Give a command the options that a unit may carry."""
    texts = {
        "delay": "Rest between two requests to one site, in seconds, at least 1.",
        "server-delay": "Rest between two requests to one server, in seconds, at least 0.5.",
        "max-body": "Cut a body off after N MiB, at most 64.",
        "max-decoded": "Cut a body off after N MiB once decompressed, at most 256.",
        "timeout": "Time limit of a request, in seconds, at most 600.",
        "connect-timeout": "Time limit for connecting, in seconds, at most 60.",
        "idle-timeout": "Break a request off if nothing comes for N seconds, at most 120.",
        "max-links": "Follow only the first N links of a page, at most 10000.",
    }
    for name, text in reversed(texts.items()):
        kind: Any = int if name == "max-links" else float
        command = click.option(f"--{name}", metavar="N", type=kind, help=f"{text}  [default: as in a crawl]")(command)
    return command


@work.command()
@_WORKLIST
@click.option(
    "--unit",
    metavar="N",
    type=click.IntRange(1, _MOST_URLS),
    default=500,
    show_default=True,
    help="At most N URLs in a unit.",
)
@click.option(
    "--most",
    metavar="N",
    type=click.IntRange(1),
    default=_MOST_UNITS,
    show_default=True,
    help="Write at most N units now.",
)
@_KEY
@click.option(
    "--days",
    metavar="N",
    type=click.FloatRange(1, _LONGEST_DAYS),
    default=7.0,
    show_default=True,
    help="How long a unit is worth something.",
)
@click.option(
    "--out",
    metavar="DIR",
    type=_FILE,
    required=True,
    help="New or empty folder for the units and their ledger; or that of earlier units of this worklist.",
)
@click.option(
    "--overlap",
    metavar="P",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    help="Hand out this share of the URLs of each unit that is back once more, to be compared.",
)
@click.option("--again", is_flag=True, help="Hand out anew the units that are late or whose results were refused.")
@_unit_options
@click.pass_context
def export(
    context: click.Context,
    /,
    worklist: Path,
    out: Path,
    unit: int,
    most: int,
    days: float,
    overlap: float,
    again: bool,
    **options: Any,
) -> None:
    """Write units of a WORKLIST into DIR, in the order of priority, each signed.

    A site is in one unit at a time, with all sites that were at its address in the last session: what is held back
    goes out once its unit is merged or has expired.  Exits with 0, and says so, if nothing can go out now.

    \b
    Examples:
      cutweb work export next --key project.key --out units
      cutweb work export next --key project.key --out units --again
    """
    from crawler.work.export import ExportSettings
    from crawler.work.export import export as hand_out
    from crawler.work.keys import read_key
    from crawler.work.unit import option_problem
    from crawler.work.work_error import WorkError

    told = {name: value for name, value in options.items() if name != "key" and value is not None}

    def done() -> "list[ExportedUnit]":
        if isnan(days):
            raise WorkError(f"--days {days}: is no number of days")
        if isnan(overlap):
            raise WorkError(f"--overlap {overlap}: is no share")
        for name, value in told.items():
            if problem := option_problem(name, value):
                raise WorkError(f"--{problem.replace('_', '-', 1)}")
        settings = ExportSettings(unit, days, most, told, overlap, again)
        return hand_out(worklist, out, read_key(options["key"]), settings)

    with leaving_on_signals():
        made = or_refuse(context, out, _expected_errors(), done)
    urls = sum(line.urls for line in made)
    tell(f"{out}: {counted(len(made), 'unit')} with {counted(urls, 'URL')}")
    if made:
        tell(f"signed by {made[0].key}, worth something until {made[0].deadline}")
    else:
        tell("nothing can go out now: cutweb work status tells what is out")


@work.command()
@click.argument("unit", metavar="UNIT", type=_FILE)
@click.option("--trust", metavar="PUBKEY", required=True, help="The project's public key, or a file with it.")
@_KEY
@click.option(
    "--contact",
    metavar="URL|MAIL",
    type=Contact(),
    required=True,
    help="Whom the owner of a site can turn to: you; told to every server.",
)
@click.option("--out", metavar="RESULT", type=_FILE, required=True, help="The file to write; it must not exist.")
@click.option(
    "--allow-net",
    metavar="ADDR/BITS",
    type=Cidr(),
    multiple=True,
    help="Connect to this network of loopback too, to try things out; no other that is not public can be opened.",
)
@click.option(
    "--connect-to",
    metavar="HOST:PORT:ADDR:PORT",
    type=ConnectTo(),
    multiple=True,
    help="Connect to ADDR:PORT of loopback instead of HOST:PORT, to try things out.",
)
@click.option("--ca-cert", metavar="FILE", type=_FILE, help="Trust the certificate authorities in FILE (PEM) instead.")
@click.pass_context
def run(context: click.Context, /, unit: Path, out: Path, trust: str, key: Path, **options: Any) -> None:
    """Fetch the URLs of a UNIT, and sign what was found.  Needs no MPI.

    The unit must be signed by the project that --trust names.  Only its URLs are fetched, and robots.txt files; a
    redirect is recorded and not followed out of the unit.  Exits with 0 if RESULT was written; with 2, leaving nothing,
    if the unit may not be run or the run was interrupted.

    \b
    Example:
      cutweb work run unit-000001.unit --trust PUBLIC-KEY --key my.key --contact me@example.org --out 1.result
    """
    from crawler.work.keys import public_key, read_key
    from crawler.work.run_unit import Volunteer, run_unit

    def done() -> "UnitRun":
        return run_unit(unit, out, Volunteer(public_key(trust), read_key(key), **options))

    made = or_refuse(context, unit, _expected_errors(), done)
    tell(
        f"{out}: of {counted(made.urls, 'URL')} {made.fetched:,} fetched, {made.failed:,} failed, {made.filtered:,} "
        f"filtered, {made.left:,} left"
    )


_UNITS = click.option(
    "--units",
    metavar="DIR",
    type=_FILE,
    help="The folder of the units, if it was moved.  [default: that to which they were exported]",
)


@work.command()
@_WORKLIST
@click.argument("results", metavar="RESULT...", nargs=-1, required=True, type=_FILE)
@click.option(
    "--volunteers",
    metavar="FILE",
    type=_FILE,
    required=True,
    help="Whose results are taken: NAME PUBLIC-KEY [revoked DATE] a line.",
)
@click.option("--out", metavar="SESSION", type=_FILE, required=True, help="New or empty folder.")
@click.option(
    "--slot",
    metavar="HOURS",
    type=click.FloatRange(0),
    default=24.0,
    show_default=True,
    help="Compare two fetches of a URL if they are at most HOURS apart.",
)
@click.option(
    "--distrust",
    metavar="SHARE",
    type=click.FloatRange(0, 1),
    help="Refuse the units of a volunteer of whose URLs that others saw too more than this share differs.",
)
@_UNITS
@click.pass_context
def merge(context: click.Context, /, worklist: Path, results: tuple[Path, ...], out: Path, **options: Any) -> None:
    """Make a new SESSION of what volunteers found: one rank for each RESULT in which nothing is wrong.

    A result that is refused is named with its reason, and may be handed in again.  Exits with 0 if all were merged;
    with 1 if one was refused; with 2, leaving nothing, if something is wrong with what was asked for.

    \b
    Example:
      cutweb work merge next 1.result 2.result --volunteers volunteers.txt --out crawl-2
    """
    from crawler.work.merge import MergeSettings
    from crawler.work.merge import merge as merge_results

    settings = MergeSettings(options["slot"], options["distrust"])
    with leaving_on_signals():
        merged = or_refuse(
            context,
            out,
            _expected_errors(),
            lambda: merge_results(worklist, results, options["volunteers"], out, settings, options["units"]),
        )
    for path, why in merged.refused:
        tell(f"{path}: refused ({why.reason}): {why}", err=True)
    for unit, comparison in merged.compared.items():
        told = comparison.problem or f"of {counted(comparison.compared, 'URL')} {len(comparison.differing):,} differ"
        tell(f"unit {unit}, compared with what was merged before: {told}")
    if merged.accepted:
        urls = sum(len(result.unit.urls) for result in merged.accepted if result.line.repeats is None)
        tell(f"{out}: {counted(len(merged.accepted), 'unit')} with {counted(urls, 'URL')}")
    context.exit(1 if merged.refused else 0)


@work.command()
@_WORKLIST
@_UNITS
@click.pass_context
def status(context: click.Context, worklist: Path, units: Path | None) -> None:
    """List the units of a WORKLIST: out, late, back (merged), refused, or replaced by one that went out anew.

    \b
    Example:
      cutweb work status next
    """
    from crawler.work.ledger import STANDINGS, present, read_ledger
    from crawler.work.units_folder import units_folder

    ledger = or_refuse(context, worklist, _expected_errors(), lambda: read_ledger(units_folder(worklist, units)))
    at = present()
    console = printer()
    table = empty_table(console)
    for title in ("unit", "standing", "URLs", "exported", "deadline", "volunteer", "why"):
        table.add_column(title)
    counts: Counter[str] = Counter()
    for number, line in ledger.units.items():
        standing = ledger.standing(number, at)
        counts[standing] += 1
        merged, refused = ledger.merged.get(number), ledger.refused.get(number)
        name = merged.name if merged is not None else (refused.key or "")[:16] if refused is not None else ""
        why = refused.reason if refused is not None and merged is None else ""
        row = (str(number), standing, f"{line.urls:,}", line.exported, line.deadline, name, why)
        table.add_row(*row)
    console.print(table)
    tell(", ".join(f"{counts[standing]:,} {standing}" for standing in STANDINGS))


def _expected_errors() -> tuple[type[Exception], ...]:
    from crawler.work.work_error import WorkError
    from crawler.worklist.manifest import WorklistError
    from sessions.session import SessionError

    return WorkError, WorklistError, SessionError


if TYPE_CHECKING:
    from crawler.work.ledger import ExportedUnit
    from crawler.work.run_unit import UnitRun
