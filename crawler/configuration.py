"""From the command line and a TOML file to `CrawlOptions`.  The command line wins."""

import difflib
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crawler.options import CrawlOptions, click_parameters, option_names
from crawler.resuming.recorded import as_resumed, take_recorded

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_EXAMPLES = """\b
Examples:
  cutweb crawl https://example.org/ --scope sites --max-pages 1000 --contact me@example.org --out session
  cutweb crawl --ranks 4 --seeds seeds.txt --assign page-hash --out session
  mpiexec -n 4 cutweb crawl --config crawl.toml --out session
  cutweb crawl --ranks 4 --seeds seeds.txt --partition map-4 --out session-2
  cutweb crawl --ranks 4 --seeds seeds.txt --partition map-4 --unknown site --out session-2
  cutweb crawl --resume session
  cutweb crawl --resume session --ranks 6 --max-pages 100000
"""


class UsageError(Exception):
    """What the user asked for cannot be done; the message is one line that says what and where."""


def crawl_command() -> click.Command:
    """``cutweb crawl`` as click knows it; it returns the values of all options by name."""
    config = click.Option(
        ["--config"],
        type=click.Path(path_type=Path),
        metavar="FILE",
        is_eager=True,
        expose_value=False,
        callback=_take_defaults,
        help="TOML file with any of these options (max_pages for --max-pages); the command line wins.",
    )
    resume = click.Option(
        ["--resume"],
        type=click.Path(path_type=Path),
        metavar="DIR",
        is_eager=True,
        callback=take_recorded,
        help="Go on with this session where its last epoch was committed, with the options it was begun with; those "
        "given here win, and --ranks may be another number.",
    )
    return click.Command(
        "crawl",
        context_settings={"help_option_names": ["-h", "--help"]},
        params=[*click_parameters(), resume, config],
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
    except click.ClickException as error:
        raise UsageError(error.format_message()) from error
    if isinstance(values, int):
        return values
    is_resumed = values.pop("resume") is not None
    return CrawlOptions(**values, is_resumed=is_resumed)


def as_plain_values(options: "DataclassInstance") -> dict[str, Any]:
    """The effective options of a command, as they are written into the session: what TOML or JSON can hold."""
    return {item.name: _plain(getattr(options, item.name)) for item in fields(options) if item.metadata}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Path) else value


def _chosen(**values: Any) -> dict[str, Any]:
    return as_resumed(click.get_current_context(), values)


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
    parameters = {parameter.name: parameter for parameter in context.command.params}
    for key, value in values.items():
        if key not in option_names():
            raise click.UsageError(f"{path}: unknown key {key!r}{_suggestion(key)}")
        _check(context, path, parameters[key], value)
    context.default_map = values


def _check(context: click.Context, path: Path, parameter: click.Parameter, value: Any) -> None:
    is_list = getattr(parameter, "multiple", False) or parameter.nargs == -1
    if isinstance(value, list) != is_list:
        raise click.UsageError(f"{path}: {parameter.name}: wants {'a list' if is_list else 'a single value'}")
    kinds, wanted = _toml_kinds(parameter.type)
    if any(type(item) not in kinds for item in (value if is_list else [value])):
        raise click.UsageError(f"{path}: {parameter.name}: wants {wanted}")
    try:
        parameter.type_cast_value(context, value)
    except click.BadParameter as error:
        raise click.UsageError(f"{path}: {parameter.name}: {error.message}") from error


def _toml_kinds(kind: click.ParamType[Any]) -> tuple[tuple[type, ...], str]:
    """The TOML types that an option takes, and what they are called."""
    match kind:
        case click.types.BoolParamType():
            return (bool,), "true or false"
        case click.IntRange():
            return (int,), "a whole number"
        case click.FloatRange():
            return (int, float), "a number"
        case _:
            return (str,), "text"


def _suggestion(key: str) -> str:
    close = difflib.get_close_matches(key.replace("-", "_"), option_names(), 1)
    return f"; did you mean {close[0]!r}?" if close else ""
