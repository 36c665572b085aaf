"""The command ``cutweb``."""

import sys
from importlib import import_module

import click

from sessions.session import software_version

_COMMANDS = {
    "crawl": "crawler.configuration:crawl_command",
    "info": "crawler.commands.info:info",
    "check": "crawler.commands.check:check",
    "web": "crawler.commands.web:web",
}


class _Commands(click.Group):
    """Subcommands that are imported only when they are needed, so that ``cutweb --help`` answers at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, _, name = _COMMANDS[cmd_name].partition(":")
        found = getattr(import_module(module), name)
        command: click.Command = found if isinstance(found, click.Command) else found()
        return command


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(software_version(), prog_name="cutweb")
def cutweb() -> None:
    """Crawl the web on a PC cluster: K ranks under MPI, each owning a part of the pages."""


def main() -> None:
    """Entry point of the command line."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["crawl"]:
        from crawler.launch import crawl

        sys.exit(crawl(arguments[1:]))
    cutweb(prog_name="cutweb")
