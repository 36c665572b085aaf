"""How a class declares options, each a field made by `option`, and how click comes to know them."""

from collections.abc import Callable
from dataclasses import MISSING, field, fields
from typing import Any

import click

from crawler.config.option_groups import OTHERS, GroupedOption

POSITIONAL = {"urls": "[URL...]", "sessions": "SESSION..."}
"""Fields that stand on the command line without a name."""


def option(
    default: Any,
    text: str,
    kind: Any = None,
    *,
    multiple: bool = False,
    metavar: str | None = None,
    flag: str | None = None,
    alone: str | None = None,
    group: str = OTHERS,
    recorded: Callable[[Any], Any] | None = None,
) -> Any:
    """A field of a class of options; ``flag`` is its name on the command line if that is different.

    ``alone`` is the value of an option that stands there without one; if that is None, it must have one.  ``recorded``
    makes of a value what a session may say of it, where that is not all.
    """
    metadata = {"help": text, "type": kind, "multiple": multiple, "metavar": metavar, "flag": flag, "group": group}
    return field(default=default, metadata=metadata | {"alone": alone, "recorded": recorded})


def click_parameters(options: type) -> list[click.Parameter]:
    """The options of a class of fields made by `option`, as click wants them; `POSITIONAL` names the exceptions."""
    parameters: list[click.Parameter] = []
    for item in fields(options):
        meta = item.metadata
        if not meta:
            continue
        if item.name in POSITIONAL:
            parameters.append(click.Argument([item.name], nargs=-1, type=meta["type"], metavar=POSITIONAL[item.name]))
            continue
        flag = meta["flag"] or item.name.replace("_", "-")
        is_switch = meta["type"] is bool
        alone = {} if meta["alone"] is None else {"is_flag": False, "flag_value": meta["alone"]}
        parameters.append(
            GroupedOption(
                [item.name, f"--{flag}/--no-{flag}" if is_switch else f"--{flag}"],
                type=meta["type"],
                default=None if item.default is MISSING else item.default,
                multiple=meta["multiple"],
                metavar=meta["metavar"],
                show_default=item.default not in (None, ()),
                help=meta["help"],
                group=meta["group"],
                **alone,
            )
        )
    return parameters
