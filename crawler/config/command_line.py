"""From the command line and a TOML file to `CrawlOptions`.  The command line wins."""

import difflib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crawler.config.crawl_options import CrawlOptions, option_names
from crawler.config.network_types import BitRate
from crawler.config.option_declaration import click_parameters
from crawler.config.option_groups import SESSION, GroupedCommand, GroupedOption
from crawler.config.option_types import CountOrNone
from crawler.config.resume_options import as_resumed, take_recorded
from crawler.config.worklist_options import check_beside_worklist
from sessions.records import Configuration

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_EXAMPLES = """\b
Examples:
  cutweb crawl https://example.org/ --scope sites --max-pages 1000 --contact me@example.org --out session
  cutweb crawl --ranks 4 --seeds seeds.txt --assign page-hash --out session
  mpiexec -n 4 cutweb crawl --config crawl.toml --out session
  cutweb crawl --ranks 4 --seeds seeds.txt --partition map-4 --out session-2
  cutweb crawl --ranks 4 --seeds seeds.txt --partition map-4 --unknown site --out session-2
  cutweb crawl --ranks 4 --worklist worklist-3 --max-pages 100000 --out session-3
  cutweb crawl --resume session
  cutweb crawl --resume session --ranks 6 --max-pages 100000

\b
Exit codes:
  0  the crawl ended: nothing was left, a limit was reached, or it was asked to stop
  1  it broke off: a disk that is full, a rank that died; --resume goes on with what was committed
  2  it was not begun: the lines on standard error say why
  3  another run has taken its session over
  4  nothing was fetched, though there were seeds and nobody asked it to stop
  5  a rank gave no sign of life for --max-silence; --resume goes on with what was committed
"""


class UsageError(Exception):
    """What the user asked for cannot be done; each of its arguments is one line that says what and where."""

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong, a line each."""
        return tuple(map(str, self.args))

    def __str__(self) -> str:
        return "; ".join(self.problems)


class _WrongValues(click.UsageError):
    """Several problems with a file; each argument is a line."""

    def __init__(self, *problems: str) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


def crawl_command() -> click.Command:
    """``cutweb crawl`` as click knows it; it returns the values of all options by name."""
    config = GroupedOption(
        ["--config"],
        type=click.Path(path_type=Path),
        metavar="FILE",
        is_eager=True,
        expose_value=False,
        callback=_take_defaults,
        help="TOML file with any of these options (max_pages for --max-pages); the command line wins.",
        group=SESSION,
    )
    resume = GroupedOption(
        ["--resume"],
        type=click.Path(path_type=Path),
        metavar="DIR",
        is_eager=True,
        callback=take_recorded,
        help="Go on with this session where its last epoch was committed, with the options it was begun with; those "
        "given here win, and --ranks may be another number.",
        group=SESSION,
    )
    take_over = GroupedOption(
        ["--take-over"],
        is_flag=True,
        help="With --resume: go on with the session even if another run is crawling it, which then ends.",
        group=SESSION,
    )
    return GroupedCommand(
        "crawl",
        context_settings={"help_option_names": ["-h", "--help"]},
        params=[*click_parameters(CrawlOptions), resume, take_over, config],
        callback=_chosen,
        help="Crawl the web from seeds into a session folder, alone or as one of K ranks under MPI.",
        epilog=_EXAMPLES,
    )


def parsed(arguments: list[str]) -> CrawlOptions | int:
    """The options that the arguments of ``cutweb crawl`` ask for, or an exit code if they only wanted help.

    Raises UsageError for anything that is not an option, or not a value for it.
    """
    try:
        values = crawl_command().main(arguments, prog_name="cutweb crawl", standalone_mode=False)
    except _WrongValues as error:
        raise UsageError(*error.problems) from error
    except click.ClickException as error:
        raise UsageError(error.format_message()) from error
    if isinstance(values, int):
        return values
    is_resumed = values.pop("resume") is not None
    return CrawlOptions(takes_over=values.pop("take_over"), **values, is_resumed=is_resumed)


def as_plain_values(options: "DataclassInstance") -> Configuration:
    """The effective options of a command as a session records them: what TOML or JSON can hold, and no secrets."""
    shown = {item.name: item.metadata["recorded"] or _plain for item in fields(options) if item.metadata}
    return {name: show(getattr(options, name)) for name, show in shown.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Path) else value


def _chosen(**values: Any) -> dict[str, Any]:
    context = click.get_current_context()
    check_beside_worklist(context, values)
    return as_resumed(context, values)


def _take_defaults(context: click.Context, _parameter: click.Parameter, path: Path | None) -> None:
    """Let the values of a TOML file stand in for the defaults."""
    if path is None:
        return
    if context.default_map is not None:
        raise click.UsageError("--config and --resume contradict each other: a session brings its own configuration")
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise click.UsageError(f"--config {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:  # not UTF-8, not TOML, or TOML that goes too far
        raise click.UsageError(f"{path}: {error}") from error
    if problems := list(_problems(context, values)):
        raise _WrongValues(*(f"{path}: {problem}" for problem in problems))
    context.default_map = values


def _problems(context: click.Context, values: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the keys and values of a TOML file."""
    parameters = {parameter.name: parameter for parameter in context.command.params}
    for key, value in values.items():
        if key not in option_names():
            yield f"unknown key {key!r}{_suggestion(key)}"
        elif problem := _problem(context, parameters[key], value):
            yield f"{key}: {problem}"


def _problem(context: click.Context, parameter: click.Parameter, value: Any) -> str:
    """What is wrong with a value; empty if nothing is."""
    is_list = getattr(parameter, "multiple", False) or parameter.nargs == -1
    if isinstance(value, list) != is_list:
        return f"wants {'a list' if is_list else 'a single value'}"
    kinds, wanted = _toml_kinds(parameter.type)
    if any(type(item) not in kinds for item in (value if is_list else [value])):
        return f"wants {wanted}"
    try:
        parameter.type_cast_value(context, value)
    except click.BadParameter as error:
        return error.message
    return ""


def _toml_kinds(kind: click.ParamType[Any]) -> tuple[tuple[type, ...], str]:
    """The TOML types that an option takes, and what they are called."""
    match kind:
        case click.types.BoolParamType():
            return (bool,), "true or false"
        case click.IntRange():
            return (int,), "a whole number"
        case CountOrNone():
            return (int, str), 'a whole number or "none"'
        case BitRate():
            return (int, str), "bits per second"
        case click.FloatRange():
            return (int, float), "a number"
        case _:
            return (str,), "text"


def _suggestion(key: str) -> str:
    close = difflib.get_close_matches(key.replace("-", "_"), option_names(), 1)
    return f"; did you mean {close[0]!r}?" if close else ""
