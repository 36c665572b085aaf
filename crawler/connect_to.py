"""curl's ``--connect-to``: whom to connect to instead of the host that a URL names."""

import re
from typing import Any

import click

_FORM = re.compile(r"(?P<host>\[[^\]]*\]|[^:]*):(?P<port>\d*):(?P<address>\[[^\]]*\]|[^:]*):(?P<to_port>\d*)", re.ASCII)


class ConnectTo(click.ParamType[str]):
    """HOST:PORT:ADDR:PORT, any of them empty."""

    name = "connect_to"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        match = _FORM.fullmatch(str(value))
        if match is None:
            self.fail(f"{value!r} is not HOST:PORT:ADDR:PORT", param, ctx)
        if any(int(match[port] or 0) > 65535 for port in ("port", "to_port")):
            self.fail(f"{value!r} has a port above 65535", param, ctx)
        return str(value)
