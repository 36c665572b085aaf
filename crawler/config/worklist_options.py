"""What stands beside ``--worklist`` on the command line: nothing else says what to fetch, or in what order."""

from collections.abc import Mapping
from typing import Any

import click
from click.core import ParameterSource

_IMPLIED = {"order": "--order", "seeds": "--seeds", "urls": "URLs"}


def check_beside_worklist(context: click.Context, values: Mapping[str, Any]) -> None:
    """Raise click.UsageError if options contradict ``--worklist``.

    What a session says that goes on does not count: it is all of one piece.
    """
    if values["worklist"] is None:
        return
    not_given = {ParameterSource.DEFAULT}
    if values["resume"] is not None:
        not_given.add(ParameterSource.DEFAULT_MAP)
    given = {name for name in values if context.get_parameter_source(name) not in not_given}
    for name, flag in _IMPLIED.items():
        if name in given and (name != "urls" or values[name]):
            raise click.UsageError(
                f"--worklist and {flag} contradict each other: the list says what is fetched, and in what order; "
                "leave one of the two out"
            )
